import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PAYLOAD_BYTES_MAX } from '../../../src/domain/limits/bots.ts';
import { basic } from '../../support/client.ts';
import { runs } from '../../support/runs.ts';
import { startServer } from '../../support/start-server.ts';
import { makeSender, newest, post } from '../../support/webhooks/deliveries.ts';
import { changedPayloads } from '../../support/webhooks/recorded-webhooks.ts';

const RUNS = runs({ few: 50, all: 150 });

async function withSender() {
  const server = await startServer({ channels: ['general'] });
  const bot = await makeSender(server, server.people.mel);
  const path = (integration: string, query = 'stream=general') =>
    `/external/${integration}?api_key=${bot.apiKey}&${query}`;
  return { server, path, ...server.people, bot };
}

test('whatever a service posts in place of what it should, it is posted or refused, and no fault', async () => {
  const { server, bot, ona } = await withSender();
  const queue = await server.register(ona, { event_types: ['message'] });
  const seed = 20_261_123;
  let told = 0;
  for (const { service, event, payload } of fc.sample(changedPayloads, {
    numRuns: RUNS,
    seed,
  })) {
    const headers = { 'X-GitHub-Event': event };
    const query = { stream: 'general' };
    const { status, body } = await post(server, service, bot, {
      query,
      headers,
      payload: JSON.stringify(payload),
    });
    if (status === 200 && body.code === undefined) told += 1;
    else if (status === 200) expect(body.code).toBe('UNSUPPORTED_WEBHOOK_EVENT_TYPE');
    else {
      expect({ status, code: body.code, seed }).toEqual({
        status: 400,
        code: 'ANOMALOUS_WEBHOOK_PAYLOAD',
        seed,
      });
    }
  }
  const posted = [];
  for (let some = await queue.now(); some.length > 0; some = await queue.now()) {
    posted.push(...some);
  }
  expect(told).toBeGreaterThan(RUNS / 3);
  expect(posted).toHaveLength(told);
  expect(server.bugs).toEqual([]);
});

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'application/vnd.service+json',
  'text/plain',
  'application/octet-stream',
  'nonsense',
])('JSON is read whatever it is called: %s', async (type) => {
  const { server, path, ona } = await withSender();
  const { status } = await server.request('POST', path('json'), {
    headers: { 'content-type': type },
    body: '{"a": 1}',
  });
  expect(status).toBe(200);
  expect((await newest(server, ona)).content).toContain('"a": 1');
});

test('the payload may be a field of a form of several parts', async () => {
  const { server, path, ona } = await withSender();
  const form = new FormData();
  form.set('payload', '{"text": "tea is *ready*"}');
  const encoded = new Response(form);
  const { status, body } = await server.request('POST', path('slack_incoming'), {
    headers: { 'content-type': encoded.headers.get('content-type') ?? '' },
    body: Buffer.from(await encoded.arrayBuffer()),
  });
  expect({ status, body }).toMatchObject({ status: 200, body: { ok: true } });
  expect((await newest(server, ona)).content).toBe('tea is **ready**');
});

const FORM = 'application/x-www-form-urlencoded';

test.each([
  {
    why: 'a form without a payload',
    type: FORM,
    body: 'text=hi',
    code: 'REQUEST_VARIABLE_MISSING',
  },
  { why: 'a form with an empty one', type: FORM, body: 'payload=', code: 'INVALID_JSON' },
  { why: 'a form with no JSON', type: FORM, body: 'payload=hi', code: 'INVALID_JSON' },
  { why: 'no JSON', type: 'application/json', body: 'text=hi', code: 'INVALID_JSON' },
  { why: 'two of them', type: 'application/json', body: '{"text":"a"}{}', code: 'INVALID_JSON' },
  { why: 'a list', type: 'application/json', body: '[1]', code: 'ANOMALOUS_WEBHOOK_PAYLOAD' },
  { why: 'null', type: 'application/json', body: 'null', code: 'ANOMALOUS_WEBHOOK_PAYLOAD' },
  { why: 'a number', type: 'application/json', body: '1', code: 'ANOMALOUS_WEBHOOK_PAYLOAD' },
  { why: 'an empty object', type: 'application/json', body: '{}', code: 'BAD_REQUEST' },
  {
    why: 'nothing but what cannot be seen',
    type: 'application/json',
    body: '{"text": "\\u0000\\u0001 \\n"}',
    code: 'BAD_REQUEST',
  },
])('nothing is posted, and the service is told so: $why', async ({ type, body, code }) => {
  const { server, path, ona } = await withSender();
  const reply = await server.request('POST', path('slack_incoming'), {
    headers: { 'content-type': type },
    body,
  });
  expect({ status: reply.status, code: reply.body.code }).toEqual({ status: 400, code });
  expect(await newest(server, ona)).toBeUndefined();
  expect(server.bugs).toEqual([]);
});

test.each([10, 20])('a body of %d MB is too large, as JSON and as a form', async (megabytes) => {
  const { server, path, ona } = await withSender();
  const text = 'x'.repeat(megabytes * 1_000_000);
  for (const [type, body] of [
    ['application/json', JSON.stringify({ text })],
    [FORM, `payload=${text}`],
  ] as const) {
    const reply = await server.request('POST', path('slack_incoming'), {
      headers: { 'content-type': type },
      body,
    });
    expect({ status: reply.status, body: reply.body }).toEqual({
      status: 413,
      body: {
        result: 'error',
        code: 'PAYLOAD_TOO_LARGE',
        // A form may have each byte percent-encoded. A body that is too long even then is not read.
        msg: expect.stringContaining(
          `larger than ${type === FORM && megabytes > 12 ? 3 * PAYLOAD_BYTES_MAX : PAYLOAD_BYTES_MAX} bytes`,
        ),
      },
    });
  }
  expect(await newest(server, ona)).toBeUndefined();
});

test('a key in the header instead of the URL is none', async () => {
  const { server, bot } = await withSender();
  const reply = await server.request('POST', '/external/json?stream=general', {
    headers: { 'content-type': 'application/json', authorization: basic(bot) },
    body: '1',
  });
  expect(reply).toMatchObject({
    status: 400,
    body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'api_key' },
  });
});

test('the owner of a bot is told that its channel does not exist, and once', async () => {
  const { server, bot, mel } = await withSender();
  const query = { stream: 'nowhere' };
  const queue = await server.register(mel, { event_types: ['message'], apply_markdown: false });
  for (const payload of [1, 2]) {
    const reply = await post(server, 'json', bot, { query, payload });
    expect(reply).toMatchObject({ status: 400, body: { code: 'STREAM_DOES_NOT_EXIST' } });
  }
  const [told] = await queue.next();
  expect(told?.['message']).toMatchObject({
    type: 'private',
    content: `Your bot @_**The herald|${bot.id}** sent a message to a channel that does not exist:\n\`\`\`text\nnowhere\n\`\`\``,
  });
  // A notice about the second message would come before the message that is sent now.
  await post(server, 'json', bot, { query: { stream: 'general' }, payload: 3 });
  expect(await queue.next()).toMatchObject([{ message: { type: 'stream', sender_id: bot.id } }]);
});

test('what is posted to a channel that is archived, or that the bot may not send to, is refused', async () => {
  const { server, bot, ona } = await withSender();
  const { body } = await server.get(ona, '/get_stream_id', { stream: 'general' });
  const query = { stream: 'general', topic: 'builds' };
  const nobody = {
    can_send_message_group: { new: { direct_members: [ona.id], direct_subgroups: [] } },
  };
  expect((await server.patch(ona, `/streams/${body.stream_id}`, nobody)).status).toBe(200);
  expect(await post(server, 'json', bot, { query, payload: 1 })).toMatchObject({
    status: 400,
    body: { result: 'error', code: 'BAD_REQUEST' },
  });
  expect((await server.delete(ona, `/streams/${body.stream_id}`)).status).toBe(200);
  expect(await post(server, 'json', bot, { query, payload: 1 })).toMatchObject({
    status: 400,
    body: { result: 'error' },
  });
  expect(server.bugs).toEqual([]);
});

test('a private channel that the bot and its owner are not in is refused', async () => {
  const { server, bot, ona } = await withSender();
  const made = await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'secret' }],
    invite_only: true,
  });
  expect(made.status).toBe(200);
  const reply = await post(server, 'json', bot, { query: { stream: 'secret' }, payload: 1 });
  expect(reply).toMatchObject({ status: 400, body: { result: 'error' } });
  const found = await newest(server, ona);
  expect(found?.content ?? '').not.toContain('```json');
});

test('a topic of a URL stands before what the event says it is about', async () => {
  const { server, bot, ona, mel } = await withSender();
  const headers = { 'X-GitHub-Event': 'create' };
  const repository = {
    name: 'tea',
    full_name: 'kitchen/tea',
    html_url: 'https://github.example/t',
  };
  const payload = {
    action: 'opened',
    issue: { number: 1, title: 'Cold', html_url: 'https://github.example/t/1' },
    repository,
    sender: { login: 'mel' },
  };
  const about = { 'X-GitHub-Event': 'issues' };
  const sentence = '**mel** opened [issue #1 Cold](https://github.example/t/1).';
  const where = '[kitchen/tea](https://github.example/t): ';
  await post(server, 'github', bot, { query: { stream: 'general' }, headers: about, payload });
  expect((await newest(server, ona)).content).toBe(sentence);
  const query = { stream: 'general', topic: 'all of it' };
  await post(server, 'github', bot, { query, headers: about, payload });
  expect((await newest(server, ona)).content).toBe(where + sentence);
  await post(server, 'github', bot, { headers: about, payload });
  expect((await newest(server, mel)).content).toBe(where + sentence);
  const created = { ref: 'v1', ref_type: 'tag', repository, sender: { login: 'mel' } };
  await post(server, 'github', bot, { query, headers, payload: created });
  expect((await newest(server, ona)).content).toBe(
    '**mel** created tag `v1` in [kitchen/tea](https://github.example/t).',
  );
});
