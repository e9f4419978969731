import { expect, test } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { BROWSERS_PER_USER_MAX } from '../../src/domain/limits/outbox.ts';
import { browserKeys, startPushService } from '../support/push/browser.ts';
import { settled } from '../support/push/settle.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const PATH = '/users/me/web_push';

async function subscribed(answer?: Parameters<typeof startPushService>[1]) {
  const keys = browserKeys();
  const service = await startPushService(keys, answer);
  const env = { CONFAB_WEB_PUSH_PRIVATE_ADDRESSES: '1' };
  const server = await startServer({ channels: ['general'], env });
  const { mel, max } = server.people;
  const { p256dh, auth } = keys;
  const endpoint = `${service.origin}/s/1`;
  const { status } = await server.post(mel, PATH, { endpoint, p256dh, auth });
  expect(status).toBe(200);
  const send = async () => {
    const message = { type: 'direct', to: [mel.id], content: 'soup **now**' };
    return (await server.post(max, '/messages', message)).body.id as number;
  };
  return { server, service, mel, endpoint, send };
}

const subscriptions = (server: TestServer) =>
  server.perform((tx) => [...tx.pushTokens.keys({})].length);

test('a browser gets messages, and is told when they were read elsewhere', async () => {
  const { server, service, mel, send } = await subscribed();
  const key = (await server.get(mel, PATH)).body['application_server_key'];
  const id = await send();
  expect(await settled(server)).toEqual([]);
  expect(service.faults).toEqual([]);
  expect(service.pushed).toMatchObject([
    { path: '/s/1', sender: key, ttl: 86_400, urgency: 'high', topic: `m${id}` },
  ]);
  expect(service.pushed[0]?.notice).toMatchObject({
    type: 'message',
    message_id: id,
    content: 'soup now',
    user_id: mel.id,
  });
  await server.post(mel, '/messages/flags', { messages: [id], op: 'add', flag: 'read' });
  await settled(server);
  expect(service.pushed[1]).toMatchObject({
    urgency: 'low',
    topic: `m${id}`,
    notice: { type: 'remove', message_ids: [id] },
  });
  expect(server.bugs).toEqual([]);
});

test('a notice hides the text of direct messages from who does not want it on the desktop', async () => {
  const { server, service, mel, send } = await subscribed();
  await server.patch(mel, '/settings', { pm_content_in_desktop_notifications: false });
  await send();
  await settled(server);
  expect(service.pushed[0]?.notice).toMatchObject({ type: 'message', content: 'wrote to you' });
});

test('the key stays the same after a restart, and so does a notice that was not delivered', async () => {
  const { server, service, mel, send } = await subscribed((count) => ({
    status: count === 1 ? 503 : 201,
  }));
  const key = (await server.get(mel, PATH)).body['application_server_key'];
  await send();
  expect(await settled(server)).toMatchObject([{ kind: 'webPush' }]);
  await server.restart();
  expect((await server.get(mel, PATH)).body['application_server_key']).toBe(key);
  await server.advance(2_000);
  expect(await settled(server)).toEqual([]);
  expect(service.pushed).toHaveLength(2);
});

test.each([401, 403])(
  'a browser stays after status %i, which a wrong clock causes',
  async (status) => {
    const { server, send } = await subscribed((count) => ({ status: count === 1 ? status : 201 }));
    await send();
    expect(await settled(server)).toMatchObject([{ kind: 'webPush' }]);
    expect(await subscriptions(server)).toBe(1);
    await server.advance(2_000);
    expect(await settled(server)).toEqual([]);
    expect(await subscriptions(server)).toBe(1);
  },
);

test.each([404, 410])('a subscription is removed after status %i', async (status) => {
  const { server, send } = await subscribed(() => ({ status }));
  await send();
  expect(await settled(server)).toEqual([]);
  expect(await subscriptions(server)).toBe(0);
});

test('a subscription whose address may not be asked stays, and its push is given up', async () => {
  const { p256dh, auth } = browserKeys();
  const server = await startServer();
  const { mel, max } = server.people;
  const endpoint = 'https://localhost:9/s/1';
  // It was registered while the server allowed private addresses.
  await server.perform((tx) => {
    const row = { token: endpoint, appId: null, keys: { p256dh, auth }, registeredAt: 0 };
    tx.pushTokens.put([mel.id, 'web', 'a hash'], row);
    tx.pushHolders.put([mel.id], {});
  });
  await server.post(max, '/messages', { type: 'direct', to: [mel.id], content: 'soup' });
  expect(await settled(server)).toMatchObject([{ kind: 'webPush' }]);
  const test = () => runCommand(server.app.realms, 'push test', { email: mel.email });
  expect(await test()).toMatchObject([{ answer: 'not taken: its address may not be asked' }]);
  for (let count = 0; count < 7; count += 1) {
    await server.advance(7_200_000);
    await settled(server);
  }
  expect(await settled(server)).toEqual([]);
  expect(await subscriptions(server)).toBe(1);
});

test('a push service that asks for time gets it', async () => {
  const { server, send } = await subscribed(() => ({
    status: 429,
    headers: { 'retry-after': '120' },
  }));
  await send();
  const [entry] = await settled(server);
  expect(entry?.wait).toBeGreaterThan(110_000);
  expect(await subscriptions(server)).toBe(1);
});

test('a test goes to a browser without any service for telephones', async () => {
  const { server, service, mel, endpoint } = await subscribed();
  const { status } = await server.post(mel, '/mobile_push/test_notification', { token: endpoint });
  expect(status).toBe(200);
  await settled(server);
  expect(service.pushed[0]?.notice['type']).toBe('test');
  expect((await server.delete(mel, PATH, { endpoint })).status).toBe(200);
  expect((await server.delete(mel, PATH, { endpoint })).status).toBe(400);
});

test.each([
  ['http://push.example.com/x', 'endpoint is not an address of https'],
  ['https://user:pass@push.example.com/x', 'endpoint is not an address of https'],
  ['https://127.0.0.1/x', 'endpoint is not a public address'],
  ['https://[::1]/x', 'endpoint is not a public address'],
  ['https://localhost/x', 'endpoint is not a public address'],
  ['nothing', 'endpoint is not an address of https'],
])('the address %s is refused', async (endpoint, msg) => {
  const { p256dh, auth } = browserKeys();
  const server = await startServer();
  const { status, body } = await server.post(server.people.mel, PATH, { endpoint, p256dh, auth });
  expect({ status, body }).toMatchObject({ status: 400, body: { msg } });
});

test('keys that are none are refused, and so is one browser too many', async () => {
  const { p256dh, auth } = browserKeys();
  const server = await startServer();
  const { mel } = server.people;
  const at = (index: number) => `https://push.example.com/${index}`;
  const add = (given: object) =>
    server.post(mel, PATH, { endpoint: at(0), p256dh, auth, ...given });
  expect((await add({ p256dh: 'AAAA' })).body['msg']).toBe(
    'p256dh is not a key on the curve P-256',
  );
  expect((await add({ auth: 'AAAA' })).body['msg']).toBe('auth is not a secret of 16 bytes');
  for (let index = 0; index < BROWSERS_PER_USER_MAX; index++) await add({ endpoint: at(index) });
  expect(await subscriptions(server)).toBe(BROWSERS_PER_USER_MAX);
  expect((await add({ endpoint: at(99) })).body['msg']).toBe(
    'An account has at most 20 browsers that get pushes.',
  );
});

test('a server without Web Push says so', async () => {
  const server = await startServer({ env: { CONFAB_WEB_PUSH: '0' } });
  const { mel } = server.people;
  const { p256dh, auth } = browserKeys();
  expect((await server.get(mel, PATH)).body['application_server_key']).toBeNull();
  const given = { endpoint: 'https://push.example.com/1', p256dh, auth };
  expect((await server.post(mel, PATH, given)).body['code']).toBe('PUSH_SERVICE_NOT_CONFIGURED');
});
