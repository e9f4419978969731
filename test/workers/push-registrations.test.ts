import { expect, test } from 'vitest';
import { expectExactAfter } from '../support/applying/follow.ts';
import {
  accepts,
  DEVICE,
  DEVICE_EVENTS,
  settled,
  withBouncer,
} from '../support/notifications/pushing.ts';
import type { TestServer } from '../support/start-server.ts';

test('a registration is forwarded to the bouncer as it came, and becomes active', async () => {
  const { server, bouncer } = await withBouncer(accepts);
  const { mel } = server.people;
  const queue = await server.register(mel, DEVICE_EVENTS);
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
])(
  'a registration that the bouncer refuses has failed with its code: $code',
  async ({ answer, code }) => {
    const { server } = await withBouncer(() => answer);
    const { mel } = server.people;
    const queue = await server.register(mel, DEVICE_EVENTS);
    await server.post(mel, '/mobile_push/register', DEVICE);
    await server.advance(1);
    const [, verdict] = await settled(queue, 2);
    expect(verdict).toMatchObject({ status: 'failed', error_code: code });
    expect((await server.register(mel)).state.push_devices).toEqual({
      [DEVICE.push_account_id]: { status: 'failed', error_code: code },
    });
  },
);

test('4: a snapshot with the events of an answer equals a fresh register', async () => {
  const { server } = await withBouncer((count) =>
    count === 1 ? accepts() : { status: 400, body: '{}' },
  );
  const { mel, max } = server.people;
  await expectExactAfter(server, async () => {
    for (const person of [mel, max]) {
      const queue = await server.register(person, DEVICE_EVENTS);
      await server.post(person, '/mobile_push/register', DEVICE);
      await server.advance(1);
      await settled(queue, 2);
    }
  });
});

test('a registration is sent again to a bouncer in trouble, and has expired in the end', async () => {
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

test('a registration with an invalid key fails without asking the bouncer', async () => {
  const { server, bouncer } = await withBouncer(accepts);
  const { mel } = server.people;
  const queue = await server.register(mel, DEVICE_EVENTS);
  const push_public_key = Buffer.alloc(32).toString('base64');
  await server.post(mel, '/mobile_push/register', { ...DEVICE, push_public_key });
  await server.advance(1);
  const [, verdict] = await settled(queue, 2);
  expect(verdict).toMatchObject({ status: 'failed', error_code: 'BAD_REQUEST' });
  expect(bouncer.heard).toEqual([]);
});

const dueIn = (server: TestServer) =>
  server.perform((tx) =>
    Array.from(tx.outbox.range({}), ([[dueAt]]) => dueAt - server.clock.now()),
  );
