import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  BOT_CONFIG_KEYS_MAX,
  WEBHOOK_AGE_SECONDS_MAX,
  WEBHOOK_SECRET_LENGTH_MAX,
  WEBHOOK_SIGNATURES_MAX,
} from '../../../src/domain/limits/bots.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';
import { makeSender, newest, post } from '../../support/webhooks/deliveries.ts';

const SECRET = 'it is a secret';
const BODY = JSON.stringify({ build: 7, text: 'ü' });
const query = { stream: 'general', topic: 'builds' };

async function withSecret(secret = SECRET) {
  const server = await startServer({ channels: ['general'] });
  const { mel, ona } = server.people;
  const bot = await makeSender(server, mel);
  const set = (value: string) =>
    server.patch(mel, `/bots/${bot.id}`, { config_data: { webhook_secret: value } });
  expect((await set(secret)).body.result).toBe('success');
  return { server, bot, mel, ona, set };
}

const hmac = (body: string | Buffer, key: string | Buffer = SECRET) =>
  createHmac('sha256', key).update(body);
const hub = (body: string | Buffer, key?: string) => ({
  'X-Hub-Signature-256': `sha256=${hmac(body, key).digest('hex')}`,
});

const json = (
  server: TestServer,
  bot: Person,
  { headers = {}, body = BODY }: { headers?: Record<string, string>; body?: string } = {},
) => post(server, 'json', bot, { query, headers, payload: body });

const unauthorized = (msg: string | RegExp) => ({
  status: 401,
  body: {
    result: 'error',
    code: 'UNAUTHORIZED',
    msg: typeof msg === 'string' ? msg : expect.stringMatching(msg),
  },
});
const WRONG = unauthorized('The signature of the request is not that of the webhook secret');
const MISSING = unauthorized(
  'This webhook has a secret, and the request has no signature: X-Hub-Signature-256, X-Gitlab-Token, Webhook-Signature',
);

test('what is signed with the secret of the bot is posted', async () => {
  const { server, bot, ona } = await withSecret();
  expect((await json(server, bot, { headers: hub(BODY) })).body).toEqual({
    result: 'success',
    msg: '',
    ok: true,
  });
  expect((await newest(server, ona)).content).toContain('"build": 7');
  const upper = { 'X-Hub-Signature-256': `sha256=${hmac(BODY).digest('hex').toUpperCase()}` };
  expect((await json(server, bot, { headers: upper })).status).toBe(200);
});

const digest = hmac(BODY).digest('hex');

test.each([
  { why: 'is missing', headers: {}, expected: MISSING },
  { why: 'is of another secret', headers: hub(BODY, 'another'), expected: WRONG },
  { why: 'is of another body', headers: hub(`${BODY} `), expected: WRONG },
  { why: 'is empty', headers: { 'X-Hub-Signature-256': '' }, expected: WRONG },
  { why: 'has no scheme', headers: { 'X-Hub-Signature-256': digest }, expected: WRONG },
  {
    why: 'is of another scheme',
    headers: { 'X-Hub-Signature-256': `sha1=${digest}` },
    expected: WRONG,
  },
  {
    why: 'is too short',
    headers: { 'X-Hub-Signature-256': `sha256=${digest.slice(2)}` },
    expected: WRONG,
  },
  {
    why: 'is too long',
    headers: { 'X-Hub-Signature-256': `sha256=${digest}00` },
    expected: WRONG,
  },
  {
    why: 'is no number',
    headers: { 'X-Hub-Signature-256': `sha256=${'z'.repeat(64)}` },
    expected: WRONG,
  },
  { why: 'is no token', headers: { 'X-Gitlab-Token': `${SECRET}.` }, expected: WRONG },
  { why: 'is an empty token', headers: { 'X-Gitlab-Token': '' }, expected: WRONG },
])('nothing is posted when the signature $why', async ({ headers, expected }) => {
  const { server, bot, ona } = await withSecret();
  const { status, body, headers: answered } = await json(server, bot, { headers });
  expect({ status, body }).toEqual(expected);
  expect(answered['www-authenticate']).toMatch(/^Basic realm=/);
  expect(await newest(server, ona)).toBeUndefined();
  expect(server.bugs).toEqual([]);
});

test('a body of which one byte has changed is refused, whichever byte it is', async () => {
  const { server, bot, ona } = await withSecret();
  const headers = { 'content-type': 'application/json', ...hub(BODY) };
  const bytes = Buffer.from(BODY);
  const replies = await Promise.all(
    Array.from(bytes, (byte, at) => {
      const body = Buffer.from(bytes);
      body[at] = byte ^ 1;
      const path = `/external/json?api_key=${bot.apiKey}&stream=general`;
      return server.request('POST', path, { headers, body });
    }),
  );
  expect(replies.map(({ status }) => status)).toEqual(Array.from(bytes, () => 401));
  expect(await newest(server, ona)).toBeUndefined();
});

test('a form is signed as it comes', async () => {
  const { server, bot, ona } = await withSecret();
  const body = new URLSearchParams({ payload: '{"a": "b&c ü"}' }).toString();
  const send = (signature: Record<string, string>) =>
    server.request('POST', `/external/json?api_key=${bot.apiKey}&stream=general`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...signature },
      body,
    });
  expect(await send(hub('{"a": "b&c ü"}'))).toMatchObject(WRONG);
  expect((await send(hub(body))).status).toBe(200);
  expect((await newest(server, ona)).content).toContain('b&c ü');
});

test('GitLab sends the secret itself', async () => {
  const { server, bot, ona } = await withSecret('token');
  const headers = { 'X-Gitlab-Token': 'token', 'X-Gitlab-Event': 'Tag Push Hook' };
  const payload = { object_kind: 'tag_push', ref: 'refs/tags/v1', project: { name: 'tea' } };
  const reply = await post(server, 'gitlab', bot, { query, headers, payload });
  expect(reply.status).toBe(200);
  expect((await newest(server, ona)).content).toBe('**Somebody** pushed tag `v1` of tea.');
});

const KEY = Buffer.from('0123456789abcdef0123456789abcdef');

async function withStandard(secret = `whsec_${KEY.toString('base64')}`) {
  const { server, bot } = await withSecret(secret);
  const seconds = await server.perform((tx) => Math.floor(tx.now / 1000));
  const signed = (
    timestamp: number | string = seconds,
    { id = 'msg_1', key = KEY }: { id?: string; key?: Buffer } = {},
  ) => ({
    'Webhook-Id': id,
    'Webhook-Timestamp': String(timestamp),
    'Webhook-Signature': `v1,${hmac(`${id}.${timestamp}.${BODY}`, key).digest('base64')}`,
  });
  return { server, bot, seconds, signed };
}

test('a signature by Standard Webhooks is one of id, time and body', async () => {
  const { server, bot, seconds, signed } = await withStandard();
  const right = signed();
  const attempts: [expected: number, headers: Record<string, string>][] = [
    [200, right],
    [200, signed(seconds - WEBHOOK_AGE_SECONDS_MAX)],
    [200, signed(seconds + WEBHOOK_AGE_SECONDS_MAX)],
    [401, signed(seconds - WEBHOOK_AGE_SECONDS_MAX - 1)],
    [401, signed(seconds + WEBHOOK_AGE_SECONDS_MAX + 1)],
    [401, signed('')],
    [401, signed('now')],
    [401, signed('9'.repeat(13))],
    [401, signed(seconds, { id: '' })],
    [401, signed(seconds, { key: Buffer.from('another') })],
    [401, { ...right, 'Webhook-Id': 'msg_2' }],
    [401, { ...right, 'Webhook-Timestamp': String(seconds + 1) }],
    [401, { ...right, 'Webhook-Signature': right['Webhook-Signature'].replace('v1,', 'v1a,') }],
    [401, { ...right, 'Webhook-Signature': 'v1,' }],
    [200, { ...right, 'Webhook-Signature': `v1,AAAA v2,x ${right['Webhook-Signature']}` }],
    [
      401,
      {
        ...right,
        'Webhook-Signature': 'v1,AAAA '.repeat(WEBHOOK_SIGNATURES_MAX) + right['Webhook-Signature'],
      },
    ],
  ];
  for (const [expected, headers] of attempts) {
    const { status } = await json(server, bot, { headers });
    expect({ status, headers }).toEqual({ status: expected, headers });
  }
  expect(server.bugs).toEqual([]);
});

test('a secret that is no key in base64 is the key as it is', async () => {
  const { server, bot, seconds, signed } = await withStandard('plain');
  const headers = signed(seconds, { key: Buffer.from('plain') });
  expect((await json(server, bot, { headers })).status).toBe(200);
});

test('what no service signs cannot be posted by the URL of a bot with a secret', async () => {
  const { server, bot } = await withSecret();
  const payload = { text: 'hi' };
  expect(await post(server, 'slack_incoming', bot, { query, payload })).toMatchObject(MISSING);
});

test('a bot with a secret sends nothing by its key alone', async () => {
  const { server, bot, set, ona } = await withSecret('');
  const message = { type: 'channel', to: 'general', topic: 'tea', content: 'hi' };
  expect((await server.post(bot, '/messages', message)).status).toBe(200);
  await set(SECRET);
  expect(await server.post(bot, '/messages', { ...message, content: 'ho' })).toMatchObject(
    unauthorized('This bot has a webhook secret: it sends by signed webhooks alone.'),
  );
  expect((await newest(server, ona)).content).toBe('hi');
  await set('');
  expect((await server.post(bot, '/messages', message)).status).toBe(200);
  expect((await json(server, bot)).status).toBe(200);
});

test('a secret is set with the bot, changed, and told to nobody', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, ona } = server.people;
  const { body: made } = await server.post(mel, '/bots', {
    full_name: 'Herald',
    short_name: 'herald',
    bot_type: 2,
    config_data: { webhook_secret: SECRET },
  });
  const bot: Person = {
    id: made.user_id,
    email: 'herald-bot@test.localhost',
    fullName: 'Herald',
    apiKey: made.api_key,
  };
  expect((await json(server, bot)).status).toBe(401);
  expect((await json(server, bot, { headers: hub(BODY) })).status).toBe(200);
  const queue = await server.register(ona, { event_types: ['realm_bot', 'realm_user'] });
  const changed = await server.patch(ona, `/bots/${bot.id}`, {
    config_data: { webhook_secret: 'other' },
  });
  expect(changed.body).not.toHaveProperty('config_data');
  expect(await queue.now()).toEqual([]);
  expect((await json(server, bot, { headers: hub(BODY) })).status).toBe(401);
  expect((await json(server, bot, { headers: hub(BODY, 'other') })).status).toBe(200);
  for (const reply of [
    await server.post(ona, '/register', {}),
    await server.get(mel, '/bots'),
    await server.get(ona, `/users/${bot.id}`),
  ]) {
    expect(JSON.stringify(reply.body)).not.toContain('"other"');
  }
  await server.patch(ona, `/bots/${bot.id}`, { full_name: 'Crier' });
  expect((await json(server, bot)).status).toBe(401);
});

const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, '']));

test.each([
  { why: 'unknown keys', config: { other: 'x' }, msg: /no 'other' in its config_data/ },
  {
    why: 'a secret too long',
    config: { webhook_secret: 'x'.repeat(WEBHOOK_SECRET_LENGTH_MAX + 1) },
    msg: /webhook_secret is too long/,
  },
  { why: 'a secret with a NUL', config: { webhook_secret: 'a\0' }, msg: /Invalid character/ },
  { why: 'another type', config: { webhook_secret: 7 }, msg: /is not a string/ },
  { why: 'a list', config: [], msg: /is not a dict/ },
  { why: 'too many keys', config: keys(BOT_CONFIG_KEYS_MAX + 1), msg: /has more than/ },
  { why: 'no JSON', config: 'x', msg: /not valid JSON/ },
])('config_data is refused with $why, and changes nothing', async ({ config, msg }) => {
  const { server, bot, mel } = await withSecret();
  const refused = {
    status: 400,
    body: { code: 'BAD_REQUEST', msg: expect.stringMatching(msg) },
  };
  const change = { config_data: config, full_name: 'Changed' };
  expect(await server.patch(mel, `/bots/${bot.id}`, change)).toMatchObject(refused);
  const another = { full_name: 'Bee', short_name: 'bee', bot_type: 2, config_data: config };
  expect(await server.post(mel, '/bots', another)).toMatchObject(refused);
  expect((await json(server, bot, { headers: hub(BODY) })).status).toBe(200);
  expect((await server.get(mel, `/users/${bot.id}`)).body.user.full_name).toBe('The herald');
});

test('a secret may be so long, and only bots that do nothing but send have one', async () => {
  const { server, bot, mel, set } = await withSecret();
  const long = 'x'.repeat(WEBHOOK_SECRET_LENGTH_MAX);
  expect((await set(long)).status).toBe(200);
  expect((await json(server, bot, { headers: hub(BODY, long) })).status).toBe(200);
  const generic = { full_name: 'Bee', short_name: 'bee' };
  const config = { config_data: { webhook_secret: 'x' } };
  expect(await server.post(mel, '/bots', { ...generic, ...config })).toMatchObject({
    status: 400,
    body: { msg: "A bot of this type has no 'webhook_secret' in its config_data" },
  });
  expect((await server.post(mel, '/bots', { ...generic, config_data: {} })).status).toBe(200);
});

test('a secret outlasts a new key, and is nobody else’s', async () => {
  const { server, bot, mel } = await withSecret();
  const { body } = await server.post(mel, `/bots/${bot.id}/api_key/regenerate`);
  const renewed = { ...bot, apiKey: body.api_key };
  expect(await json(server, renewed)).toMatchObject(MISSING);
  expect((await json(server, renewed, { headers: hub(BODY) })).status).toBe(200);
  const other = await makeSender(server, mel, 'other');
  expect((await json(server, other)).status).toBe(200);
  expect((await json(server, other, { headers: hub(BODY, 'any') })).status).toBe(200);
});
