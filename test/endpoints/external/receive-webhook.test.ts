import { expect, test } from 'vitest';
import {
  EVENT_FILTERS_MAX,
  EVENT_NAME_LENGTH_MAX,
  PAYLOAD_BYTES_MAX,
  PAYLOAD_DEPTH_MAX,
} from '../../../src/domain/limits/bots.ts';
import { MESSAGE_LENGTH_MAX } from '../../../src/domain/limits/messages.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import { IN_GENERAL, newest, post, withSender } from '../../support/webhooks/deliveries.ts';

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
    expected: { code: 'BAD_REQUEST', msg: 'Invalid integration' },
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
