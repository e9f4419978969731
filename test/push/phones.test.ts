import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { readSettings } from '../../src/config.ts';
import { type FcmAnswer, startApns, startFcm, TOPIC } from '../support/push/phone-services.ts';
import { settled } from '../support/push/settle.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const sent = async (server: TestServer, content = 'soup') => {
  const { mel, max } = server.people;
  const message = { type: 'direct', to: [mel.id], content };
  return (await server.post(max, '/messages', message)).body.id as number;
};

const tokens = (server: TestServer) => server.perform((tx) => [...tx.pushTokens.keys({})].length);

async function withApns(...given: Parameters<typeof startApns>) {
  const apns = await startApns(...given);
  const server = await startServer({ channels: ['general'], env: apns.env });
  const { mel } = server.people;
  const device = { token: 'c0ffee', appid: TOPIC };
  await server.post(mel, '/users/me/apns_device_token', device);
  return { ...apns, server, mel };
}

async function withFcm(answer?: (count: number) => FcmAnswer) {
  const fcm = await startFcm(answer);
  const server = await startServer({ channels: ['general'], env: fcm.env });
  const { mel } = server.people;
  await server.post(mel, '/users/me/android_gcm_reg_id', { token: 'a:b' });
  return { ...fcm, server, mel };
}

test('Apple gets messages, removals and tests on one connection', async () => {
  const { server, mel, pushed, faults, opened } = await withApns();
  const id = await sent(server);
  expect(await settled(server)).toEqual([]);
  await server.post(mel, '/mark_all_as_read');
  await settled(server);
  expect((await server.post(mel, '/mobile_push/test_notification')).status).toBe(200);
  await settled(server);
  expect(faults).toEqual([]);
  expect(pushed.map(({ headers }) => headers['apns-priority'])).toEqual(['10', '5', '10']);
  expect(pushed[0]).toMatchObject({
    headers: {
      ':path': '/3/device/c0ffee',
      'apns-topic': TOPIC,
      'apns-collapse-id': `message-${id}`,
    },
    payload: {
      aps: { alert: { title: 'Max Member', body: 'soup' }, badge: 1 },
      notice: { type: 'message', message_id: id },
    },
  });
  expect(pushed[1]?.payload).toMatchObject({
    aps: { 'content-available': 1, badge: 0 },
    notice: { type: 'remove', message_ids: [id] },
  });
  // A test leaves the badge as it is.
  expect(pushed[2]?.payload).not.toHaveProperty('aps.badge');
  expect(opened.count).toBe(1);
  expect(server.bugs).toEqual([]);
});

test.each([
  { status: 410, reason: 'Unregistered' },
  { status: 400, reason: 'BadDeviceToken' },
])('an iOS device is removed after $status $reason', async (answer) => {
  const { server } = await withApns(() => answer);
  await sent(server);
  expect(await settled(server)).toEqual([]);
  expect(await tokens(server)).toBe(0);
});

test('an iOS device stays if it has registered after the time since when Apple has lost it', async () => {
  let timestamp = 0;
  const { server, mel } = await withApns(() => ({
    status: 410,
    reason: 'Unregistered',
    timestamp,
  }));
  const test = () => runCommand(server.app.realms, 'push test', { email: mel.email });
  timestamp = server.clock.now() - 1;
  await sent(server);
  expect(await settled(server)).toEqual([]);
  expect(await tokens(server)).toBe(1);
  expect(await test()).toMatchObject([{ answer: expect.stringMatching(/^gone: .* stays$/) }]);
  // The same device registers again after Apple has lost it once more.
  await server.leap(60_000);
  timestamp = server.clock.now() - 30_000;
  await server.post(mel, '/users/me/apns_device_token', { token: 'c0ffee', appid: TOPIC });
  await sent(server);
  expect(await settled(server)).toEqual([]);
  expect(await tokens(server)).toBe(1);
  timestamp = server.clock.now() + 1;
  expect(await test()).toMatchObject([{ answer: expect.stringMatching(/^gone: .* removed$/) }]);
  expect(await tokens(server)).toBe(0);
});

test.each([429, 500, 503])('a push to Apple is tried again after %i', async (status) => {
  const { server, pushed } = await withApns((count) => ({ status: count === 1 ? status : 200 }));
  await sent(server);
  expect(await settled(server)).toMatchObject([{ kind: 'apns' }]);
  await server.advance(2_000);
  expect(await settled(server)).toEqual([]);
  expect(pushed).toHaveLength(2);
  expect(await tokens(server)).toBe(1);
});

test('after GOAWAY the next push has another connection', async () => {
  const { server, pushed, opened } = await withApns((count) =>
    count === 1 ? { status: 200, isLast: true } : { status: 200 },
  );
  await sent(server);
  await settled(server);
  await sent(server);
  await settled(server);
  await server.advance(2_000);
  expect(await settled(server)).toEqual([]);
  expect(pushed).toHaveLength(2);
  expect(opened.count).toBe(2);
});

test('a connection that is lost costs no push', async () => {
  const { server, pushed, opened } = await withApns((count) =>
    count === 1 ? { status: 200, isLost: true } : { status: 200 },
  );
  const id = await sent(server);
  expect(await settled(server)).toMatchObject([{ kind: 'apns' }]);
  await server.advance(2_000);
  expect(await settled(server)).toEqual([]);
  // Apple shows one of them: the second has the same collapse id.
  const ids = pushed.map(({ headers }) => headers['apns-collapse-id']);
  expect(ids).toEqual([`message-${id}`, `message-${id}`]);
  expect(opened.count).toBe(2);
});

test('many pushes share a connection that takes one at a time', async () => {
  const { server, pushed, opened } = await withApns(undefined, { maxConcurrentStreams: 1 });
  for (let count = 0; count < 20; count += 1) await sent(server);
  expect(await settled(server)).toEqual([]);
  expect(pushed).toHaveLength(20);
  expect(opened.count).toBe(1);
});

test('Apple gets another token after it says that one has expired', async () => {
  const { server, pushed, faults } = await withApns((count) =>
    count === 1 ? { status: 403, reason: 'ExpiredProviderToken' } : { status: 200 },
  );
  await sent(server);
  expect(await settled(server)).toMatchObject([{ kind: 'apns' }]);
  await server.advance(2_000);
  expect(await settled(server)).toEqual([]);
  expect(new Set(pushed.map(({ headers }) => headers.authorization)).size).toBe(2);
  expect(faults).toEqual([]);
  expect(await tokens(server)).toBe(1);
});

test.each([
  { status: 413, reason: 'PayloadTooLarge' },
  { status: 400, reason: 'BadTopic' },
])('a push that Apple refuses with $status $reason is not repeated', async (answer) => {
  const { server, pushed } = await withApns(() => answer);
  await sent(server);
  expect(await settled(server)).toEqual([]);
  expect(pushed).toHaveLength(1);
  expect(await tokens(server)).toBe(1);
});

test('Google gets messages with a token that serves for all of them', async () => {
  const { server, mel, pushed, faults, asked } = await withFcm();
  const id = await sent(server);
  expect(await settled(server)).toEqual([]);
  await server.post(mel, '/mark_all_as_read');
  await settled(server);
  expect(faults).toEqual([]);
  expect(pushed).toMatchObject([
    {
      token: 'a:b',
      data: { type: 'message', message_id: String(id), content: 'soup' },
      android: { priority: 'HIGH', ttl: '86400s' },
    },
    { data: { type: 'remove', message_ids: `[${id}]` }, android: { priority: 'NORMAL' } },
  ]);
  // Google keeps four messages with collapse keys for a device that is off.
  expect(JSON.stringify(pushed)).not.toContain('collapse_key');
  expect(asked.count).toBe(1);
});

test('an Android device is removed when Google does not know it any more', async () => {
  const { server } = await withFcm(() => ({ status: 404, code: 'UNREGISTERED' }));
  await sent(server);
  expect(await settled(server)).toEqual([]);
  expect(await tokens(server)).toBe(0);
});

test.each([
  { status: 403, code: 'SENDER_ID_MISMATCH' },
  { status: 400, code: 'INVALID_ARGUMENT' },
])('an Android device stays after $status $code, and nothing is repeated', async (answer) => {
  const { server, pushed } = await withFcm(() => answer);
  await sent(server);
  expect(await settled(server)).toEqual([]);
  expect(pushed).toHaveLength(1);
  expect(await tokens(server)).toBe(1);
});

test.each([
  { status: 429, code: 'QUOTA_EXCEEDED', least: 50_000 },
  { status: 503, code: 'UNAVAILABLE', least: 1_000 },
  { status: 401, code: 'THIRD_PARTY_AUTH_ERROR', least: 1_000 },
])('a push to Google comes again some time after $code', async ({ least, ...answer }) => {
  const { server } = await withFcm(() => answer);
  await sent(server);
  const [entry] = await settled(server);
  expect(entry).toMatchObject({ kind: 'fcm', isLeased: false });
  expect(entry?.wait).toBeGreaterThan(least);
  expect(await tokens(server)).toBe(1);
});

test('Google gets the time that it asks for, and a new token after 401', async () => {
  const { server, pushed, asked, faults } = await withFcm((count) => {
    if (count === 1) return { status: 429, headers: { 'retry-after': '90' } };
    return { status: count === 2 ? 401 : 200 };
  });
  await sent(server);
  const [entry] = await settled(server);
  expect(entry?.wait).toBeGreaterThan(80_000);
  await server.advance(90_000);
  await settled(server);
  await server.advance(15_000);
  expect(await settled(server)).toEqual([]);
  expect(faults).toEqual([]);
  expect(pushed).toHaveLength(3);
  expect(asked.count).toBe(2);
});

test('settings that are wrong are named, and no key is shown', async () => {
  const file = join(temporaryFolder(), 'key');
  writeFileSync(file, 'very secret');
  const read = (env: object) => () => readSettings(env as Record<string, string>);
  const { env: apns } = await startApns();
  const { env: fcm } = await startFcm();
  expect(read({ CONFAB_APNS_KEY: file })).toThrow('CONFAB_APNS_KEY needs CONFAB_APNS_KEY_ID');
  expect(read({ ...apns, CONFAB_APNS_KEY: '/none' })).toThrow(
    'CONFAB_APNS_KEY cannot be read (ENOENT)',
  );
  expect(read({ ...apns, CONFAB_APNS_KEY: file })).toThrow(
    'CONFAB_APNS_KEY has no private key in PEM',
  );
  expect(read({ ...apns, CONFAB_APNS_KEY: '' })).toThrow('CONFAB_APNS_KEY is not set');
  expect(read({ ...apns, CONFAB_APNS_CA: file })).toThrow(
    'CONFAB_APNS_CA has no certificate in PEM',
  );
  expect(read({ ...apns, CONFAB_APNS_KEY_ID: 'short' })).toThrow('CONFAB_APNS_KEY_ID is not an id');
  expect(read({ ...fcm, CONFAB_FCM_ACCOUNT: file })).toThrow(
    'CONFAB_FCM_ACCOUNT is not the file of a service account',
  );
  expect(JSON.stringify(readSettings({ ...apns, ...fcm }))).not.toContain('PRIVATE KEY');
});
