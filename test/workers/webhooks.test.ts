import { expect, test } from 'vitest';
import { WEBHOOK_ANSWER_BYTES_MAX } from '../../src/domain/limits/bots.ts';
import { webhookCall } from '../../src/domain/wire/message-objects.ts';
import type { WireEvent } from '../support/client.ts';
import {
  ask,
  askDirectly,
  entries,
  expectDone,
  json,
  messageCount,
  waitForEntry,
  withHook,
} from '../support/webhooks/outgoing.ts';

const MESSAGES = { event_types: ['message'] };

/** Returns the next message of the queue. */
async function nextMessage(queue: { next(): Promise<WireEvent[]> }) {
  const [event, ...others] = await queue.next();
  expect(others).toEqual([]);
  return event?.['message'];
}

test('a mention calls the webhook with the payload of the specification, and the answer is posted', async () => {
  const hooked = await withHook(() => json({ content: 'Boiling **water**' }));
  const { server, listener } = hooked;
  const { mel, max } = server.people;
  const { body } = await ask(server);
  const queue = await server.register(max, { ...MESSAGES, apply_markdown: true });
  await server.advance(1);
  const request = await listener.next();
  expect(request).toMatchObject({
    method: 'POST',
    path: '/hook?x=1',
    headers: { 'content-type': 'application/json' },
  });
  const [bot] = (await server.register(mel, { fetch_event_types: ['realm_bot'] })).state.realm_bots;
  expect(JSON.parse(request.body)).toEqual({
    bot_email: 'hook@example.com',
    bot_full_name: 'Hook',
    data: 'What is @**Hook** doing?',
    trigger: 'mention',
    token: bot.services[0].token,
    message: {
      id: body.id,
      type: 'stream',
      stream_id: 1,
      subject: 'tea',
      sender_id: max.id,
      sender_email: max.email,
      sender_full_name: max.fullName,
      sender_realm_str: 'test',
      avatar_url: 'http://test.localhost/avatar/5?v=1',
      client: expect.any(String),
      content: 'What is @**Hook** doing?',
      rendered_content: expect.stringContaining('class="user-mention"'),
      content_type: 'text/x-markdown',
      display_recipient: 'general',
      recipient_id: expect.any(Number),
      is_me_message: false,
      timestamp: expect.any(Number),
      reactions: [],
      submessages: [],
      topic_links: [],
    },
  });
  // The fields are those of the documents.
  expect(webhookCall.safeParse(JSON.parse(request.body)).error).toBeUndefined();
  expect(bot.services[0].token).toMatch(/^[A-Za-z0-9]{32}$/);
  expect(await nextMessage(queue)).toMatchObject({
    sender_full_name: 'Hook',
    stream_id: 1,
    subject: 'tea',
    content: '<p>Boiling <strong>water</strong></p>',
  });
  expect(server.bugs).toEqual([]);
});

test('a direct message calls the webhook, and the answer is in the same conversation', async () => {
  const hooked = await withHook(() => json({ response_string: 'the older name of content' }));
  const { server, listener, hookId } = hooked;
  const { max, mia } = server.people;
  const queue = await server.register(mia, MESSAGES);
  await server.post(max, '/messages', { type: 'direct', to: [hookId, mia.id], content: 'psst' });
  await server.advance(1);
  expect(JSON.parse((await listener.next()).body)).toMatchObject({
    trigger: 'direct_message',
    data: 'psst',
    message: { type: 'private', subject: '' },
  });
  expect(await nextMessage(queue)).toMatchObject({ content: 'psst' });
  const answered = await nextMessage(queue);
  expect(answered).toMatchObject({ sender_id: hookId, content: 'the older name of content' });
  expect(answered.display_recipient).toHaveLength(3);
});

test('the token of a bot is its own and the same in each payload, also after a restart', async () => {
  const hooked = await withHook(() => json({}));
  const { server, listener } = hooked;
  const { mel } = server.people;
  const other = {
    full_name: 'Other',
    short_name: 'other',
    bot_type: 3,
    payload_url: JSON.stringify(listener.url),
  };
  const { user_id } = (await server.post(mel, '/bots', other)).body;
  const tokenOf = async (ask: () => Promise<unknown>): Promise<string> => {
    await ask();
    await server.advance(1);
    return JSON.parse((await listener.next()).body).token;
  };
  const token = await tokenOf(() => ask(server));
  expect(token).toMatch(/^[A-Za-z0-9]+$/);
  expect(await tokenOf(() => askDirectly(hooked))).toBe(token);
  expect(await tokenOf(() => askDirectly({ ...hooked, hookId: user_id }))).not.toBe(token);
  // A call under way when the server stops is made once more.
  await expect.poll(() => entries(server)).toEqual([]);
  await server.restart();
  expect(await tokenOf(() => ask(server))).toBe(token);
});

test('the empty topic has its name in a payload', async () => {
  const { server, listener } = await withHook(() => json({}));
  await server.post(server.people.max, '/messages', {
    type: 'channel',
    to: 'general',
    topic: '',
    content: '@**Hook**',
  });
  await server.advance(1);
  expect(JSON.parse((await listener.next()).body).message.subject).toBe('general chat');
});

test.each([
  { why: 'nothing is needed', answer: { response_not_required: true, content: 'no' } },
  { why: 'there is nothing in it', answer: {} },
  { why: 'the content is blank', answer: { content: ' ' } },
])('the bot posts nothing when $why', async ({ answer }) => {
  const { server, listener } = await withHook(() => json(answer));
  await ask(server);
  await expectDone(server, listener, 1);
  expect(await messageCount(server)).toBe(1);
});

test('messages of bots, and those that do not name the bot, call nothing', async () => {
  const { server, listener, hookId } = await withHook(() => json({}));
  const { bot, max } = server.people;
  const to = { type: 'channel', to: 'general', topic: 'tea' };
  await server.post(bot, '/messages', { ...to, content: '@**Hook**' });
  await server.post(bot, '/messages', { type: 'direct', to: [hookId], content: 'psst' });
  await server.post(max, '/messages', { ...to, content: 'no @_**Hook** and `@**Hook**`' });
  await server.post(max, '/messages', { type: 'direct', to: [bot.id], content: 'psst' });
  expect(await entries(server)).toEqual([]);
  expect(listener.heard).toEqual([]);
});

test('a private channel that the bot is not in does not call it', async () => {
  const { server, hookId } = await withHook(() => json({}));
  const { max, ona } = server.people;
  const secret = { subscriptions: [{ name: 'secret' }], invite_only: true };
  await server.post(max, '/users/me/subscriptions', secret);
  const message = { type: 'channel', to: 'secret', topic: 'x', content: '@**Hook**' };
  await server.post(max, '/messages', message);
  expect(await entries(server)).toEqual([]);
  await server.post(max, '/users/me/subscriptions', { ...secret, principals: [hookId] });
  await server.post(max, '/messages', message);
  expect(await entries(server)).toHaveLength(1);
  expect(ona.id).toBe(1);
});

test('a server in trouble is called again after a pause, and then answers', async () => {
  const { server, listener } = await withHook((count) =>
    count < 3 ? { status: 503 } : json({ content: 'back' }),
  );
  const queue = await server.register(server.people.max, MESSAGES);
  await ask(server);
  await nextMessage(queue);
  await server.advance(1);
  await listener.next();
  for (const pause of [2_000, 15_000]) {
    await waitForEntry(server, pause);
    await server.advance(pause);
    await listener.next();
  }
  expect(await nextMessage(queue)).toMatchObject({ content: 'back' });
  await expectDone(server, listener, 3);
});

test("the bot's owner is told when no attempt was answered", async () => {
  const { server, listener } = await withHook(() => ({ status: 500 }));
  const { mel } = server.people;
  const queue = await server.register(mel, MESSAGES);
  const { body } = await ask(server);
  await nextMessage(queue);
  await server.advance(1);
  await listener.next();
  for (const pause of [2_000, 15_000, 60_000]) {
    await waitForEntry(server, pause);
    await server.advance(pause);
    await listener.next();
  }
  const told = await nextMessage(queue);
  expect(told).toMatchObject({ type: 'private', sender_full_name: 'Notification Bot' });
  expect(told.content).toContain(`failed for message ${body.id}`);
  expect(told.content).toContain('The server answered with status 500.');
  await expectDone(server, listener, 4);
});

test.each([
  { why: 'a status of refusal', answer: { status: 404 }, says: 'status 404' },
  {
    why: 'a redirect, which is not followed',
    answer: { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
    says: 'status 302',
  },
  { why: 'no JSON', answer: { body: '<html>' }, says: 'is not JSON' },
  { why: 'a list', answer: json([1]), says: 'has no such form' },
  { why: 'content that is no text', answer: json({ content: 7 }), says: 'has no such form' },
  {
    why: 'more than the bound',
    answer: { body: 'x'.repeat(WEBHOOK_ANSWER_BYTES_MAX + 1) },
    says: 'is larger than',
  },
  {
    why: 'a message that is too long',
    answer: json({ content: 'x'.repeat(10_001) }),
    says: 'too long',
  },
])("the bot's owner is told at once of $why", async ({ answer, says }) => {
  const { server, listener } = await withHook(() => answer);
  const queue = await server.register(server.people.mel, MESSAGES);
  await ask(server);
  await nextMessage(queue);
  await server.advance(1);
  expect((await nextMessage(queue)).content).toContain(says);
  await expectDone(server, listener, 1);
});

test('a response of exactly the largest size is read', async () => {
  const frame = JSON.stringify({ content: 'ok', pad: '' }).length;
  const body = { content: 'ok', pad: 'x'.repeat(WEBHOOK_ANSWER_BYTES_MAX - frame) };
  const { server } = await withHook(() => json(body));
  const queue = await server.register(server.people.mel, MESSAGES);
  await ask(server);
  await nextMessage(queue);
  await server.advance(1);
  expect(await nextMessage(queue)).toMatchObject({ content: 'ok', sender_full_name: 'Hook' });
});

test.each([
  'http://127.0.0.1:9/',
  'http://0x7f000001/',
  'http://[::1]:9/',
  'http://[::ffff:10.0.0.1]/',
  'http://169.254.169.254/latest',
  'http://localhost:9/',
])('an address that is not public is not called: %s', async (url) => {
  const { server, listener } = await withHook(() => json({}), {
    url,
    env: { CONFAB_WEBHOOK_PRIVATE_ADDRESSES: '0' },
  });
  const queue = await server.register(server.people.mel, MESSAGES);
  await ask(server);
  await nextMessage(queue);
  await server.advance(1);
  expect((await nextMessage(queue)).content).toContain('not public');
  expect(listener.heard).toEqual([]);
});

test('a webhook in the format of Slack gets form fields, and answers in `text`', async () => {
  const hooked = await withHook(() => json({ text: 'sunny' }), { kind: '2' });
  const { server, listener, hookId } = hooked;
  const { max, mel } = server.people;
  const queue = await server.register(max, MESSAGES);
  await ask(server, '@**Hook** weather?');
  await nextMessage(queue);
  await server.advance(1);
  const request = await listener.next();
  expect(request.headers['content-type']).toBe('application/x-www-form-urlencoded');
  const [bot] = (await server.register(mel, { fetch_event_types: ['realm_bot'] })).state.realm_bots;
  expect(Object.fromEntries(new URLSearchParams(request.body))).toEqual({
    token: bot.services[0].token,
    team_id: 'T1',
    team_domain: 'test.localhost',
    channel_id: 'C1',
    channel_name: 'general',
    thread_ts: expect.stringMatching(/^\d+$/),
    timestamp: expect.stringMatching(/^\d+$/),
    user_id: `U${max.id}`,
    user_name: max.fullName,
    text: '@**Hook** weather?',
    trigger_word: 'mention',
    service_id: String(hookId),
  });
  expect(await nextMessage(queue)).toMatchObject({ content: 'sunny', sender_id: hookId });

  const owner = await server.register(mel, MESSAGES);
  await askDirectly(hooked);
  await server.advance(1);
  expect((await nextMessage(owner)).content).toContain('takes no direct messages');
  expect(listener.heard).toHaveLength(1);
});

test('a bot that was deactivated meanwhile is not called, and nobody is told', async () => {
  const { server, listener, hookId } = await withHook(() => json({ content: 'x' }));
  await ask(server);
  await server.perform((tx) => {
    const row = tx.users.get([hookId]) ?? expect.fail('the bot is there');
    tx.users.put([hookId], { ...row, isActive: false });
  });
  await expectDone(server, listener, 0);
  expect(await messageCount(server)).toBe(1);
});

test('a call survives a restart', async () => {
  const hooked = await withHook(() => json({ content: 'late' }));
  const { server, listener } = hooked;
  await ask(server);
  expect(await entries(server)).toHaveLength(1);
  await server.restart();
  const queue = await server.register(server.people.max, MESSAGES);
  await server.advance(1);
  expect(JSON.parse((await listener.next()).body).trigger).toBe('mention');
  expect(await nextMessage(queue)).toMatchObject({ content: 'late' });
});

test('a call is of the trace of the message that calls it, with a parent of its own', async () => {
  const { server, listener } = await withHook(() => json({ response_not_required: true }));
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
  const said = await server.request('POST', '/messages', {
    as: server.people.max,
    headers: { 'content-type': 'application/x-www-form-urlencoded', traceparent },
    body: new URLSearchParams({
      type: 'channel',
      to: 'general',
      topic: 'tea',
      content: 'What is @**Hook** doing?',
    }).toString(),
  });
  expect(said.status).toBe(200);
  await server.advance(1);
  const traced = (await listener.next()).headers['traceparent'];
  expect(traced).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  expect(traced).not.toBe(traceparent);
  await ask(server);
  await server.advance(1);
  expect((await listener.next()).headers).not.toHaveProperty('traceparent');
});
