import { expect, test } from 'vitest';
import type { WireEvent } from '../../../support/client.ts';
import { sent, TO_GENERAL, withGeneral } from '../../../support/messages/sending.ts';
import { bad, missing } from '../../../support/refusals.ts';
import { startServer, type TestServer } from '../../../support/start-server.ts';

async function channelId(server: TestServer, name: string): Promise<number> {
  const { body } = await server.get(server.people.ona, '/users/me/subscriptions');
  const found = body.subscriptions.find((one: { name: string }) => one.name === name);
  return found.stream_id;
}

test('a message to a channel is answered with its id, and every subscriber hears of it', async () => {
  const server = await withGeneral();
  const { mel, max } = server.people;
  const queue = await server.register(max);

  const { status, body } = await server.post(mel, '/messages', TO_GENERAL);

  expect(status).toBe(200);
  expect(body).toEqual({ result: 'success', msg: '', id: 1, automatic_new_visibility_policy: 3 });
  const events = await queue.next();
  expect(events.find((event) => event.type === 'message')).toEqual({
    id: expect.any(Number),
    type: 'message',
    flags: [],
    message: {
      id: 1,
      sender_id: mel.id,
      sender_full_name: 'Mel Member',
      sender_email: expect.any(String),
      sender_realm_str: 'test',
      client: 'Unspecified',
      content: 'soup?',
      content_type: 'text/x-markdown',
      timestamp: Math.floor(server.clock.now() / 1000),
      type: 'stream',
      stream_id: await channelId(server, 'general'),
      recipient_id: expect.any(Number),
      display_recipient: 'general',
      subject: 'lunch',
      topic_links: [],
      is_me_message: false,
      reactions: [],
      submessages: [],
      avatar_url: null,
    },
  });
});

test.each([
  { form: 'its name', to: () => 'general' },
  { form: 'its name in another case', to: () => 'GENeral' },
  { form: 'its id', to: (id: number) => String(id) },
  { form: 'its name as a JSON string', to: () => '"general"' },
  { form: 'a list of its name', to: () => '["general"]' },
  { form: 'a list of its id', to: (id: number) => `[${id}]` },
])('a channel is addressed by $form', async ({ to }) => {
  const server = await withGeneral();
  const id = await channelId(server, 'general');
  const event = await sent(server, { ...TO_GENERAL, to: to(id) });
  expect(event['message']).toMatchObject({ stream_id: id, display_recipient: 'general' });
});

test.each(['channel', 'stream'])('a channel message has type %s', async (type) => {
  const server = await withGeneral();
  expect((await sent(server, { ...TO_GENERAL, type }))['message'].type).toBe('stream');
});

test('a name that begins like JSON is still a name', async () => {
  const server = await startServer({ channels: ['[team] "a"', '-x'] });
  const first = await sent(server, { ...TO_GENERAL, to: '[team] "a"' });
  expect(first['message'].display_recipient).toBe('[team] "a"');
  const second = await sent(server, { ...TO_GENERAL, to: '-x' });
  expect(second['message'].display_recipient).toBe('-x');
});

test('text that is a number is an id, never a name', async () => {
  const server = await startServer({ channels: ['2026'] });
  const { body } = await server.post(server.people.mel, '/messages', { ...TO_GENERAL, to: '2026' });
  expect(body).toMatchObject({ code: 'STREAM_DOES_NOT_EXIST', stream_id: 2026 });
});

const REFUSED = [
  { why: 'no type', params: { type: undefined }, body: missing('type') },
  { why: 'no content', params: { content: undefined }, body: missing('content') },
  { why: 'an unknown type', params: { type: 'letter' }, body: bad(/^Invalid type/) },
  { why: 'no channel', params: { to: undefined }, body: bad(/Missing channel/) },
  { why: 'a blank channel', params: { to: '  ' }, body: bad(/Missing channel/) },
  { why: 'two channels', params: { to: ['general', 'random'] }, body: bad(/exactly one channel/) },
  { why: 'an empty list', params: { to: [] }, body: bad(/exactly one channel/) },
  { why: 'a list in a list', params: { to: [['general']] }, body: bad(/Invalid data type/) },
  { why: 'a fraction', params: { to: '1.5' }, body: bad(/Invalid data type/) },
  { why: 'an object', params: { to: { id: 1 } }, body: bad(/Invalid data type/) },
  { why: 'no topic', params: { topic: undefined }, body: bad(/Missing topic/) },
  { why: 'a line break in the topic', params: { topic: 'a\nb' }, body: bad(/Invalid character/) },
  { why: 'a NUL in the topic', params: { topic: 'a\0b' }, body: bad(/Invalid character/) },
  { why: 'a noncharacter', params: { topic: 'a\uFFFE' }, body: bad(/Invalid character/) },
  { why: 'an empty message', params: { content: '' }, body: bad(/must not be empty/) },
  { why: 'nothing but space', params: { content: ' \n\t ' }, body: bad(/must not be empty/) },
  { why: 'too long', params: { content: 'x'.repeat(10_001) }, body: bad(/too long/) },
  { why: 'too many emoji', params: { content: '🐙'.repeat(10_001) }, body: bad(/too long/) },
  { why: 'a NUL', params: { content: 'a\0b' }, body: bad(/null bytes/) },
  {
    why: 'a read_by_sender that is no boolean',
    params: { read_by_sender: 'yes' },
    body: bad(/^read_by_sender is not a boolean/),
  },
  {
    why: 'a queue_id without local_id',
    params: { queue_id: 'q' },
    body: bad(/local_id is required with queue_id/),
  },
  {
    why: 'a local_id too long',
    params: { queue_id: 'q', local_id: 'x'.repeat(256) },
    body: bad(/^local_id is too long/),
  },
  {
    why: 'an unknown channel',
    params: { to: `a <b> "c" & 'd'` },
    body: {
      code: 'STREAM_DOES_NOT_EXIST',
      stream: 'a &lt;b&gt; &quot;c&quot; &amp; &#39;d&#39;',
      msg: "Channel 'a &lt;b&gt; &quot;c&quot; &amp; &#39;d&#39;' does not exist",
    },
  },
  {
    why: 'an unknown channel id',
    params: { to: 999 },
    body: { code: 'STREAM_DOES_NOT_EXIST', stream_id: 999 },
  },
  {
    why: 'a negative channel id',
    params: { to: -1 },
    body: { code: 'STREAM_DOES_NOT_EXIST', stream_id: -1 },
  },
  {
    why: 'both names of the topic',
    params: { subject: 'dinner' },
    body: { code: 'REQUEST_CONFUSING_VAR', var_name1: 'topic', var_name2: 'subject' },
  },
];

test('a channel message that cannot be is refused with its reason, and nothing happens', async () => {
  const server = await withGeneral();
  const { mel } = server.people;
  const queue = await server.register(mel);
  for (const { why, params, body } of REFUSED) {
    const reply = await server.post(mel, '/messages', { ...TO_GENERAL, ...params });
    expect(reply, why).toMatchObject({ status: 400, body: { result: 'error', ...body } });
  }
  expect(await queue.now()).toEqual([]);
  expect(server.bugs).toEqual([]);
});

test('a user of another realm looks absent', async () => {
  const server = await startServer();
  const other = await server.addRealm('other');
  const { mel } = server.people;
  const params = { type: 'direct', to: other.admin.email, content: 'psst' };
  const { body } = await server.post(mel, '/messages', params);
  expect(body).toMatchObject({ code: 'BAD_REQUEST', msg: "Invalid email 'eve@example.com'" });
});

const TOPICS = [
  { topic: 'x'.repeat(60), subject: 'x'.repeat(60) },
  { topic: 'x'.repeat(61), subject: `${'x'.repeat(57)}...` },
  { topic: '🐙'.repeat(61), subject: `${'🐙'.repeat(57)}...` },
  { topic: '  lunch  ', subject: 'lunch' },
];

test('a topic is trimmed, and cut to 60 code points that end in ...', async () => {
  const server = await withGeneral();
  for (const { topic, subject } of TOPICS) {
    expect((await sent(server, { ...TO_GENERAL, topic }))['message'].subject).toBe(subject);
  }
});

test('`subject` is another name of the topic', async () => {
  const server = await withGeneral();
  const { topic, ...others } = TO_GENERAL;
  const event = await sent(server, { ...others, subject: topic });
  expect(event['message'].subject).toBe('lunch');
});

test('nothing, (no topic) and the name for it are all the empty topic', async () => {
  const server = await withGeneral();
  const capable = await server.register(server.people.mel, {
    event_types: ['message'],
    client_capabilities: { notification_settings_null: true, empty_topic_name: true },
  });
  for (const topic of ['', '(no topic)', '(NO topic)', 'general chat', '  ']) {
    const event = await sent(server, { ...TO_GENERAL, topic });
    expect(event['message'].subject, topic).toBe('general chat');
    expect((await capable.next())[0]?.['message'].subject, topic).toBe('');
  }
});

const CONTENTS = [
  { content: 'soup?  \n\n', stored: 'soup?' },
  { content: '\n\r\n    code', stored: '    code' },
  { content: 'x'.repeat(10_000), stored: 'x'.repeat(10_000) },
  { content: '🐙'.repeat(10_000), stored: '🐙'.repeat(10_000) },
];

test('content loses trailing space and leading newlines, and has up to 10,000 code points', async () => {
  const server = await withGeneral();
  for (const { content, stored } of CONTENTS) {
    expect((await sent(server, { ...TO_GENERAL, content }))['message'].content).toBe(stored);
  }
});

test('a private channel is closed to those who are not subscribed, whoever they are', async () => {
  const server = await startServer();
  const { ona, ada, mel, max, gus } = server.people;
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'closed' }],
    invite_only: true,
    principals: [mel.id, gus.id],
  });
  const message = { ...TO_GENERAL, to: 'closed' };
  for (const person of [max, ada]) {
    const reply = await server.post(person, '/messages', message);
    expect(reply).toMatchObject({
      status: 400,
      body: {
        code: 'BAD_REQUEST',
        msg: expect.stringMatching(/^Not authorized to send to channel '/),
      },
    });
  }
  for (const person of [mel, gus]) {
    expect((await server.post(person, '/messages', message)).status).toBe(200);
  }
});

test('members write to a public channel without being in it, guests do not; the sender who is not in it hears nothing', async () => {
  const server = await startServer();
  const { ona, mel, gus } = server.people;
  await server.post(ona, '/users/me/subscriptions', { subscriptions: [{ name: 'open' }] });
  const queue = await server.register(mel, { event_types: ['message'] });
  const message = { ...TO_GENERAL, to: 'open' };
  expect((await server.post(mel, '/messages', message)).status).toBe(200);
  expect((await server.post(gus, '/messages', message)).status).toBe(400);
  expect(await queue.now()).toEqual([]);
});

test('a bot writes where its owner may, and to people', async () => {
  const server = await startServer();
  const { ona, bot, mel } = server.people;
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'closed' }],
    invite_only: true,
  });
  const queue = await server.register(ona, { event_types: ['message'] });
  const replies = await Promise.all([
    server.post(bot, '/messages', { ...TO_GENERAL, to: 'closed' }),
    server.post(bot, '/messages', { type: 'direct', to: [mel.id], content: 'beep' }),
  ]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  expect((await queue.next())[0]?.['message']).toMatchObject({ sender_id: bot.id });
});

test('the client is named by the parameter, else by the first part of User-Agent, of 30 characters', async () => {
  const server = await withGeneral();
  const { mel } = server.people;
  const queue = await server.register(mel, { event_types: ['message'] });
  const body = new URLSearchParams({ ...TO_GENERAL }).toString();
  const send = (headers: Record<string, string>, more = '') =>
    server.request('POST', '/messages', { as: mel, headers, body: body + more });
  await send({ 'user-agent': 'PyTerm/1.2 (linux)' });
  await send({ 'user-agent': 'PyTerm/1.2' }, '&client=given');
  await send({ 'user-agent': 'y'.repeat(40) });
  await send({}, `&client=${'🐙'.repeat(31)}`);
  const events: WireEvent[] = [];
  while (events.length < 4) events.push(...(await queue.next()));
  expect(events.map((event) => event['message'].client)).toEqual([
    'PyTerm',
    'given',
    'y'.repeat(30),
    '🐙'.repeat(30),
  ]);
});

test('parameters that mean nothing are listed, sorted; `client` is not one of them', async () => {
  const server = await withGeneral();
  const params = { ...TO_GENERAL, zebra: 1, apple: 2, client: 'website', Topic: 'x' };
  const { body } = await server.post(server.people.mel, '/messages', params);
  expect(body).toEqual({
    result: 'success',
    msg: '',
    id: 1,
    automatic_new_visibility_policy: 3,
    ignored_parameters_unsupported: ['Topic', 'apple', 'zebra'],
  });
});

test('the first message of a channel is announced as such, before the message', async () => {
  const server = await withGeneral();
  const { mel } = server.people;
  const queue = await server.register(mel, { event_types: ['stream', 'message'] });
  await server.post(mel, '/messages', TO_GENERAL);
  await server.post(mel, '/messages', TO_GENERAL);
  const events = await queue.now();
  expect(events.map(({ type }) => type)).toEqual(['stream', 'message', 'message']);
  expect(events[0]).toMatchObject({ op: 'update', property: 'first_message_id', value: 1 });
});
