import { expect, test } from 'vitest';
import { personOf, startProcess } from '../../support/processes/start-process.ts';
import { browserKeys, SILENT, startPushService } from '../../support/push/browser.ts';
import { startApns, startFcm, TOPIC } from '../../support/push/phone-services.ts';

test('2: pushes that were due when the server was killed are sent when it is back', async () => {
  let isSilent = true;
  const answer = () => ({ status: isSilent ? SILENT : 200 });
  const keys = browserKeys();
  const web = await startPushService(keys, answer);
  const [apns, fcm] = await Promise.all([startApns(answer), startFcm(answer)]);
  const server = await startProcess({
    ...apns.env,
    ...fcm.env,
    CONFAB_WEB_PUSH_PRIVATE_ADDRESSES: '1',
  });
  const [mel, max] = [personOf(server, 'mel'), personOf(server, 'max')];
  const { p256dh, auth } = keys;
  await server.post(mel, '/users/me/web_push', { endpoint: `${web.origin}/s/1`, p256dh, auth });
  await server.post(mel, '/users/me/apns_device_token', { token: 'c0ffee', appid: TOPIC });
  await server.post(mel, '/users/me/android_gcm_reg_id', { token: 'a:b' });
  const send = async (content: string) => {
    const message = { type: 'direct', to: [mel.id], content };
    return (await server.post(max, '/messages', message)).body.id as number;
  };
  /** The messages that each kind of device was pushed, in order. */
  const pushed = () => ({
    web: web.pushed.map(({ notice }) => Number(notice['message_id'])),
    apns: apns.pushed.map(({ payload }) => Number((payload['notice'] as Notice).message_id)),
    fcm: fcm.pushed.map(({ data }) => Number((data as Notice).message_id)),
  });

  const first = await send('first');
  await expect.poll(pushed).toEqual({ web: [first], apns: [first], fcm: [first] });
  // Some of these are on their way, of others not even the recipients were found.
  const ids = [first, ...(await Promise.all(['a', 'b', 'c', 'd'].map(send)))];
  await server.kill();
  isSilent = false;
  for (const kind of ['web', 'apns', 'fcm'] as const) {
    const told = () => [...new Set(pushed()[kind])].sort((a, b) => a - b);
    await expect.poll(told).toEqual([...ids].sort((a, b) => a - b));
  }
  const last = await send('last');
  for (const kind of ['web', 'apns', 'fcm'] as const) {
    const times = (id: number) => pushed()[kind].filter((one) => one === id).length;
    await expect.poll(() => times(last)).toBe(1);
    // No service had answered the first when the server was killed.
    expect(times(first)).toBeGreaterThan(1);
    expect(Math.max(...ids.map(times))).toBeLessThanOrEqual(2);
  }
  // The same topic and collapse id say that it is the same notice.
  const topics = web.pushed.filter(({ notice }) => notice['message_id'] === first);
  expect(topics.map(({ topic }) => topic)).toEqual([`m${first}`, `m${first}`]);
  const collapsed = apns.pushed.map(({ headers }) => headers['apns-collapse-id']);
  expect(collapsed.filter((id) => id === `message-${first}`)).toHaveLength(2);
  expect([...web.faults, ...apns.faults, ...fcm.faults]).toEqual([]);
});

interface Notice {
  readonly message_id: unknown;
}
