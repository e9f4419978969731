import { expect, test } from 'vitest';
import { personOf, startProcess } from '../../support/processes/start-process.ts';
import { browserKeys, startPushService } from '../../support/push/browser.ts';

/** A connection of its own, for which the kernel chooses a gateway. */
const APART = { connection: 'close' };

test('browsers subscribe at any gateway, and each push is sent once', async () => {
  const keys = browserKeys();
  const service = await startPushService(keys);
  const server = await startProcess({
    CONFAB_GATEWAYS: '2',
    CONFAB_WEB_PUSH_PRIVATE_ADDRESSES: '1',
  });
  const [mel, max] = [personOf(server, 'mel'), personOf(server, 'max')];
  const ask = async (as: typeof mel, method: 'GET' | 'POST', path: string, params = {}) => {
    const { status, body } = await server.ask(as, { method, path, params, headers: APART });
    expect(status).toBe(200);
    return body as Readonly<Record<string, unknown>>;
  };
  const { p256dh, auth } = keys;
  const serverKeys = new Set<unknown>();
  for (let count = 0; count < 8; count += 1) {
    const subscription = { endpoint: `${service.origin}/s/1`, p256dh, auth };
    await ask(mel, 'POST', '/users/me/web_push', subscription);
    serverKeys.add((await ask(mel, 'GET', '/users/me/web_push'))['application_server_key']);
  }
  const ids: unknown[] = [];
  for (let count = 0; count < 8; count += 1) {
    const message = { type: 'direct', to: [mel.id], content: `soup ${count}` };
    ids.push((await ask(max, 'POST', '/messages', message))['id']);
  }
  const pushed = () => service.pushed.map(({ notice }) => notice['message_id']);
  await expect.poll(() => [...pushed()].sort()).toEqual([...ids].sort());
  await ask(mel, 'POST', '/mobile_push/test_notification');
  await expect.poll(() => service.pushed.at(-1)?.notice['type']).toBe('test');
  // Nothing has come twice meanwhile.
  expect(service.pushed).toHaveLength(ids.length + 1);
  expect([...serverKeys]).toEqual([service.pushed[0]?.sender]);
  expect(service.faults).toEqual([]);
});
