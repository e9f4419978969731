import { expect, test } from 'vitest';
import {
  PUSH_DEVICES_KNOWN_PER_USER_MAX,
  PUSH_DEVICES_PER_USER_MAX,
  PUSH_KEY_LENGTH_MAX,
  PUSH_REGISTRATION_LENGTH_MAX,
} from '../../../src/domain/limits/outbox.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { startServer } from '../../support/start-server.ts';

const REGISTER = '/mobile_push/register';
const DEVICE = {
  token_kind: 'fcm',
  push_account_id: 2408,
  push_public_key: Buffer.alloc(32, 7).toString('base64'),
  bouncer_public_key: 'bouncer key',
  encrypted_push_registration: 'ZW5jcnlwdGVk',
};
/** Nothing listens there, so outbox entries stay. */
const CONFIGURED = { env: { CONFAB_PUSH_BOUNCER_URL: 'http://127.0.0.1:9' } };

test('a device is pending until the bouncer has answered, and its owner alone hears of it', async () => {
  const server = await startServer(CONFIGURED);
  const { mel, max } = server.people;
  const queues = await Promise.all([mel, max].map((person) => server.register(person)));
  const { body } = await server.post(mel, REGISTER, DEVICE);
  expect(body).toEqual({ result: 'success', msg: '' });
  const [own, other] = await Promise.all(queues.map((queue) => queue.now()));
  expect(own).toEqual([
    { id: expect.any(Number), type: 'push_device', push_account_id: '2408', status: 'pending' },
  ]);
  expect(other).toEqual([]);
  expect((await server.register(mel)).state.push_devices).toEqual({
    2408: { status: 'pending', error_code: null },
  });
  expect((await server.register(max)).state.push_devices).toEqual({});
});

test('the same registration again changes nothing, another one of the same id replaces it', async () => {
  const server = await startServer(CONFIGURED);
  const { mel } = server.people;
  await server.post(mel, REGISTER, DEVICE);
  const queue = await server.register(mel);
  await server.post(mel, REGISTER, DEVICE);
  expect(await queue.now()).toEqual([]);
  await server.post(mel, REGISTER, { ...DEVICE, encrypted_push_registration: 'b3RoZXI=' });
  expect(await queue.now()).toHaveLength(1);
});

test('4: a snapshot and the events give what a fresh register gives', async () => {
  const server = await startServer(CONFIGURED);
  const { mel, gus } = server.people;
  await expectExactAfter(server, async () => {
    await server.post(mel, REGISTER, DEVICE);
    await server.post(gus, REGISTER, { ...DEVICE, push_account_id: 7 });
  });
});

test.each(['9223372036854775807', '-9223372036854775808', '0'])(
  'an id may be any integer of 64 bits: %s',
  async (push_account_id) => {
    const server = await startServer(CONFIGURED);
    const { mel } = server.people;
    expect((await server.post(mel, REGISTER, { ...DEVICE, push_account_id })).status).toBe(200);
    expect(Object.keys((await server.register(mel)).state.push_devices)).toEqual([push_account_id]);
  },
);

test.each([
  { params: { token_kind: 'gcm' }, msg: 'Invalid token_kind' },
  ...['9223372036854775808', '-9223372036854775809', '1.5', 'x', '""', ''].map((id) => ({
    params: { push_account_id: id },
    msg: 'push_account_id is not an integer of 64 bits',
  })),
  { params: { push_public_key: 'not base64!' }, msg: 'push_public_key is not base64' },
  { params: { push_public_key: 'abc' }, msg: 'push_public_key is not base64' },
  { params: { push_public_key: '' }, msg: 'push_public_key cannot be blank' },
  {
    params: { push_public_key: 'A'.repeat(PUSH_KEY_LENGTH_MAX + 4) },
    msg: 'push_public_key is too long',
  },
  ...[31, 33].map((bytes) => ({
    params: { push_public_key: Buffer.alloc(bytes, 7).toString('base64') },
    msg: 'push_public_key is not a key of 32 bytes',
  })),
  { params: { bouncer_public_key: ' ' }, msg: 'bouncer_public_key cannot be blank' },
  {
    params: { bouncer_public_key: 'x'.repeat(PUSH_KEY_LENGTH_MAX + 1) },
    msg: 'bouncer_public_key is too long',
  },
  {
    params: { encrypted_push_registration: '{}' },
    msg: 'encrypted_push_registration is not base64',
  },
  {
    params: { encrypted_push_registration: 'A'.repeat(PUSH_REGISTRATION_LENGTH_MAX + 4) },
    msg: 'encrypted_push_registration is too long',
  },
])('a device is refused: $msg', async ({ params, msg }) => {
  const server = await startServer(CONFIGURED);
  const { mel } = server.people;
  const { status, body } = await server.post(mel, REGISTER, { ...DEVICE, ...params });
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  expect((await server.register(mel)).state.push_devices).toEqual({});
});

test.each(Object.keys(DEVICE))('a device needs %s', async (name) => {
  const server = await startServer(CONFIGURED);
  const { [name as 'token_kind']: _, ...params } = DEVICE;
  const { status, body } = await server.post(server.people.mel, REGISTER, params);
  expect([status, body.code, body.var_name]).toEqual([400, 'REQUEST_VARIABLE_MISSING', name]);
});

test('texts of exactly the bounds are taken', async () => {
  const server = await startServer(CONFIGURED);
  const { status } = await server.post(server.people.mel, REGISTER, {
    ...DEVICE,
    bouncer_public_key: 'A'.repeat(PUSH_KEY_LENGTH_MAX),
    encrypted_push_registration: 'A'.repeat(PUSH_REGISTRATION_LENGTH_MAX),
  });
  expect(status).toBe(200);
});

test('a server without a push service says so, after the parameters were looked at', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const { status, body } = await server.post(mel, REGISTER, DEVICE);
  expect([status, body]).toEqual([
    400,
    {
      result: 'error',
      code: 'PUSH_SERVICE_NOT_CONFIGURED',
      msg: 'Server is not configured to use push notification service.',
    },
  ]);
  const wrong = await server.post(mel, REGISTER, { ...DEVICE, token_kind: 'x' });
  expect(wrong.body.code).toBe('BAD_REQUEST');
});

test('bots have no devices', async () => {
  const server = await startServer(CONFIGURED);
  const { status, body } = await server.post(server.people.bot, REGISTER, DEVICE);
  expect([status, body.code, body.msg]).toEqual([
    400,
    'BAD_REQUEST',
    'This endpoint does not accept bot requests.',
  ]);
});

test('an account has so many devices and not one more', async () => {
  const server = await startServer(CONFIGURED);
  const { mel } = server.people;
  for (let id = 1; id <= PUSH_DEVICES_PER_USER_MAX; id++) {
    const reply = await server.post(mel, REGISTER, { ...DEVICE, push_account_id: id });
    expect(reply.status).toBe(200);
  }
  const { status, body } = await server.post(mel, REGISTER, { ...DEVICE, push_account_id: 1_000 });
  expect([status, body.code, body.msg]).toEqual([
    400,
    'BAD_REQUEST',
    `An account has at most ${PUSH_DEVICES_PER_USER_MAX} push devices.`,
  ]);
  const again = { ...DEVICE, push_account_id: 1, bouncer_public_key: 'newer' };
  expect((await server.post(mel, REGISTER, again)).status).toBe(200);
});

test('devices that failed make room for others, up to a bound of their own', async () => {
  const server = await startServer(CONFIGURED);
  const { mel } = server.people;
  await server.post(mel, REGISTER, DEVICE);
  const fill = (count: number) =>
    server.perform((tx) => {
      const row = tx.pushDevices.get([mel.id, '2408']) ?? expect.fail('it is registered');
      const failed = { ...row, status: 'failed', errorCode: 'BAD_REQUEST' } as const;
      for (let id = 1; id <= count; id++) tx.pushDevices.put([mel.id, `${10_000 + id}`], failed);
    });
  await fill(PUSH_DEVICES_KNOWN_PER_USER_MAX - 2);
  const last = await server.post(mel, REGISTER, { ...DEVICE, push_account_id: 1 });
  expect(last.status).toBe(200);
  const { body } = await server.post(mel, REGISTER, { ...DEVICE, push_account_id: 2 });
  expect([body.code, body.msg]).toEqual([
    'BAD_REQUEST',
    `An account has at most ${PUSH_DEVICES_PER_USER_MAX} push devices.`,
  ]);
  const again = await server.post(mel, REGISTER, { ...DEVICE, push_account_id: 10_001 });
  expect(again.status).toBe(200);
});

test.each([
  { options: CONFIGURED, isEnabled: true },
  { options: {}, isEnabled: false },
])('whether there are pushes is told to everyone: $isEnabled', async ({ options, isEnabled }) => {
  const server = await startServer(options);
  const { body } = await server.get(null, '/server_settings');
  expect(body.push_notifications_enabled).toBe(isEnabled);
  const { state } = await server.register(server.people.mel);
  expect(state.realm_push_notifications_enabled).toBe(isEnabled);
});
