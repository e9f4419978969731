import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import {
  EVENT_FILTERS_MAX,
  EVENT_NAME_LENGTH_MAX,
  MESSAGE_LENGTH_MAX,
  PAYLOAD_BYTES_MAX,
  PAYLOAD_DEPTH_MAX,
} from '../../../src/domain/limits.ts';
import { systemGroupId } from '../../../src/domain/system-groups.ts';
import { basic } from '../../support/client.ts';
import { makeSender, newest, post } from '../../support/deliveries.ts';
import { expectExactAfter } from '../../support/follow.ts';
import { startServer } from '../../support/start-server.ts';

const IN_GENERAL = { stream: 'general', topic: 'builds' };

async function withSender() {
  const server = await startServer({ channels: ['general'] });
  const bot = await makeSender(server, server.people.mel);
  return { server, ...server.people, bot };
}

test('what a service posts is a message of the bot whose key is in the URL', async () => {
  const { server, bot, ona, mel } = await withSender();
  const queue = await server.register(mel, { event_types: ['message'], apply_markdown: false });
  const { status, body } = await post(server, 'json', bot, {
    query: IN_GENERAL,
    payload: { build: 7, ok: true },
  });
  expect({ status, body }).toEqual({ status: 200, body: { result: 'success', msg: '', ok: true } });
  const [event] = await queue.now();
  expect(event).toMatchObject({
    type: 'message',
    flags: [],
    message: {
      sender_id: bot.id,
      client: 'JSONWebhook',
      type: 'stream',
      display_recipient: 'general',
      subject: 'builds',
      content: '```json\n{\n  "build": 7,\n  "ok": true\n}\n```',
    },
  });
  expect((await newest(server, ona)).sender_id).toBe(bot.id);
});

test('a snapshot and the events of what a service posts agree', async () => {
  const { server, bot } = await withSender();
  await expectExactAfter(server, async () => {
    expect((await post(server, 'json', bot, { query: IN_GENERAL, payload: 1 })).status).toBe(200);
    expect((await post(server, 'json', bot, { payload: 2 })).status).toBe(200);
  });
});

test('without a stream it is a direct message to the owner of the bot', async () => {
  const { server, bot, mel } = await withSender();
  const { body } = await post(server, 'json', bot, { query: { topic: 'x' }, payload: [] });
  expect(body.result).toBe('success');
  const message = await newest(server, mel);
  expect(message).toMatchObject({
    type: 'private',
    sender_id: bot.id,
    content: '```json\n[]\n```',
  });
  expect(message.display_recipient.map(({ id }: { id: number }) => id).sort()).toEqual(
    [mel.id, bot.id].sort(),
  );
});

test('a bot whose owner is gone has to be told a stream', async () => {
  const { server, bot, mel } = await withSender();
  await server.perform((tx) => {
    const owner = tx.users.get([mel.id]);
    if (owner !== undefined) tx.users.put([mel.id], { ...owner, isActive: false });
  });
  const { status, body } = await post(server, 'json', bot, { payload: 1 });
  expect({ status, body }).toEqual({
    status: 400,
    body: {
      result: 'error',
      code: 'BAD_REQUEST',
      msg: 'The bot belongs to nobody who is active: the URL has to name a stream',
    },
  });
  expect((await post(server, 'json', bot, { query: IN_GENERAL, payload: 1 })).status).toBe(200);
});

test.each([
  ['an id', (id: number) => String(id)],
  ['a name that is escaped twice', () => '%67eneral'],
])('the stream can be %s', async (_, streamOf) => {
  const { server, bot, ona } = await withSender();
  const { body } = await server.get(ona, '/get_stream_id', { stream: 'general' });
  const query = { stream: streamOf(body.stream_id), topic: 'a%20b' };
  expect((await post(server, 'json', bot, { query, payload: 1 })).status).toBe(200);
  expect(await newest(server, ona)).toMatchObject({ display_recipient: 'general', subject: 'a b' });
});

test('a topic that is too long is cut, and one that nobody can see is made one', async () => {
  const { server, bot, ona } = await withSender();
  const topic = `\n${'x'.repeat(70)}\0`;
  await post(server, 'json', bot, { query: { ...IN_GENERAL, topic }, payload: 1 });
  expect((await newest(server, ona)).subject).toBe(`${'x'.repeat(57)}...`);
  await post(server, 'json', bot, { query: { ...IN_GENERAL, topic: 'a\nb' }, payload: 1 });
  expect((await newest(server, ona)).subject).toBe('a b');
});

test('the payload may be a field of a form, too', async () => {
  const { server, bot, ona } = await withSender();
  const { status } = await server.request(
    'POST',
    `/external/json?api_key=${bot.apiKey}&stream=general`,
    {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ payload: '{"a": "b&c"}' }).toString(),
    },
  );
  expect(status).toBe(200);
  expect(await newest(server, ona)).toMatchObject({
    subject: 'JSON',
    content: '```json\n{\n  "a": "b&c"\n}\n```',
  });
});

test('a repeat with the same Idempotency-Key sends nothing', async () => {
  const { server, bot, ona } = await withSender();
  const headers = { 'idempotency-key': 'one' };
  await post(server, 'json', bot, { query: IN_GENERAL, headers, payload: 1 });
  const { id } = await newest(server, ona);
  const again = await post(server, 'json', bot, { query: IN_GENERAL, headers, payload: 1 });
  expect(again.body).toEqual({ result: 'success', msg: '', ok: true });
  expect((await newest(server, ona)).id).toBe(id);
});

test('a payload mentions nobody and stays in its block', async () => {
  const { server, bot, mel, ona } = await withSender();
  const payload = '@**all** @**Test mel**\n```\n@**all**\n@*role:everyone*';
  const queue = await server.register(mel, { event_types: ['message'] });
  await post(server, 'json', bot, { query: IN_GENERAL, payload: JSON.stringify(payload) });
  expect((await queue.now()).map(({ flags }) => flags)).toEqual([[]]);
  const { body } = await server.get(ona, '/messages', {
    anchor: 'newest',
    num_before: 1,
    num_after: 0,
  });
  expect(body.messages[0].content).not.toContain('mention');
  expect(body.messages[0].content).toMatch(/^<div class="codehilite"[\s\S]*<\/pre><\/div>$/);
});

test('a long payload is cut to a message', async () => {
  const { server, bot, ona } = await withSender();
  const payload = '`'.repeat(MESSAGE_LENGTH_MAX * 3);
  expect(
    (await post(server, 'json', bot, { query: IN_GENERAL, payload: JSON.stringify(payload) }))
      .status,
  ).toBe(200);
  const { content } = await newest(server, ona);
  expect([...content].length).toBeLessThanOrEqual(MESSAGE_LENGTH_MAX);
  expect(content).toMatch(/…\n`{11}$/);
});

test('a generic bot has such a URL; a person and a bot that calls others have none', async () => {
  const { server, bot, ona, mel } = await withSender();
  const generic = server.people.bot;
  expect((await post(server, 'json', generic, { query: IN_GENERAL, payload: 1 })).status).toBe(200);
  const [line] = await runCommand(server.app.realms, 'bot create', {
    realm: 'test',
    email: 'caller@example.com',
    name: 'Caller',
    owner: 'ona@example.com',
    type: 'outgoing-webhook',
    'payload-url': 'https://a.example',
  });
  const { user_id: id, api_key: apiKey } = line as { user_id: number; api_key: string };
  for (const one of [mel, ona, { ...bot, id, apiKey }]) {
    const { status, body } = await post(server, 'json', one, { query: IN_GENERAL, payload: 1 });
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        result: 'error',
        code: 'BAD_REQUEST',
        msg: 'Only incoming webhook bots and generic bots have such a URL.',
      },
    });
  }
});

test.each([
  { why: 'no key', query: {}, status: 400, code: 'REQUEST_VARIABLE_MISSING', var_name: 'api_key' },
  { why: 'an unknown key', query: { api_key: 'x' }, status: 401, code: 'INVALID_API_KEY' },
])('is refused with $why', async ({ query, status, code, ...extra }) => {
  const { server, bot, ona } = await withSender();
  const { why: _, ...fields } = extra;
  const reply = await server.request('POST', `/external/json?${new URLSearchParams(query)}`, {
    // Other credentials than those in the URL mean nothing here.
    headers: { 'content-type': 'application/json', authorization: basic(bot) },
    body: '1',
  });
  expect(reply.status).toBe(status);
  expect(reply.body).toEqual({ result: 'error', msg: expect.any(String), code, ...fields });
  expect(await newest(server, ona)).toBeUndefined();
});

test('accounts and organizations that are deactivated are told so', async () => {
  const { server, bot } = await withSender();
  const other = await makeSender(server, server.people.mel, 'other');
  await server.perform((tx) => {
    const user = tx.users.get([bot.id]);
    if (user !== undefined) tx.users.put([bot.id], { ...user, isActive: false });
  });
  expect(await post(server, 'json', bot, { payload: 1 })).toMatchObject({
    status: 401,
    body: { result: 'error', code: 'USER_DEACTIVATED', msg: 'Account is deactivated' },
  });
  await server.perform((tx) => {
    const realm = tx.realm.get(['realm']);
    if (realm !== undefined) tx.realm.put(['realm'], { ...realm, isActive: false });
  });
  expect(await post(server, 'json', other, { payload: 1 })).toMatchObject({
    status: 401,
    body: {
      result: 'error',
      code: 'REALM_DEACTIVATED',
      msg: 'This organization has been deactivated',
    },
  });
});

const filters = (count: number) => Array.from({ length: count }, (_, at) => `e${at}`);
const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

test.each([
  {
    why: 'the channel does not exist',
    query: { stream: 'nowhere' },
    expected: {
      code: 'STREAM_DOES_NOT_EXIST',
      stream: 'nowhere',
      msg: "Channel 'nowhere' does not exist",
    },
  },
  {
    why: 'there is no such integration',
    integration: 'elsewhere',
    expected: { code: 'BAD_REQUEST', msg: 'integration is invalid' },
  },
  {
    why: 'there is no payload',
    payload: undefined,
    expected: {
      code: 'REQUEST_VARIABLE_MISSING',
      var_name: 'payload',
      msg: "Missing 'payload' argument",
    },
  },
  {
    why: 'the payload is no JSON',
    payload: '{"a":',
    expected: { code: 'INVALID_JSON', msg: 'Malformed JSON' },
  },
  {
    why: 'the payload is not UTF-8',
    payload: Buffer.from([0x22, 0xff, 0x22]),
    expected: { code: 'BAD_REQUEST', msg: 'The request is not valid UTF-8' },
  },
  {
    why: 'the payload is too deep',
    payload: deep(PAYLOAD_DEPTH_MAX + 1),
    expected: {
      code: 'BAD_REQUEST',
      msg: `The payload is nested deeper than ${PAYLOAD_DEPTH_MAX} levels`,
    },
  },
  {
    why: 'it is far too deep',
    payload: deep(1_000_000),
    expected: {
      code: 'BAD_REQUEST',
      msg: `The payload is nested deeper than ${PAYLOAD_DEPTH_MAX} levels`,
    },
  },
  {
    why: 'the payload is too large',
    payload: `"${'x'.repeat(PAYLOAD_BYTES_MAX - 1)}"`,
    status: 413,
    expected: {
      code: 'PAYLOAD_TOO_LARGE',
      msg: `The request body is larger than ${PAYLOAD_BYTES_MAX} bytes`,
    },
  },
  {
    why: 'a filter is no list',
    query: { only_events: 'push' },
    expected: { code: 'BAD_REQUEST', msg: 'only_events is not valid JSON' },
  },
  {
    why: 'a filter is a list of something else',
    query: { exclude_events: [1] },
    expected: { code: 'BAD_REQUEST', msg: 'exclude_events[0] is not a string' },
  },
  {
    why: 'a filter is too long',
    query: { only_events: filters(EVENT_FILTERS_MAX + 1) },
    expected: {
      code: 'BAD_REQUEST',
      msg: `only_events has more than ${EVENT_FILTERS_MAX} items`,
    },
  },
  {
    why: 'a pattern is too long',
    query: { only_events: ['x'.repeat(EVENT_NAME_LENGTH_MAX + 1)] },
    expected: {
      code: 'BAD_REQUEST',
      msg: `only_events[0] is too long (limit: ${EVENT_NAME_LENGTH_MAX} characters)`,
    },
  },
])('sends nothing and says why: $why', async (given) => {
  const { server, bot, ona } = await withSender();
  const { query = {}, integration = 'json', status = 400, expected } = given;
  const payload = 'payload' in given ? given.payload : '1';
  const reply = Buffer.isBuffer(payload)
    ? await server.request('POST', `/external/json?api_key=${bot.apiKey}`, {
        headers: { 'content-type': 'application/json' },
        body: payload,
      })
    : await post(server, integration, bot, { query: { ...IN_GENERAL, ...query }, payload });
  expect(reply.status).toBe(status);
  expect(reply.body).toEqual({ result: 'error', ...expected });
  expect(await newest(server, ona)).toBeUndefined();
  expect(server.bugs).toEqual([]);
});

test.each([
  ['as deep as it may be', { payload: deep(PAYLOAD_DEPTH_MAX) }],
  ['as large as it may be', { payload: `"${'x'.repeat(PAYLOAD_BYTES_MAX - 2)}"` }],
  ['with as many filters', { payload: '1', query: { exclude_events: filters(EVENT_FILTERS_MAX) } }],
])('takes a payload %s', async (_, { payload, ...rest }) => {
  const { server, bot } = await withSender();
  const query = { ...IN_GENERAL, ...('query' in rest ? rest.query : {}) };
  expect((await post(server, 'json', bot, { query, payload })).body.result).toBe('success');
});

test('a bot that only sends sends, and does nothing else', async () => {
  const { server, bot } = await withSender();
  const message = { type: 'channel', to: 'general', topic: 'tea', content: 'hi' };
  expect((await server.post(bot, '/messages', message)).status).toBe(200);
  const refused = {
    status: 401,
    body: {
      result: 'error',
      code: 'UNAUTHORIZED',
      msg: 'This API is not available to incoming webhook bots.',
    },
  };
  expect(await server.get(bot, '/users/me')).toMatchObject(refused);
  expect(await server.post(bot, '/register')).toMatchObject(refused);
  expect(
    await server.get(bot, '/messages', { anchor: 'newest', num_before: 1, num_after: 0 }),
  ).toMatchObject(refused);
  const socket = await server.socket(bot);
  expect(await socket.closed()).toEqual({
    code: 4001,
    reason: 'This API is not available to incoming webhook bots.',
  });
});

test('who may make no other bots may make those that only send, where the organization lets them', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await server.set('can_create_bots_group', systemGroupId('role:administrators'));
  const refused = { status: 400, body: { code: 'BAD_REQUEST', msg: 'Insufficient permission' } };
  const bee = { full_name: 'Bee', short_name: 'bee' };
  expect(await server.post(mel, '/bots', bee)).toMatchObject(refused);
  const sender = await makeSender(server, mel);
  const { body } = await server.get(mel, `/users/${sender.id}`);
  expect(body.user).toMatchObject({ bot_type: 2, is_bot: true, bot_owner_id: mel.id });
  await server.set('can_create_write_only_bots_group', systemGroupId('role:administrators'));
  expect(await server.post(mel, '/bots', { ...bee, bot_type: 2 })).toMatchObject(refused);
});

test('the command line makes a bot that only sends', async () => {
  const server = await startServer({ channels: ['general'] });
  const [line] = await runCommand(server.app.realms, 'bot create', {
    realm: 'test',
    email: 'herald@example.com',
    name: 'Herald',
    owner: 'mel@example.com',
    type: 'incoming-webhook',
  });
  const { user_id: id, api_key: apiKey } = line as { user_id: number; api_key: string };
  const bot = { id, apiKey, email: 'herald@example.com', fullName: 'Herald' };
  expect((await post(server, 'json', bot, { query: IN_GENERAL, payload: 1 })).status).toBe(200);
});

const fixture = (service: string, name: string) => {
  const path = `test/fixtures/webhooks/${service}/${name}`;
  const { payload } = JSON.parse(readFileSync(`${path}.json`, 'utf8'));
  const [topic, ...lines] = readFileSync(`${path}.md`, 'utf8').trimEnd().split('\n');
  return { payload, topic, content: lines.slice(1).join('\n') };
};

test.each([
  ['github', 'push', 'GitHubWebhook', { 'X-GitHub-Event': 'push' }],
  ['gitlab', 'issue-opened', 'GitLabWebhook', {}],
  ['slack_incoming', 'attachments', 'SlackIncomingWebhook', {}],
])('%s: its topic and its message', async (service, name, client, headers) => {
  const { server, bot, ona } = await withSender();
  const { payload, topic, content } = fixture(service, name);
  const query = { stream: 'general' };
  const { body } = await post(server, service, bot, { query, headers, payload });
  expect(body).toEqual({ result: 'success', msg: '', ok: true });
  expect(await newest(server, ona)).toMatchObject({ subject: topic, content, client });
});

test('an event that is filtered out, or of which nothing is said, is a success, and sends nothing', async () => {
  const { server, bot, ona } = await withSender();
  const { payload } = fixture('github', 'push');
  const headers = { 'X-GitHub-Event': 'push' };
  for (const query of [
    { only_events: ['issues'] },
    { exclude_events: ['pu*'] },
    { branches: 'tea, cake' },
  ]) {
    const reply = await post(server, 'github', bot, {
      query: { ...IN_GENERAL, ...query },
      headers,
      payload,
    });
    expect(reply.body).toEqual({ result: 'success', msg: '', ok: true });
  }
  const unknown = { 'X-GitHub-Event': 'unheard_of' };
  const reply = await post(server, 'github', bot, { query: IN_GENERAL, headers: unknown, payload });
  expect({ status: reply.status, body: reply.body }).toEqual({
    status: 200,
    body: {
      result: 'success',
      msg: "The 'unheard_of' event is not supported by the GitHub webhook and was ignored",
      code: 'UNSUPPORTED_WEBHOOK_EVENT_TYPE',
      webhook_name: 'GitHub',
      event_type: 'unheard_of',
    },
  });
  expect(await newest(server, ona)).toBeUndefined();
  const wanted = { ...IN_GENERAL, only_events: ['push'], branches: 'tea, ma*' };
  await post(server, 'github', bot, { query: wanted, headers, payload });
  expect((await newest(server, ona)).subject).toBe('builds');
});

test('without the header that names the event it is refused, as is what is no such payload', async () => {
  const { server, bot, ona } = await withSender();
  const { payload } = fixture('github', 'push');
  const reply = await post(server, 'github', bot, { query: IN_GENERAL, payload });
  expect({ status: reply.status, body: reply.body }).toEqual({
    status: 400,
    body: {
      result: 'error',
      msg: "Missing the HTTP event header 'X-GitHub-Event'",
      code: 'MISSING_HTTP_EVENT_HEADER',
      header: 'X-GitHub-Event',
    },
  });
  const headers = { 'X-GitHub-Event': 'push' };
  const other = await post(server, 'github', bot, { query: IN_GENERAL, headers, payload: {} });
  expect({ status: other.status, body: other.body }).toEqual({
    status: 400,
    body: {
      result: 'error',
      msg: 'This is no payload of the GitHub webhook: ref is missing or has another type',
      code: 'ANOMALOUS_WEBHOOK_PAYLOAD',
      webhook_name: 'GitHub',
    },
  });
  expect(await newest(server, ona)).toBeUndefined();
});

test('what no text can hold is shown as missing', async () => {
  const { server, bot, ona } = await withSender();
  const payload = { text: 'a\0b \ud800', channel: '\udc00' };
  await post(server, 'slack_incoming', bot, { query: { stream: 'general' }, payload });
  expect(await newest(server, ona)).toMatchObject({
    content: 'ab \ufffd',
    subject: 'general chat',
  });
});

test('the snapshot lists the integrations, for those who make URLs', async () => {
  const { server, mel } = await withSender();
  const type = 'realm_incoming_webhook_bots';
  const { state } = await server.register(mel, { fetch_event_types: [type] });
  expect(state[type].map(({ name }: { name: string }) => name)).toEqual([
    'github',
    'gitlab',
    'json',
    'slack_incoming',
  ]);
  expect(state[type][2]).toEqual({
    name: 'json',
    display_name: 'JSON',
    all_event_types: null,
    config_options: [
      {
        key: 'webhook_secret',
        label: 'Secret that the service signs with',
        validator: 'check_string',
      },
    ],
    url_options: [],
  });
  expect(state[type][3]).toMatchObject({ name: 'slack_incoming', config_options: [] });
  expect(state[type][0].all_event_types).toContain('pull_request');
  const branches = {
    key: 'branches',
    label: 'Branches to hear of, with commas between them',
    validator: 'check_string',
  };
  expect(state[type].map((one: { url_options: unknown }) => one.url_options)).toEqual([
    [branches],
    [branches],
    [],
    [],
  ]);
});
