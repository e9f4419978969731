import { expect, test } from 'vitest';
import type { TestQueue, WireEvent } from '../support/client.ts';
import { expectExactAfter } from '../support/follow.ts';
import { type Answer, startListener, type TestListener } from '../support/listener.ts';
import { startServer, type TestServer } from '../support/start-server.ts';
import type { Person } from '../support/users.ts';

const DEVICE = {
  token_kind: 'apns',
  push_account_id: '9007199254740993',
  push_public_key: 'cHVibGlj',
  bouncer_public_key: 'bouncer key',
  encrypted_push_registration: 'ZW5jcnlwdGVk',
};
const DEVICES = { event_types: ['push_device'] };

interface Pushing {
  readonly server: TestServer;
  readonly bouncer: TestListener;
}

async function withBouncer(answer: (count: number) => Answer): Promise<Pushing> {
  const bouncer = await startListener((_, count) => answer(count));
  const url = bouncer.url.replace('://', '://server:secret@');
  const env = { CONFAB_PUSH_BOUNCER_URL: `${url}/v1/` };
  return { server: await startServer({ channels: ['general'], env }), bouncer };
}

const accepts = (): Answer => ({ body: '{"device_id":"d-1"}' });

/** mel, with a device that the bouncer has accepted. */
async function withDevice(): Promise<Pushing & { queue: TestQueue; as: Person }> {
  const pushing = await withBouncer(accepts);
  const { mel } = pushing.server.people;
  const queue = await pushing.server.register(mel, DEVICES);
  await pushing.server.post(mel, '/mobile_push/register', DEVICE);
  await pushing.server.advance(1);
  await pushing.bouncer.next();
  await settled(queue, 2);
  return { ...pushing, queue, as: mel };
}

test('a registration is forwarded to the bouncer as it came, and becomes active', async () => {
  const { server, bouncer } = await withBouncer(accepts);
  const { mel } = server.people;
  const queue = await server.register(mel, DEVICES);
  await server.post(mel, '/mobile_push/register', DEVICE);
  await server.advance(1);
  const request = await bouncer.next();
  expect(request).toMatchObject({
    method: 'POST',
    path: '/v1/register',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${Buffer.from('server:secret').toString('base64')}`,
    },
  });
  expect(JSON.parse(request.body)).toEqual({
    realm_url: 'http://test.localhost',
    push_account_id: DEVICE.push_account_id,
    token_kind: 'apns',
    bouncer_public_key: 'bouncer key',
    encrypted_push_registration: 'ZW5jcnlwdGVk',
  });
  const event = {
    id: expect.any(Number),
    type: 'push_device',
    push_account_id: '9007199254740993',
  };
  expect(await settled(queue, 2)).toEqual([
    { ...event, status: 'pending' },
    { ...event, status: 'active' },
  ]);
  expect(server.bugs).toEqual([]);
});

test.each([
  {
    answer: { status: 400, body: '{"result":"error","code":"INVALID_BOUNCER_PUBLIC_KEY"}' },
    code: 'INVALID_BOUNCER_PUBLIC_KEY',
  },
  { answer: { status: 400, body: 'no' }, code: 'BAD_REQUEST' },
  { answer: { status: 200, body: '{}' }, code: 'BAD_REQUEST' },
  { answer: { status: 400, body: '{"code":"<b>"}' }, code: 'BAD_REQUEST' },
])('what the bouncer refuses has failed, and says why: $code', async ({ answer, code }) => {
  const { server } = await withBouncer(() => answer);
  const { mel } = server.people;
  const queue = await server.register(mel, DEVICES);
  await server.post(mel, '/mobile_push/register', DEVICE);
  await server.advance(1);
  const [, verdict] = await settled(queue, 2);
  expect(verdict).toMatchObject({ status: 'failed', error_code: code });
  expect((await server.register(mel)).state.push_devices).toEqual({
    [DEVICE.push_account_id]: { status: 'failed', error_code: code },
  });
});

test('4: a snapshot and the events of a verdict give what a fresh register gives', async () => {
  const { server } = await withBouncer((count) =>
    count === 1 ? accepts() : { status: 400, body: '{}' },
  );
  const { mel, max } = server.people;
  await expectExactAfter(server, async () => {
    for (const person of [mel, max]) {
      const queue = await server.register(person, DEVICES);
      await server.post(person, '/mobile_push/register', DEVICE);
      await server.advance(1);
      await settled(queue, 2);
    }
  });
});

test('a bouncer in trouble is asked again, and in the end the request has expired', async () => {
  const { server, bouncer } = await withBouncer(() => ({ status: 503 }));
  const { mel } = server.people;
  await server.post(mel, '/mobile_push/register', DEVICE);
  await server.advance(1);
  await bouncer.next();
  for (const pause of [2_000, 30_000, 300_000, 1_800_000, 5_400_000]) {
    await expect.poll(() => dueIn(server)).toEqual([pause]);
    await server.advance(pause);
    await bouncer.next();
  }
  await expect.poll(() => dueIn(server)).toEqual([]);
  expect((await server.register(mel)).state.push_devices).toEqual({
    [DEVICE.push_account_id]: { status: 'failed', error_code: 'REQUEST_EXPIRED' },
  });
  expect(bouncer.heard).toHaveLength(6);
});

test('who gets a direct message or is mentioned has their devices told, and nothing of what was said', async () => {
  const { server, bouncer, as: mel } = await withDevice();
  const { max } = server.people;
  const direct = { type: 'direct', to: [mel.id], content: 'a secret' };
  const mention = { type: 'channel', to: 'general', topic: 'x', content: '@**Mel Member** secret' };
  for (const message of [direct, mention]) {
    const { body } = await server.post(max, '/messages', message);
    await server.advance(1);
    const request = await bouncer.next();
    expect(request.path).toBe('/v1/notify');
    expect(JSON.parse(request.body)).toEqual({
      realm_url: 'http://test.localhost',
      user_id: mel.id,
      event: 'message',
      message_ids: [body.id],
      devices: [{ device_id: 'd-1', push_account_id: DEVICE.push_account_id, token_kind: 'apns' }],
    });
    expect(request.body).not.toContain('secret"');
  }
  await expect.poll(() => dueIn(server)).toEqual([]);
  expect(server.bugs).toEqual([]);
});

test('nobody is told of what is not for them, is their own, or is switched off', async () => {
  const { server, bouncer, as: mel } = await withDevice();
  const { max } = server.people;
  const channel = { type: 'channel', to: 'general', topic: 'x' };
  await server.post(max, '/messages', { ...channel, content: 'to everyone' });
  await server.post(max, '/messages', { ...channel, content: '@_**Mel Member** silently' });
  await server.post(mel, '/messages', { ...channel, content: '@**Mel Member** to myself' });
  await server.post(mel, '/messages', { type: 'direct', to: [max.id], content: 'from me' });
  await server.perform((tx) => {
    const row = tx.users.get([mel.id]) ?? expect.fail('mel is there');
    tx.users.put([mel.id], { ...row, settings: { enable_offline_push_notifications: false } });
  });
  await server.post(max, '/messages', { type: 'direct', to: [mel.id], content: 'not wanted' });
  expect(await dueIn(server)).toEqual([]);
  expect(bouncer.heard).toHaveLength(1);
});

test('who is at a client is told all the same, unless they switched that off', async () => {
  const { server, bouncer, as: mel } = await withDevice();
  const { max } = server.people;
  const direct = { type: 'direct', to: [mel.id], content: 'here?' };
  await server.perform((tx) => {
    const row = tx.users.get([mel.id]) ?? expect.fail('mel is there');
    tx.users.put([mel.id], { ...row, settings: { enable_online_push_notifications: false } });
  });
  await server.post(mel, '/users/me/presence', { status: 'active' });
  await server.post(max, '/messages', direct);
  expect(await dueIn(server)).toEqual([]);
  await server.post(mel, '/users/me/presence', { status: 'idle' });
  await server.advance(300_000);
  await server.post(max, '/messages', direct);
  await server.advance(1);
  expect((await bouncer.next()).path).toBe('/v1/notify');
});

test('what was read before it was carried is not pushed', async () => {
  const { server, bouncer, as: mel } = await withDevice();
  const sent = { type: 'direct', to: [mel.id], content: 'quick' };
  const { body } = await server.post(server.people.max, '/messages', sent);
  const read = { messages: [body.id], op: 'add', flag: 'read' };
  await server.post(mel, '/messages/flags', read);
  await server.advance(1);
  await expect.poll(() => dueIn(server)).toEqual([]);
  expect(bouncer.heard).toHaveLength(1);
});

const dueIn = (server: TestServer) =>
  server.perform((tx) =>
    Array.from(tx.outbox.range({}), ([[dueAt]]) => dueAt - server.clock.now()),
  );

/** Waits until so many events came. */
async function settled(queue: TestQueue, count: number): Promise<WireEvent[]> {
  const events: WireEvent[] = [];
  while (events.length < count) events.push(...(await queue.next()));
  return events;
}
