import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  PUSH_APP_ID_LENGTH_MAX,
  PUSH_DEVICES_PER_USER_MAX,
  PUSH_TOKEN_LENGTH_MAX,
} from '../../../src/domain/limits/outbox.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const APNS = '/users/me/apns_device_token';
const FCM = '/users/me/android_gcm_reg_id';
const APP = 'org.example-1.App';
const KINDS = [
  { path: APNS, kind: 'apns', token: 'c0ffee', others: { appid: APP }, appId: APP },
  { path: FCM, kind: 'fcm', token: 'fcm:Token_1-x', others: {}, appId: null },
] as const;

const tokensIn = (server: TestServer) =>
  server.perform((tx) => ({
    tokens: Array.from(tx.pushTokens.range({}), ([[userId, kind], row]) => ({
      userId,
      kind,
      ...row,
    })),
    holders: Array.from(tx.pushHolders.keys({}), ([userId]) => userId),
  }));

test.each(KINDS)('a device is noted by its token, and forgotten: $kind', async (given) => {
  const { path, kind, token, others, appId } = given;
  const server = await startServer();
  const { mel, gus } = server.people;
  for (const person of [mel, mel, gus]) {
    const { status, body } = await server.post(person, path, { token, ...others });
    expect([status, body]).toEqual([200, { result: 'success', msg: '' }]);
  }
  const noted = (userId: number) => ({
    userId,
    kind,
    token,
    appId,
    keys: null,
    registeredAt: expect.any(Number),
  });
  expect(await tokensIn(server)).toEqual({
    tokens: [noted(mel.id), noted(gus.id)],
    holders: [mel.id, gus.id],
  });
  const { status, body } = await server.delete(mel, path, { token });
  expect([status, body]).toEqual([200, { result: 'success', msg: '' }]);
  expect(await tokensIn(server)).toEqual({ tokens: [noted(gus.id)], holders: [gus.id] });
});

test('a device that is noted again is of the program that says so last', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await server.post(mel, APNS, { token: 'c0ffee', appid: 'one' });
  await server.post(mel, APNS, { token: 'c0ffee', appid: 'other' });
  expect((await tokensIn(server)).tokens).toEqual([
    {
      userId: mel.id,
      kind: 'apns',
      token: 'c0ffee',
      appId: 'other',
      keys: null,
      registeredAt: expect.any(Number),
    },
  ]);
});

const LENGTH = 'Empty or invalid length token';
const NONSENSE = [
  { path: APNS, token: '', msg: LENGTH },
  { path: FCM, token: '', msg: LENGTH },
  { path: APNS, token: 'a'.repeat(PUSH_TOKEN_LENGTH_MAX + 2), msg: LENGTH },
  { path: FCM, token: 'a'.repeat(PUSH_TOKEN_LENGTH_MAX + 1), msg: LENGTH },
  ...['xyz!', 'abc', 'c0 ffee', 'é'].map((token) => ({
    path: APNS,
    token,
    msg: 'Invalid APNS token',
  })),
  ...[' ', 'a b', 'a\u0000b', '\ud800', 'é'].map((token) => ({
    path: FCM,
    token,
    msg: 'Invalid FCM token',
  })),
];

test.each(NONSENSE)('what is no token is refused: $msg', async ({ path, token, msg }) => {
  const server = await startServer();
  const { mel } = server.people;
  const replies = [
    await server.post(mel, path, { token, appid: APP }),
    await server.delete(mel, path, { token }),
  ];
  for (const { status, body } of replies) {
    expect([status, body]).toMatchObject([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  }
  expect((await tokensIn(server)).tokens).toEqual([]);
});

test.each(KINDS)('a token of exactly the bound is taken: $kind', async ({ path, others }) => {
  const server = await startServer();
  const token = 'a'.repeat(PUSH_TOKEN_LENGTH_MAX);
  expect((await server.post(server.people.mel, path, { token, ...others })).status).toBe(200);
  expect((await tokensIn(server)).tokens).toMatchObject([{ token }]);
});

test.each(KINDS)('a device needs a token: $kind', async ({ path, others }) => {
  const server = await startServer();
  const { mel } = server.people;
  const replies = [await server.post(mel, path, others), await server.delete(mel, path)];
  for (const { status, body } of replies) {
    expect([status, body.code, body.var_name]).toEqual([400, 'REQUEST_VARIABLE_MISSING', 'token']);
  }
});

test.each(KINDS)(
  'a token that is not known, or is of others, cannot be removed: $kind',
  async ({ path, token, others }) => {
    const server = await startServer();
    const { mel, max } = server.people;
    await server.post(max, path, { token, ...others });
    const { status, body } = await server.delete(mel, path, { token });
    expect([status, body]).toEqual([
      400,
      { result: 'error', code: 'BAD_REQUEST', msg: 'Token does not exist' },
    ]);
    expect((await tokensIn(server)).tokens).toMatchObject([{ userId: max.id }]);
  },
);

test.each([
  { appid: undefined, reply: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'appid' } },
  { appid: '', reply: { code: 'BAD_REQUEST', msg: 'appid has invalid format' } },
  { appid: 'org/example', reply: { code: 'BAD_REQUEST', msg: 'appid has invalid format' } },
  {
    appid: 'a'.repeat(PUSH_APP_ID_LENGTH_MAX + 1),
    reply: { code: 'BAD_REQUEST', msg: 'appid is too long' },
  },
])('an iOS device names its program: $reply', async ({ appid, reply }) => {
  const server = await startServer();
  const params = { token: 'c0ffee', ...(appid === undefined ? {} : { appid }) };
  const { status, body } = await server.post(server.people.mel, APNS, params);
  expect([status, body]).toMatchObject([400, reply]);
  const longest = { token: 'c0ffee', appid: 'a'.repeat(PUSH_APP_ID_LENGTH_MAX) };
  expect((await server.post(server.people.mel, APNS, longest)).status).toBe(200);
});

test.each(KINDS)('bots have no devices: $kind', async ({ path, token, others }) => {
  const server = await startServer();
  const { bot } = server.people;
  for (const method of ['post', 'delete'] as const) {
    const { status, body } = await server[method](bot, path, { token, ...others });
    expect([status, body]).toMatchObject([
      400,
      { code: 'BAD_REQUEST', msg: 'This endpoint does not accept bot requests.' },
    ]);
  }
});

test('an account has so many tokens and not one more', async () => {
  const server = await startServer();
  const { mel } = server.people;
  for (let index = 1; index <= PUSH_DEVICES_PER_USER_MAX; index++) {
    expect((await server.post(mel, FCM, { token: `t${index}` })).status).toBe(200);
  }
  const { status, body } = await server.post(mel, APNS, { token: 'c0ffee', appid: APP });
  expect([status, body.code, body.msg]).toEqual([
    400,
    'BAD_REQUEST',
    `An account has at most ${PUSH_DEVICES_PER_USER_MAX} push devices.`,
  ]);
  expect((await server.post(mel, FCM, { token: 't1' })).status).toBe(200);
});

const BYTES = Buffer.from(Array.from({ length: 32 }, (_, index) => 250 - index));
const HEX = BYTES.toString('hex');
const FORMS = [HEX, HEX.toUpperCase(), BYTES.toString('base64')];

test('a token of APNs is one device in base64 and in digits of either case', async () => {
  const server = await startServer();
  const { mel } = server.people;
  for (const added of FORMS) {
    for (const [index, removed] of FORMS.entries()) {
      const appid = `app${index}`;
      expect((await server.post(mel, APNS, { token: added, appid: APP })).status).toBe(200);
      expect((await server.post(mel, APNS, { token: removed, appid })).status).toBe(200);
      expect((await tokensIn(server)).tokens).toEqual([
        {
          userId: mel.id,
          kind: 'apns',
          token: HEX,
          appId: appid,
          keys: null,
          registeredAt: expect.any(Number),
        },
      ]);
      expect((await server.delete(mel, APNS, { token: removed })).status).toBe(200);
      expect(await tokensIn(server)).toEqual({ tokens: [], holders: [] });
    }
  }
});

test('a token that was stored as it came is that device, whatever the form', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const store = () =>
    server.perform((tx) => {
      const hash = createHash('sha256').update(HEX.toUpperCase()).digest('base64');
      tx.pushTokens.put([mel.id, 'apns', hash], {
        token: HEX.toUpperCase(),
        appId: APP,
        keys: null,
        registeredAt: 0,
      });
    });
  await store();
  expect((await server.post(mel, APNS, { token: FORMS[2], appid: APP })).status).toBe(200);
  expect((await tokensIn(server)).tokens).toMatchObject([{ token: HEX }]);
  expect((await server.delete(mel, APNS, { token: HEX })).status).toBe(200);
  await store();
  expect((await server.delete(mel, APNS, { token: FORMS[2] })).status).toBe(200);
  expect((await tokensIn(server)).tokens).toEqual([]);
});

test.each(['AAAA=', 'AA=A', '====', 'AAA-', 'AAA_', '"AAAA"', 'AAAA\n'])(
  'what is neither base64 nor digits is no token of APNs: %j',
  async (token) => {
    const server = await startServer();
    const reply = await server.post(server.people.mel, APNS, { token, appid: APP });
    expect([reply.status, reply.body.msg]).toEqual([400, 'Invalid APNS token']);
  },
);
