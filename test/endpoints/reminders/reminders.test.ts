import { expect, test } from 'vitest';
import { MESSAGE_LENGTH_MAX } from '../../../src/domain/limits/messages.ts';
import {
  REMINDER_NOTE_LENGTH_MAX,
  REMINDERS_PER_USER_MAX,
} from '../../../src/domain/limits/personal.ts';
import { TIMESTAMP_MAX } from '../../../src/domain/limits/requests.ts';
import { expectExactAfter } from '../../support/applying/follow.ts';
import type { Params, TestQueue } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

const PATH = '/reminders';
const SUCCESS = { result: 'success', msg: '' };
const IN_TEA = { type: 'channel', to: 'general', topic: 'tea', content: '**soup**' };

const inSeconds = ({ clock }: TestServer, seconds: number) =>
  Math.floor(clock.now() / 1000) + seconds;

async function sent(server: TestServer, as: Person, params: Params = IN_TEA): Promise<number> {
  const { body } = await server.post(as, '/messages', params);
  return body.id ?? expect.fail(JSON.stringify(body));
}

const ask = (server: TestServer, as: Person, params: Params) =>
  server.post(as, PATH, { scheduled_delivery_timestamp: inSeconds(server, 60), ...params });

async function reminded(server: TestServer, as: Person, params: Params): Promise<number> {
  const { body } = await ask(server, as, params);
  expect(body).toEqual({ ...SUCCESS, reminder_id: expect.any(Number) });
  return body.reminder_id;
}

const listOf = async (server: TestServer, as: Person) =>
  (await server.get(as, PATH)).body.reminders;

/** The content of the next message. */
async function nextNotice(queue: TestQueue) {
  for (;;) {
    const message = (await queue.next()).find(({ type }) => type === 'message')?.['message'];
    if (message !== undefined) return message;
  }
}

test('a reminder is stored, listed soonest first, told to its owner alone, and in the snapshot', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const channelMessage = await sent(server, max);
  const direct = await sent(server, max, { type: 'direct', to: [mel.id], content: 'psst' });
  const own = await server.register(mel);
  const other = await server.register(max);
  const later = { message_id: channelMessage, note: ' *for* @**Mel Member** ' };
  expect(await reminded(server, mel, later)).toBe(1);
  const sooner = { scheduled_delivery_timestamp: inSeconds(server, 30) };
  expect(await reminded(server, mel, { message_id: direct, ...sooner })).toBe(2);

  const base = { type: 'private', to: [mel.id], failed: false };
  const second = {
    ...base,
    reminder_id: 1,
    content: `You asked to be reminded of #**general>tea@${channelMessage}**. Your note:\n\`\`\`quote\n*for* @**Mel Member**\n\`\`\``,
    rendered_content: expect.stringContaining('<em>for</em>'),
    scheduled_delivery_timestamp: inSeconds(server, 60),
    reminder_target_message_id: channelMessage,
  };
  const url = `#narrow/dm/${[mel.id, max.id].sort().join(',')}/near/${direct}`;
  const first = {
    ...base,
    ...sooner,
    reminder_id: 2,
    content: expect.stringMatching(
      new RegExp(`^You asked to be reminded of \\[a direct message\\]\\(http.*/${url}\\)\\.$`),
    ),
    rendered_content: expect.stringContaining(`"${url}">a direct message</a>.</p>`),
    reminder_target_message_id: direct,
  };
  expect((await server.get(mel, PATH)).body).toEqual({ ...SUCCESS, reminders: [first, second] });
  expect((await server.register(mel)).state.reminders).toEqual([first, second]);
  expect(await listOf(server, max)).toEqual([]);
  const event = { id: expect.any(Number), type: 'reminders', op: 'add' };
  expect(await own.now()).toEqual([
    { ...event, reminders: [second] },
    { ...event, reminders: [first] },
  ]);
  expect(await other.now()).toEqual([]);
});

test('at its time the notification bot writes, with the message as it is then, and forgets it', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const messageId = await sent(server, max);
  const id = await reminded(server, mel, { message_id: messageId, note: 'ask @**Max Member**' });
  await server.patch(max, `/messages/${messageId}`, { content: 'changed' });
  const own = await server.register(mel, { event_types: ['reminders', 'message'] });
  const other = await server.register(max, { event_types: ['message'] });
  server.clock.advance(59_000);
  expect(await own.now()).toEqual([]);
  server.clock.advance(1_000);
  const events = await own.next();
  const content = [
    `You asked to be reminded of #**general>tea@${messageId}**. Your note:`,
    '```quote\nask @**Max Member**\n```\n',
    `@_**Max Member|${max.id}** wrote:`,
    '```quote\nchanged\n```',
  ].join('\n');
  expect(events).toMatchObject([
    {
      type: 'message',
      flags: [],
      message: { type: 'private', sender_full_name: 'Notification Bot', content },
    },
    { type: 'reminders', op: 'remove', reminder_id: id },
  ]);
  expect(events[0]?.['message'].display_recipient).toHaveLength(2);
  expect(await other.now()).toEqual([]);
  expect(await listOf(server, mel)).toEqual([]);
  server.clock.advance(300_000);
  expect(await own.now()).toEqual([]);
  expect(server.bugs).toEqual([]);
});

test('of what one may not read any more, or is deleted, the note is all there is', async () => {
  const server = await startServer();
  const { ona, mel } = server.people;
  const closed = { subscriptions: [{ name: 'closed' }], invite_only: true };
  await server.post(ona, '/users/me/subscriptions', { ...closed, principals: [ona.id, mel.id] });
  const left = await sent(server, ona, { ...IN_TEA, to: 'closed' });
  const deleted = await sent(server, ona, { type: 'direct', to: [mel.id], content: 'oops' });
  await reminded(server, mel, { message_id: left, note: 'left' });
  await reminded(server, mel, {
    message_id: deleted,
    scheduled_delivery_timestamp: inSeconds(server, 61),
  });
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['closed'] });
  expect((await server.delete(ona, `/messages/${deleted}`)).status).toBe(200);
  const queue = await server.register(mel, { event_types: ['message'] });
  const gone = 'You asked to be reminded of a message that you cannot read any more.';
  server.clock.advance(60_000);
  const note = `${gone} Your note:\n\`\`\`quote\nleft\n\`\`\``;
  expect((await nextNotice(queue)).content).toBe(note);
  server.clock.advance(1_000);
  expect((await nextNotice(queue)).content).toBe(gone);
});

test('a note names to its author what its author knows', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel } = server.people;
  const secret = { subscriptions: [{ name: 'secret' }], invite_only: true };
  await server.post(ona, '/users/me/subscriptions', secret);
  const messageId = await sent(server, mel);
  const queue = await server.register(mel, { event_types: ['message'], apply_markdown: true });
  await reminded(server, mel, { message_id: messageId, note: '#**secret** #**general**' });
  const [{ rendered_content: listed }] = await listOf(server, mel);
  server.clock.advance(60_000);
  for (const html of [listed, (await nextNotice(queue)).content]) {
    expect(html).toContain('data-stream-id="1"');
    expect(html).not.toContain('data-stream-id="2"');
  }
});

test('the longest message is quoted as far as there is room, and one of fences alone by its link', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const long = await sent(server, mel, { ...IN_TEA, content: 'x'.repeat(MESSAGE_LENGTH_MAX) });
  const fences = await sent(server, mel, { ...IN_TEA, content: '`'.repeat(MESSAGE_LENGTH_MAX) });
  await reminded(server, mel, { message_id: long });
  const later = { scheduled_delivery_timestamp: inSeconds(server, 61) };
  await reminded(server, mel, { message_id: fences, ...later });
  const queue = await server.register(mel, { event_types: ['message'] });
  server.clock.advance(60_000);
  const { content } = await nextNotice(queue);
  expect(content.length).toBeLessThanOrEqual(MESSAGE_LENGTH_MAX);
  expect(content).toContain('x'.repeat(MESSAGE_LENGTH_MAX - 1_000));
  server.clock.advance(1_000);
  expect((await nextNotice(queue)).content).toBe(
    `You asked to be reminded of #**general>tea@${fences}**.`,
  );
});

test('reminders outlive a restart; one that was due meanwhile comes then, once, however late', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const messageId = await sent(server, mel);
  await reminded(server, mel, { message_id: messageId, note: 'late' });
  const far = { scheduled_delivery_timestamp: inSeconds(server, 100_000) };
  await reminded(server, mel, { message_id: messageId, note: 'far', ...far });
  const queue = await server.register(mel, {
    event_types: ['message'],
    queue_lifespan_secs: 604_800,
  });
  await server.restart(86_400_000);
  server.clock.advance(1);
  expect((await nextNotice(queue)).content).toContain('late');
  expect(await listOf(server, mel)).toMatchObject([far]);
  await server.restart(1_000);
  server.clock.advance(1);
  expect((await queue.now()).filter(({ type }) => type === 'message')).toEqual([]);
});

test('nobody is reminded while deactivated; the reminder is kept as failed', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  await reminded(server, mel, { message_id: await sent(server, mel) });
  const setActive = (isActive: boolean) =>
    server.perform((tx) => {
      const row = tx.users.get([mel.id]) ?? expect.fail();
      tx.users.put([mel.id], { ...row, isActive });
    });
  await setActive(false);
  await server.advance(60_000);
  await setActive(true);
  const queue = await server.register(mel);
  expect(queue.state.reminders).toMatchObject([{ failed: true }]);
  expect(queue.state.unread_msgs.pms).toEqual([]);
  await server.advance(60_000);
  expect(await queue.now()).toEqual([]);
  expect((await server.delete(mel, `${PATH}/1`)).body).toEqual(SUCCESS);
});

test('a reminder is deleted, which its owner is told, and never sent', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const id = await reminded(server, mel, { message_id: await sent(server, mel) });
  const queue = await server.register(mel);
  expect((await server.delete(mel, `${PATH}/${id}`)).body).toEqual(SUCCESS);
  server.clock.advance(120_000);
  expect(await queue.now()).toEqual([
    { id: expect.any(Number), type: 'reminders', op: 'remove', reminder_id: id },
  ]);
});

test("a reminder that is not there, or another's, is not found", async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const theirs = await reminded(server, max, { message_id: await sent(server, mel) });
  for (const unknown of [theirs, 99, -1]) {
    const { status, body } = await server.delete(mel, `${PATH}/${unknown}`);
    const msg = 'Reminder does not exist';
    expect([status, body]).toEqual([404, { result: 'error', code: 'BAD_REQUEST', msg }]);
  }
  const { status, body } = await server.delete(mel, `${PATH}/first`);
  const msg = 'reminder_id is not an integer';
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  expect(await listOf(server, max)).toHaveLength(1);
});

test('4: a snapshot and the events give what a fresh register gives', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, gus, bot } = server.people;
  const messageId = await sent(server, mel);
  const gone = await reminded(server, mel, { message_id: messageId });
  await expectExactAfter(server, async () => {
    await reminded(server, gus, { message_id: messageId });
    await reminded(server, bot, { message_id: messageId });
    const soon = { scheduled_delivery_timestamp: inSeconds(server, 30) };
    await reminded(server, mel, { message_id: messageId, ...soon });
    await server.delete(mel, `${PATH}/${gone}`);
    const queue = await server.register(mel, { event_types: ['message'] });
    server.clock.advance(30_000);
    await nextNotice(queue);
  });
});

test('4: one that fails on a bug is kept as failed, and its owner told', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  await reminded(server, mel, { message_id: await sent(server, mel) });
  const queue = await server.register(mel);
  // Without its bot the server cannot write to anybody.
  const bot = await server.perform((tx) => {
    const id = 2_000_000_001;
    const row = tx.users.get([id]) ?? expect.fail();
    tx.users.remove([id]);
    return row;
  });
  server.clock.advance(60_000);
  expect((await queue.next()).map(({ type, op }) => [type, op])).toEqual([
    ['reminders', 'remove'],
    ['reminders', 'add'],
  ]);
  await server.perform((tx) => tx.users.put([bot.id], bot));
  expect(await listOf(server, mel)).toMatchObject([{ failed: true }]);
  expect(server.bugs).toHaveLength(1);
});

const missing = (name: string) => ({
  code: 'REQUEST_VARIABLE_MISSING',
  msg: `Missing '${name}' argument`,
  var_name: name,
});
const bad = (msg: string) => ({ code: 'BAD_REQUEST', msg });

test.each([
  { why: 'no message', params: { message_id: undefined }, body: missing('message_id') },
  { why: 'no id', params: { message_id: 'x' }, body: bad('message_id is not an integer') },
  { why: 'a message unknown', params: { message_id: 99 }, body: bad('Invalid message(s)') },
  { why: 'a message of others', params: { message_id: 2 }, body: bad('Invalid message(s)') },
  {
    why: 'no time',
    params: { scheduled_delivery_timestamp: undefined },
    body: missing('scheduled_delivery_timestamp'),
  },
  {
    why: 'a time that is none',
    params: { scheduled_delivery_timestamp: 'soon' },
    body: bad('scheduled_delivery_timestamp is not an integer'),
  },
  {
    why: 'a time past',
    params: { scheduled_delivery_timestamp: 1 },
    body: bad('Scheduled delivery time must be in the future.'),
  },
  {
    why: 'a time after all times',
    params: { scheduled_delivery_timestamp: TIMESTAMP_MAX + 1 },
    body: bad('Scheduled delivery time is too far away.'),
  },
  { why: 'a NUL', params: { note: 'a\0b' }, body: bad('note must not contain null bytes') },
  {
    why: 'a note too long',
    params: { note: 'x'.repeat(REMINDER_NOTE_LENGTH_MAX + 1) },
    body: bad(`note is too long (limit: ${REMINDER_NOTE_LENGTH_MAX} characters)`),
  },
])('is refused, and nothing happens: $why', async ({ params, body }) => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, mia } = server.people;
  expect(await sent(server, mel)).toBe(1);
  expect(await sent(server, max, { type: 'direct', to: [mia.id], content: 'psst' })).toBe(2);
  const queue = await server.register(mel);
  const reply = await ask(server, mel, { message_id: 1, ...params });
  expect([reply.status, reply.body]).toEqual([400, { result: 'error', ...body }]);
  expect(await listOf(server, mel)).toEqual([]);
  expect(await queue.now()).toEqual([]);
});

test('at the bounds there is a reminder, and one more than a user may have is refused', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const messageId = await sent(server, mel);
  const note = '😀'.repeat(REMINDER_NOTE_LENGTH_MAX);
  await reminded(server, mel, { message_id: messageId, note });
  await server.perform((tx) => {
    const row = tx.reminders.get([mel.id, 1]) ?? expect.fail();
    for (let id = 2; id < REMINDERS_PER_USER_MAX; id++) {
      tx.reminders.put([mel.id, 1_000_000 + id], { ...row, content: '', renderedContent: '' });
    }
  });
  await reminded(server, mel, { message_id: messageId });
  const { status, body } = await ask(server, mel, { message_id: messageId });
  const msg = `You can have at most ${REMINDERS_PER_USER_MAX} reminders.`;
  expect([status, body]).toEqual([400, { result: 'error', code: 'BAD_REQUEST', msg }]);
  await reminded(server, max, { message_id: messageId });
});
