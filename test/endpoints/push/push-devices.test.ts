import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { DEVICE, settle, withDevice } from '../../support/notifications/pushing.ts';
import { browserKeys } from '../../support/push/browser.ts';
import { startServer } from '../../support/start-server.ts';

const PATH = '/users/me/push_devices';
const ENDPOINT = 'https://push.example.com/s/a-secret-of-the-browser';
const APNS_TOKEN = 'c0ffee';
const FCM_TOKEN = 'fcm:Token_1-x';

const idOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** mel with a device of each kind: one by its key, the others by token or address. */
async function withAll() {
  const { server, as: mel, ...pushing } = await withDevice();
  const { p256dh, auth } = browserKeys();
  await server.post(mel, '/users/me/web_push', { endpoint: ENDPOINT, p256dh, auth });
  await server.post(mel, '/users/me/apns_device_token', {
    token: APNS_TOKEN,
    appid: 'org.example',
  });
  await server.post(mel, '/users/me/android_gcm_reg_id', { token: FCM_TOKEN });
  const listed = async (as = mel) => (await server.get(as, PATH)).body['push_devices'];
  const removed = async (text: string, as = mel) =>
    (await server.delete(as, `${PATH}/${idOf(text)}`)).body;
  return { server, mel, pushing: { server, ...pushing }, listed, removed };
}

const common = { service: null, app_id: null, status: 'active', is_reached: true } as const;

test('people see what gets their pushes, without tokens, and remove each of them', async () => {
  const { server, mel, pushing, listed, removed } = await withAll();
  const { max, bot } = server.people;
  const web = {
    ...common,
    id: idOf(ENDPOINT),
    kind: 'web',
    service: 'push.example.com',
    is_encrypted: true,
  };
  const apns = {
    ...common,
    id: idOf(APNS_TOKEN),
    kind: 'apns',
    app_id: 'org.example',
    is_encrypted: false,
  };
  const byKey = { ...common, id: idOf(DEVICE.push_account_id), kind: 'apns', is_encrypted: true };
  const fcm = { ...common, id: idOf(FCM_TOKEN), kind: 'fcm', is_encrypted: false };
  const all = await listed();
  expect(all).toEqual([web, apns, byKey, fcm]);
  const text = JSON.stringify(all);
  for (const secret of ['a-secret', APNS_TOKEN, FCM_TOKEN]) expect(text).not.toContain(secret);
  // Other people neither see them nor remove them, and bots have none.
  expect(await listed(max)).toEqual([]);
  const none = { result: 'error', code: 'BAD_REQUEST', msg: 'No such push device' };
  expect(await removed(FCM_TOKEN, max)).toEqual(none);
  expect((await server.get(bot, PATH)).status).toBe(400);
  expect(await listed()).toEqual(all);

  for (const [one, rest] of [
    [FCM_TOKEN, [web, apns, byKey]],
    [ENDPOINT, [apns, byKey]],
    [APNS_TOKEN, [byKey]],
  ] as const) {
    expect(await removed(one)).toEqual({ result: 'success', msg: '' });
    expect(await removed(one)).toEqual(none);
    expect(await listed()).toEqual(rest);
  }
  // A device with a key is told that it has failed, as a new registration says it.
  await expectExactAfter(server, async () => {
    expect(await removed(DEVICE.push_account_id)).toMatchObject({ result: 'success' });
  });
  expect((await server.register(mel)).state.push_devices).toEqual({
    [DEVICE.push_account_id]: { status: 'failed', error_code: 'REMOVED' },
  });
  expect(await listed()).toEqual([]);
  expect(await removed(DEVICE.push_account_id)).toEqual(none);
  await server.post(max, '/messages', { type: 'direct', to: [mel.id], content: 'soup' });
  expect(await settle(pushing)).toEqual({ told: [], waiting: [] });
  // It may come again.
  await server.post(mel, '/mobile_push/register', DEVICE);
  expect(await listed()).toEqual([{ ...byKey, status: 'pending' }]);
  expect(server.bugs).toEqual([]);
});

test('devices that this server cannot reach are told as such', async () => {
  const server = await startServer({ env: { CONFAB_WEB_PUSH: '0' } });
  const { mel } = server.people;
  await server.post(mel, '/users/me/android_gcm_reg_id', { token: FCM_TOKEN });
  expect((await server.get(mel, PATH)).body['push_devices']).toMatchObject([
    { kind: 'fcm', is_reached: false },
  ]);
});
