import { expect, test } from 'vitest';
import {
  accepts,
  DEVICE,
  DEVICE_TOLD,
  REALM_TOLD,
  settle,
  withDevice,
} from '../../support/notifications/pushing.ts';
import { startServer } from '../../support/start-server.ts';

const E2EE = '/mobile_push/e2ee/test_notification';
const BARE = '/mobile_push/test_notification';
const BOTH = [E2EE, BARE];

test.each([{}, { push_account_id: DEVICE.push_account_id }])(
  'a registered device shows an encrypted test notification: %o',
  async (params) => {
    const { as: mel, ...pushing } = await withDevice();
    const { server } = pushing;
    await server.post(mel, '/users/me/android_gcm_reg_id', { token: 'bare' });
    const { status, body } = await server.post(mel, E2EE, params);
    expect([status, body]).toEqual([200, { result: 'success', msg: '' }]);
    const time = Math.floor(server.clock.now() / 1000);
    const notice = { ...REALM_TOLD, type: 'test', user_id: mel.id, time };
    expect((await settle(pushing)).told).toEqual([
      { realm_url: REALM_TOLD.realm_url, devices: [{ ...DEVICE_TOLD, notice }], tokens: [] },
    ]);
  },
);

test.each([
  { params: {}, shown: ['one', 'two'] },
  { params: { token: 'two' }, shown: ['two'] },
])('devices registered by a token show a test notification: $shown', async ({ params, shown }) => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  for (const token of ['one', 'two']) {
    await server.post(mel, '/users/me/android_gcm_reg_id', { token });
  }
  const { status, body } = await server.post(mel, BARE, params);
  expect([status, body]).toEqual([200, { result: 'success', msg: '' }]);
  const time = Math.floor(server.clock.now() / 1000);
  const notice = { ...REALM_TOLD, type: 'test', user_id: mel.id, time };
  const { told } = await settle(pushing);
  const tokens = told.flatMap((call) => call.tokens);
  expect(tokens).toHaveLength(shown.length);
  for (const token of shown) {
    expect(tokens).toContainEqual({ token, token_kind: 'fcm', priority: 'high', notice });
  }
  expect(told.flatMap(({ devices }) => devices)).toEqual([]);
});

test.each([
  { path: E2EE, params: {} },
  { path: E2EE, params: { push_account_id: 7 } },
  { path: E2EE, params: { push_account_id: DEVICE.push_account_id } },
  { path: BARE, params: {} },
  { path: BARE, params: { token: 'bare' } },
  { path: BARE, params: { token: '' } },
])('a device of nobody, or of somebody else, is not known: $path $params', async (request) => {
  const { as: mel, ...pushing } = await withDevice();
  const { server } = pushing;
  const { max } = server.people;
  await server.post(mel, '/users/me/android_gcm_reg_id', { token: 'bare' });
  const { status, body } = await server.post(max, request.path, request.params);
  expect([status, body]).toEqual([
    400,
    { result: 'error', code: 'INVALID_PUSH_DEVICE_TOKEN', msg: 'Device not recognized' },
  ]);
  expect((await settle(pushing)).told).toEqual([]);
});

test('a device that failed shows nothing', async () => {
  const { as: mel, server } = await withDevice((count) =>
    count === 1 ? { status: 400, body: '{"code":"BAD_REQUEST"}' } : accepts(),
  );
  expect((await server.post(mel, E2EE, {})).body.code).toBe('INVALID_PUSH_DEVICE_TOKEN');
});

test.each(BOTH)('a server without a push service says so: %s', async (path) => {
  const server = await startServer();
  const { mel } = server.people;
  await server.post(mel, '/users/me/android_gcm_reg_id', { token: 'bare' });
  const { status, body } = await server.post(mel, path);
  expect([status, body]).toEqual([
    400,
    {
      result: 'error',
      code: 'PUSH_SERVICE_NOT_CONFIGURED',
      msg: 'Server is not configured to use push notification service.',
    },
  ]);
});

test('the id of a device is an integer of 64 bits', async () => {
  const { as: mel, server } = await withDevice();
  for (const push_account_id of ['x', '1.5', '9223372036854775808', '']) {
    const { status, body } = await server.post(mel, E2EE, { push_account_id });
    expect([status, body]).toEqual([
      400,
      {
        result: 'error',
        code: 'BAD_REQUEST',
        msg: 'push_account_id is not an integer of 64 bits',
      },
    ]);
  }
});

test.each(BOTH)('bots have no devices: %s', async (path) => {
  const { server } = await withDevice();
  const { status, body } = await server.post(server.people.bot, path);
  expect([status, body]).toMatchObject([
    400,
    { code: 'BAD_REQUEST', msg: 'This endpoint does not accept bot requests.' },
  ]);
});
