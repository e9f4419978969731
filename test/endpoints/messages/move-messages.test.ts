import { expect, test } from 'vitest';
import {
  CHANNEL_MOVES_PER_MESSAGE_MAX,
  MESSAGES_PER_MOVE,
  MESSAGES_PER_SURVEY,
} from '../../../src/domain/limits.ts';
import { Role } from '../../../src/domain/roles.ts';
import { systemGroupId } from '../../../src/domain/system-groups.ts';
import * as messageUpdates from '../../../src/operations/message-updates.ts';
import * as messages from '../../../src/operations/messages.ts';
import type { WireEvent } from '../../support/client.ts';
import { expectExactAfter, MODERN } from '../../support/follow.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person, PersonName } from '../../support/users.ts';

const GENERAL = 1;
const RANDOM = 2;

const startTwo = () => startServer({ channels: ['general', 'random'] });

async function say(
  server: TestServer,
  as: Person,
  { to = 'general', topic = 'lunch', content = 'hello' } = {},
) {
  const message = { type: 'channel', to, topic, content };
  const { body } = await server.post(as, '/messages', message);
  if (body.result !== 'success') throw new Error(body.msg);
  return body.id as number;
}

const refused = (msg: RegExp, code = 'BAD_REQUEST') => ({
  status: 400,
  body: { result: 'error', code, msg: expect.stringMatching(msg) },
});

/** What the clock sets off has its commit, which begins at an earlier time, before what comes next. */
async function pass(server: TestServer, ms: number) {
  server.clock.advance(ms);
  await server.perform(() => undefined);
}

/** Sends many messages in one commit. */
const sayOften = (server: TestServer, as: Person, count: number) =>
  server.perform((tx, place) => {
    const user = tx.users.get([as.id]);
    for (let left = count; left > 0; left--) {
      const channel = tx.channels.get([GENERAL]);
      if (user === undefined || channel === undefined) throw new Error('nobody or nowhere');
      messages.send(
        tx,
        { user, place, client: 'test' },
        {
          destination: { channel, topic: 'lunch' },
          content: 'hello',
          isReadBySender: true,
          repeatKeys: [],
        },
      );
    }
  });

const quiet = { send_notification_to_new_thread: false };

const places = async (server: TestServer, as: Person, narrow: unknown) => {
  const { body } = await server.get(as, '/messages', {
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
    narrow,
    apply_markdown: false,
    allow_empty_topic_name: true,
  });
  return body.messages.map(({ id, subject }: { id: number; subject: string }) => [id, subject]);
};

const contents = async (server: TestServer, narrow: unknown) => {
  const { body } = await server.get(server.people.ona, '/messages', {
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
    narrow,
    apply_markdown: false,
  });
  return body.messages.map(({ content }: { content: string }) => content);
};

const leave = (server: TestServer, as: Person, name: string) =>
  server.delete(as, '/users/me/subscriptions', { subscriptions: [name] });

const flagsOf = async (server: TestServer, as: Person, id: number) =>
  (await server.get(as, `/messages/${id}`)).body.message?.flags;

const updates = (events: readonly WireEvent[]) =>
  events.filter(({ type }) => type === 'update_message');

async function privateChannel(
  server: TestServer,
  name: string,
  people: PersonName[],
  options = {},
) {
  const { ona } = server.people;
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name }],
    invite_only: true,
    principals: [ona.id, ...people.map((person) => server.people[person].id)],
    ...options,
  });
  const { body } = await server.get(ona, '/users/me/subscriptions');
  const channels = body.subscriptions as { name: string; stream_id: number }[];
  return channels.find((channel) => channel.name === name)?.stream_id ?? 0;
}

test.each([
  { mode: 'change_one', moved: [2] },
  { mode: 'change_later', moved: [2, 3] },
  { mode: 'change_all', moved: [1, 2, 3] },
])('a move to another topic takes what $mode says', async ({ mode, moved }) => {
  const server = await startTwo();
  const { mel, max } = server.people;
  for (const topic of ['lunch', 'Lunch', 'LUNCH', 'tea']) await say(server, mel, { topic });
  const queue = await server.register(max, MODERN);
  const reply = await server.patch(max, '/messages/2', {
    topic: 'dinner',
    propagate_mode: mode,
    ...quiet,
  });
  expect(reply).toMatchObject({ status: 200, body: { detached_uploads: [] } });
  expect(await queue.now()).toEqual([
    {
      id: expect.any(Number),
      type: 'update_message',
      user_id: max.id,
      edit_timestamp: Date.UTC(2026, 0, 5, 9) / 1000,
      message_id: 2,
      message_ids: moved,
      flags: [],
      rendering_only: false,
      stream_id: GENERAL,
      stream_name: 'general',
      orig_subject: 'Lunch',
      subject: 'dinner',
      topic_links: [],
      propagate_mode: mode,
    },
  ]);
  const dinner = [
    ['channel', 'general'],
    ['topic', 'dinner'],
  ];
  expect(await places(server, mel, dinner)).toEqual(moved.map((id) => [id, 'dinner']));
  const { body } = await server.get(mel, `/users/me/${GENERAL}/topics`);
  const left = [1, 2, 3].filter((id) => !moved.includes(id)).at(-1);
  const topics = body.topics.map(({ name, max_id }: { name: string; max_id: number }) => [
    name.toLowerCase(),
    max_id,
  ]);
  expect(topics).toEqual(
    [['tea', 4], ['dinner', moved.at(-1)], ...(left === undefined ? [] : [['lunch', left]])].sort(
      ([, one], [, other]) => Number(other) - Number(one),
    ),
  );
  const { body: one } = await server.get(mel, '/messages/2');
  expect(one.message).toMatchObject({
    last_moved_timestamp: Date.UTC(2026, 0, 5, 9) / 1000,
    edit_history: [{ user_id: max.id, prev_topic: 'Lunch', topic: 'dinner' }],
  });
  expect(one.message).not.toHaveProperty('last_edit_timestamp');
});

test('the empty topic is shown by name to clients that know no other', async () => {
  const server = await startTwo();
  const { mel, max } = server.people;
  const id = await say(server, mel, { topic: '' });
  const [modern, old] = [await server.register(max, MODERN), await server.register(max)];
  await server.patch(mel, `/messages/${id}`, { topic: 'tea', ...quiet });
  await server.patch(mel, `/messages/${id}`, { topic: 'general chat', ...quiet });
  const names = (events: WireEvent[]) =>
    events.map((event) => [event['orig_subject'], event['subject']]);
  expect(names(await modern.now())).toEqual([
    ['', 'tea'],
    ['tea', ''],
  ]);
  expect(names(await old.now())).toEqual([
    ['general chat', 'tea'],
    ['tea', 'general chat'],
  ]);
});

test.each(['change_all', 'change_later', 'change_one'])(
  'a change of case alone keeps the topic one, and is told as no move: %s',
  async (propagate_mode) => {
    const server = await startTwo();
    const { mel } = server.people;
    for (let sent = 0; sent < 2; sent += 1) await say(server, mel);
    const followed = { stream_id: GENERAL, topic: 'lunch', visibility_policy: 3 };
    await server.post(mel, '/user_topics', followed);
    const change = {
      topic: 'Lunch',
      propagate_mode,
      send_notification_to_old_thread: true,
      send_notification_to_new_thread: true,
    };
    await expectExactAfter(server, async () => {
      expect(await server.patch(mel, '/messages/2', change)).toMatchObject({ status: 200 });
    });
    const { body } = await server.get(mel, `/users/me/${GENERAL}/topics`);
    expect(body.topics).toEqual([{ name: 'Lunch', max_id: 2 }]);
    const { user_topics } = (await server.post(mel, '/register')).body;
    expect(user_topics).toMatchObject([{ topic_name: 'lunch', visibility_policy: 3 }]);
  },
);

test('resolving takes the mark alone, says so read for those who follow nothing, and takes back what was just said', async () => {
  const server = await startTwo();
  const { mel, max, gus } = server.people;
  const id = await say(server, mel);
  await server.post(gus, '/user_topics', {
    stream_id: GENERAL,
    topic: '✔ lunch',
    visibility_policy: 3,
  });
  const resolve = (topic: string) =>
    server.patch(max, `/messages/${id}`, { topic, propagate_mode: 'change_all' });
  const notice = id + 1;
  await expectExactAfter(server, () => resolve('✔ lunch'));
  expect(await contents(server, [['topic', '✔ lunch']])).toEqual([
    'hello',
    `@_**Max Member|${max.id}** has marked this topic as resolved.`,
  ]);
  expect(await flagsOf(server, max, notice)).toEqual(['read']);
  // Who began the topic follows it, by default.
  expect(await flagsOf(server, mel, notice)).toEqual([]);
  expect(await flagsOf(server, gus, notice)).toEqual([]);
  expect((await server.get(mel, `/messages/${id}`)).body.message).not.toHaveProperty(
    'last_moved_timestamp',
  );
  await pass(server, 59_000);
  await expectExactAfter(server, () => resolve('lunch'));
  expect(await contents(server, [['topic', 'lunch']])).toEqual(['hello']);
  await resolve('✔ lunch');
  await pass(server, 61_000);
  await expectExactAfter(server, () => resolve('lunch'));
  expect(await contents(server, [['topic', 'lunch']])).toEqual([
    'hello',
    expect.stringMatching(/as resolved\.$/),
    expect.stringMatching(/as unresolved\.$/),
  ]);
});

test('a notice that began as read is marked unread and read again like any message', async () => {
  const server = await startTwo();
  const { mel, max } = server.people;
  const id = await say(server, mel);
  await server.patch(max, `/messages/${id}`, { topic: '✔ lunch', propagate_mode: 'change_all' });
  const notice = id + 1;
  const later = await say(server, max, { topic: '✔ lunch' });
  for (const op of ['remove', 'add', 'remove'] as const) {
    await expectExactAfter(server, () =>
      server.post(mel, '/messages/flags', { messages: [notice], op, flag: 'read' }),
    );
    expect(await flagsOf(server, mel, notice)).toEqual(op === 'add' ? ['read'] : []);
  }
  await expectExactAfter(server, () =>
    server.post(mel, '/messages/flags', { messages: [id, notice, later], op: 'add', flag: 'read' }),
  );
  await expectExactAfter(server, () => leave(server, max, 'general'));
});

test('the notices tell what was moved where, and are read for who moved it', async () => {
  const server = await startTwo();
  const { mel } = server.people;
  const by = `by @_**Mel Member|${mel.id}**.`;
  for (let count = 0; count < 4; count++) await say(server, mel);
  const both = { send_notification_to_old_thread: true };
  await server.patch(mel, '/messages/4', { topic: 'one', ...both });
  expect(await contents(server, [['topic', 'one']])).toEqual([
    'hello',
    `A message (#**general>one@4**) was moved here from #**general>lunch** ${by}`,
  ]);
  expect((await contents(server, [['topic', 'lunch']])).at(-1)).toBe(
    `A message (#**general>one@4**) was moved from this topic to #**general>one** ${by}`,
  );
  await server.patch(mel, '/messages/2', {
    topic: 'some',
    propagate_mode: 'change_later',
    ...both,
  });
  expect((await contents(server, [['topic', 'some']])).at(-1)).toBe(
    `3 messages were moved here from #**general>lunch** ${by}`,
  );
  await server.patch(mel, '/messages/1', { topic: 'all', propagate_mode: 'change_all', ...both });
  expect((await contents(server, [['topic', 'all']])).at(-1)).toBe(
    `This topic was moved here from #**general>lunch** ${by}`,
  );
  expect((await contents(server, [['topic', 'lunch']])).at(-1)).toBe(
    `This topic was moved to #**general>all** ${by}`,
  );
  const newest = (await server.get(mel, '/messages', { anchor: 'newest', num_before: 1 })).body;
  expect(newest.messages[0].flags).toEqual(['read']);
});

test('where nothing else is asked for, one message is moved, and only where it went is told of it', async () => {
  const server = await startTwo();
  const { mel } = server.people;
  await say(server, mel, { content: 'first' });
  await say(server, mel, { content: 'second' });
  await say(server, mel, { content: 'third' });
  await server.patch(mel, '/messages/2', { topic: 'tea' });
  expect(await contents(server, [['topic', 'lunch']])).toEqual(['first', 'third']);
  expect(await contents(server, [['topic', 'tea']])).toEqual([
    'second',
    expect.stringMatching(/^A message .* was moved here from/),
  ]);
  await server.patch(mel, '/messages/1', { topic: 'dinner', ...quiet });
  expect(await contents(server, [['topic', 'dinner']])).toEqual(['first']);
});

test('a move to another channel tells the readers of both', async () => {
  const server = await startTwo();
  const { ona, mel, max, mia } = server.people;
  await leave(server, max, 'random');
  await leave(server, mia, 'general');
  for (let count = 0; count < 2; count++) await say(server, mel);
  const queues = await Promise.all([max, mia].map((person) => server.register(person, MODERN)));
  await server.patch(mel, '/messages/1', {
    stream_id: RANDOM,
    propagate_mode: 'change_all',
    ...quiet,
  });
  const event = {
    type: 'update_message',
    message_id: 1,
    message_ids: [1, 2],
    stream_id: GENERAL,
    new_stream_id: RANDOM,
    orig_subject: 'lunch',
    propagate_mode: 'change_all',
  };
  const [forMax, forMia] = [await queues[0]?.now(), await queues[1]?.now()];
  expect(forMax?.map(({ type }) => type)).toEqual([
    'stream',
    'stream',
    'update_message',
    'update_message_flags',
  ]);
  expect(forMax?.[2]).toMatchObject(event);
  expect(forMax?.[2]).not.toHaveProperty('subject');
  expect(forMax?.[3]).toMatchObject({ op: 'add', flag: 'read', messages: [1, 2], all: false });
  expect(forMia?.map(({ type }) => type)).toEqual(['stream', 'stream', 'update_message']);
  expect(forMia?.[2]).toMatchObject({ ...event, flags: ['read'] });
  expect(await flagsOf(server, max, 1)).toEqual(['read']);
  expect(await flagsOf(server, mia, 1)).toEqual(['read', 'historical']);
  expect(await flagsOf(server, ona, 1)).toEqual([]);
  expect((await server.get(ona, '/messages/2')).body.message.edit_history).toEqual([
    { user_id: mel.id, timestamp: expect.any(Number), prev_stream: GENERAL, stream: RANDOM },
  ]);
  expect(await places(server, ona, [['channel', 'random']])).toEqual([
    [1, 'lunch'],
    [2, 'lunch'],
  ]);
  expect(await places(server, ona, [['channel', 'general']])).toEqual([]);
  expect((await server.get(ona, `/users/me/${GENERAL}/topics`)).body.topics).toEqual([]);
});

test('4: unread messages that are moved stay unread for those in both channels, and for nobody else', async () => {
  const server = await startTwo();
  const { ona, mel, max, mia, gus, ada } = server.people;
  await leave(server, max, 'random');
  await leave(server, mia, 'general');
  await leave(server, gus, 'general');
  await leave(server, gus, 'random');
  for (let count = 0; count < 4; count++) {
    await say(server, mel, { content: '@**Ona Owner** @**all**' });
    await say(server, mel, { to: 'random', topic: 'other' });
  }
  // Read, unread again, starred, in every way.
  await server.post(ona, '/messages/flags', { messages: [3, 5], op: 'add', flag: 'read' });
  await server.post(ada, '/messages/flags', { messages: [1, 3, 5, 7], op: 'add', flag: 'read' });
  await server.post(ada, '/messages/flags', { messages: [3], op: 'remove', flag: 'read' });
  for (const person of [max, mia, ada]) {
    await server.post(person, '/messages/flags', { messages: [5], op: 'add', flag: 'starred' });
  }
  const move = (id: number, channelId: number, mode: string) => () =>
    server.patch(ona, `/messages/${id}`, {
      stream_id: channelId,
      propagate_mode: mode,
      send_notification_to_old_thread: true,
    });
  await expectExactAfter(server, move(3, RANDOM, 'change_later'));
  await expectExactAfter(server, move(1, RANDOM, 'change_one'));
  const read = (person: Person, messages: number[], op = 'add') =>
    server.post(person, '/messages/flags', { messages, op, flag: 'read' });
  await expectExactAfter(server, () => read(ona, [1, 2]));
  await expectExactAfter(server, () => read(ona, [2, 3], 'remove'));
  await expectExactAfter(server, () => leave(server, ada, 'general'));
  await expectExactAfter(server, move(3, GENERAL, 'change_all'));
  await expectExactAfter(server, () => leave(server, mel, 'general'));
  await expectExactAfter(server, () =>
    server.post(max, '/users/me/subscriptions', { subscriptions: [{ name: 'random' }] }),
  );
  await expectExactAfter(server, move(5, RANDOM, 'change_all'));
  await expectExactAfter(server, () => leave(server, ona, 'random'));
});

test('who may not read where messages went loses them, with the flags', async () => {
  const server = await startTwo();
  const { ona, mel, max } = server.people;
  const team = await privateChannel(server, 'team', ['mel'], {
    history_public_to_subscribers: true,
  });
  const id = await say(server, mel);
  await say(server, mel, { topic: 'other' });
  await server.post(max, '/messages/flags', { messages: [id], op: 'add', flag: 'starred' });
  const [modern, old] = [await server.register(max, MODERN), await server.register(max)];
  await expectExactAfter(server, () =>
    server.patch(ona, `/messages/${id}`, { stream_id: team, topic: 'secret' }),
  );
  const gone = {
    type: 'delete_message',
    message_type: 'stream',
    stream_id: GENERAL,
    topic: 'lunch',
  };
  const heard = (await modern.now()).filter(({ type }) => type !== 'stream');
  expect(heard).toEqual([{ ...gone, id: expect.any(Number), message_ids: [id] }]);
  expect((await old.now()).filter(({ type }) => type !== 'stream')).toEqual([
    { ...gone, id: expect.any(Number), message_id: id },
  ]);
  expect(await server.get(max, `/messages/${id}`)).toMatchObject(refused(/Invalid message/));
  expect((await server.get(mel, `/messages/${id}`)).status).toBe(200);
  await expectExactAfter(server, () =>
    server.post(ona, '/users/me/subscriptions', {
      subscriptions: [{ name: 'team' }],
      principals: [max.id],
    }),
  );
  expect(await flagsOf(server, max, id)).toEqual(['read']);
});

test('of a protected history only what the user may read is counted and moved', async () => {
  const server = await startTwo();
  const { ona, mel, max } = server.people;
  const board = await privateChannel(server, 'board', ['mel'], {
    history_public_to_subscribers: false,
  });
  const before = await say(server, mel, { to: 'board', topic: 'plan' });
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'board' }],
    principals: [max.id],
  });
  const after = await say(server, mel, { to: 'board', topic: 'plan' });
  const queue = await server.register(mel, MODERN);
  await expectExactAfter(server, async () => {
    const reply = await server.patch(max, `/messages/${after}`, {
      topic: 'new',
      propagate_mode: 'change_all',
    });
    expect(reply.status).toBe(200);
  });
  expect(updates(await queue.now())[0]).toMatchObject({ message_ids: [after] });
  expect(
    await contents(server, [
      ['channel', 'board'],
      ['topic', 'new'],
    ]),
  ).toEqual([
    'hello',
    // All that he could see was moved.
    expect.stringMatching(/^This topic was moved here/),
  ]);
  const topics = async (as: Person) =>
    (await server.get(as, `/users/me/${board}/topics`)).body.topics
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => name !== 'channel events');
  expect(await topics(mel)).toEqual(['new', 'plan']);
  expect(await topics(max)).toEqual(['new']);

  // A change of all, hidden ones among them, is told to each as far as they see.
  const other = await server.register(max, MODERN);
  await expectExactAfter(server, () =>
    server.patch(ona, `/messages/${after}`, { topic: 'plan', ...quiet }),
  );
  await other.now();
  await expectExactAfter(server, () =>
    server.patch(ona, `/messages/${before}`, {
      topic: 'old',
      propagate_mode: 'change_all',
      ...quiet,
    }),
  );
  const [heard] = updates(await other.now());
  expect(heard?.['message_ids']).not.toContain(before);
  expect(heard?.['message_ids']).toContain(after);
});

test('messages moved to a protected history are for those who are there when they come', async () => {
  const server = await startTwo();
  const { ona, mel, max, gus } = server.people;
  const board = await privateChannel(server, 'board', ['mel'], {
    history_public_to_subscribers: false,
  });
  const id = await say(server, mel);
  await expectExactAfter(server, () =>
    server.patch(ona, `/messages/${id}`, { stream_id: board, ...quiet }),
  );
  expect((await server.get(mel, `/messages/${id}`)).status).toBe(200);
  expect(await server.get(max, `/messages/${id}`)).toMatchObject(refused(/Invalid/));
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'board' }],
    principals: [gus.id],
  });
  expect(await server.get(gus, `/messages/${id}`)).toMatchObject(refused(/Invalid/));
  expect((await server.get(gus, `/users/me/${board}/topics`)).body.topics).toEqual([]);
  expect((await server.get(mel, `/users/me/${board}/topics`)).body.topics[0]).toEqual({
    name: 'lunch',
    max_id: id,
  });
});

test('what users decided about a topic goes with it, and of two the more visible stays', async () => {
  const server = await startTwo();
  const { ona, mel, max, gus } = server.people;
  const decide = (as: Person, topic: string, visibility_policy: number) =>
    server.post(as, '/user_topics', { stream_id: GENERAL, topic, visibility_policy });
  await say(server, ona);
  await say(server, ona, { topic: 'tea' });
  await decide(mel, 'lunch', 3);
  await decide(mel, 'tea', 1);
  await decide(max, 'lunch', 1);
  await decide(gus, 'tea', 1);
  const policies = async (as: Person) => {
    const { state } = await server.register(as, MODERN);
    return state.user_topics.map(
      (row: { topic_name: string; stream_id: number; visibility_policy: number }) => [
        row.stream_id,
        row.topic_name,
        row.visibility_policy,
      ],
    );
  };
  await expectExactAfter(server, () =>
    server.patch(ona, '/messages/1', { topic: 'tea', propagate_mode: 'change_all', ...quiet }),
  );
  expect(await policies(mel)).toEqual([[GENERAL, 'tea', 3]]);
  expect(await policies(max)).toEqual([]);
  expect(await policies(gus)).toEqual([]);
  await expectExactAfter(server, () =>
    server.patch(ona, '/messages/1', {
      stream_id: RANDOM,
      topic: 'dinner',
      propagate_mode: 'change_all',
      ...quiet,
    }),
  );
  expect(await policies(mel)).toEqual([[RANDOM, 'dinner', 3]]);
});

test('a topic of more messages than one commit should move is moved in steps, each told of', async () => {
  const server = await startTwo();
  const { ona, mel, max } = server.people;
  const count = MESSAGES_PER_MOVE + 3;
  await sayOften(server, mel, count);
  const queue = await server.register(max, MODERN);
  await expectExactAfter(
    server,
    async () => {
      const reply = await server.patch(ona, `/messages/${count}`, {
        topic: 'dinner',
        propagate_mode: 'change_all',
      });
      expect(reply).toMatchObject({ status: 200, body: { detached_uploads: [] } });
    },
    { people: [ona, mel, max] },
  );
  const told = updates(await queue.now()).map(({ message_id, message_ids }) => [
    message_id,
    message_ids.length,
  ]);
  expect(told).toEqual([
    [count, MESSAGES_PER_MOVE],
    [MESSAGES_PER_MOVE, 3],
  ]);
  expect((await contents(server, [['topic', 'dinner']])).at(-1)).toMatch(/^This topic was moved/);
  expect((await server.get(ona, `/users/me/${GENERAL}/topics`)).body.topics).toHaveLength(1);
});

test('what one of many messages may not do is refused before any of them is moved', async () => {
  const server = await startTwo();
  const { ona, mel } = server.people;
  const count = MESSAGES_PER_MOVE + 3;
  await sayOften(server, mel, count);
  // The last one has been moved as often as can be, and is back.
  await server.perform((tx) => {
    const row = tx.messages.get([count]);
    if (row === undefined) throw new Error('no message');
    const moves = Array.from({ length: CHANNEL_MOVES_PER_MESSAGE_MAX }, () => [GENERAL, count]);
    tx.departedMessages.put([GENERAL, count], { moves: moves.flat(), isQuiet: false });
    tx.arrivedMessages.put([GENERAL, count], {});
    tx.messages.put([count], { ...row, homeChannelId: GENERAL, arrivedAt: count });
  });
  const queue = await server.register(mel, MODERN);
  const far = { stream_id: RANDOM, ...quiet };
  const all = { ...far, propagate_mode: 'change_all' };
  expect(await server.patch(ona, '/messages/1', all)).toMatchObject(refused(/at most 100 times/));
  expect(await server.patch(ona, `/messages/${count}`, far)).toMatchObject(
    refused(/at most 100 times/),
  );
  expect(await queue.now()).toEqual([]);
  expect(await places(server, ona, [['channel', 'random']])).toEqual([]);
  // Within the channel it may go anywhere.
  const near = { topic: 'tea', propagate_mode: 'change_all', ...quiet };
  expect(await server.patch(ona, '/messages/1', near)).toMatchObject({ status: 200 });
});

test('a topic too long for one look is looked at as a whole before any of it is moved', async () => {
  const server = await startTwo();
  const { ona, mel } = server.people;
  const count = MESSAGES_PER_SURVEY + 3;
  await server.set('move_messages_within_stream_limit_seconds', 600);
  await sayOften(server, mel, 2);
  await pass(server, 700_000);
  await sayOften(server, mel, count - 2);
  const queue = await server.register(mel, MODERN);
  const change = { topic: 'tea', propagate_mode: 'change_all', ...quiet };
  expect(await server.patch(mel, `/messages/${count}`, change)).toMatchObject({
    status: 400,
    body: {
      code: 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
      first_message_id_allowed_to_move: 3,
      total_messages_in_topic: count,
      total_messages_allowed_to_move: count - 2,
    },
  });
  expect(await queue.now()).toEqual([]);
  expect(await server.patch(ona, `/messages/${count}`, change)).toMatchObject({ status: 200 });
  const moved = updates(await queue.now()).flatMap(({ message_ids }) => message_ids as number[]);
  const everyId = Array.from({ length: count }, (_, index) => index + 1);
  expect(moved.toSorted((one, other) => one - other)).toEqual(everyId);
  expect((await server.get(ona, `/users/me/${GENERAL}/topics`)).body.topics).toHaveLength(1);
});

test('what is forbidden while a topic is looked at stops the move before it begins', async () => {
  const server = await startTwo();
  const { max, mel } = server.people;
  await sayOften(server, mel, MESSAGES_PER_SURVEY);
  const request = {
    messageId: 1,
    content: undefined,
    topic: 'tea',
    channelId: undefined,
    mode: 'change_all',
    tellsOldThread: false,
    tellsNewThread: false,
    contentHash: undefined,
  } as const;
  const step = (rest?: messageUpdates.Rest) =>
    server.perform((tx, place) => {
      const user = tx.users.get([max.id]);
      if (user === undefined) throw new Error('nobody');
      const caller = { user, place, client: 'test' };
      return messageUpdates.update(tx, caller, { request, rest }).rest;
    });
  const rest = await step();
  expect(rest).toHaveProperty('survey');
  await server.set('can_move_messages_between_topics_group', systemGroupId('role:moderators'));
  await expect(step(rest)).rejects.toThrow(/permission to edit/);
  // What was found is about a topic where the message is not any more.
  await server.set('can_move_messages_between_topics_group', systemGroupId('role:members'));
  expect(await server.patch(mel, '/messages/1', { topic: 'dinner', ...quiet })).toMatchObject({
    status: 200,
  });
  expect(await step(rest)).toBe(undefined);
  expect(await places(server, mel, [['topic', 'tea']])).toEqual([[1, 'tea']]);
});

test('a move that has begun is done to its end, whatever becomes of channels, permissions and the mover', async () => {
  const server = await startTwo();
  const { ona, ada, mel } = server.people;
  const count = 6 * MESSAGES_PER_MOVE;
  await sayOften(server, mel, count);
  const change = { stream_id: RANDOM, propagate_mode: 'change_all' };
  const reply = server.patch(ada, '/messages/1', change);
  const isEnded = () =>
    server.perform((tx) => {
      const left = tx.topics.get([GENERAL, 'lunch'])?.messageCount ?? 0;
      if (left === count) return false;
      expect(left).toBeGreaterThan(0);
      const [user, channel] = [tx.users.get([ada.id]), tx.channels.get([RANDOM])];
      if (user === undefined || channel === undefined) throw new Error('nobody or nowhere');
      tx.users.put([ada.id], { ...user, isActive: false, role: Role.guest });
      tx.channels.put([RANDOM], { ...channel, isArchived: true });
      return true;
    });
  while (!(await isEnded())); // each takes the place of one commit between two steps of the move
  expect(await reply).toMatchObject({ status: 200, body: { detached_uploads: [] } });
  const left = await server.perform((tx) => tx.topics.get([GENERAL, 'lunch']));
  const moved = await server.perform((tx) => tx.topics.get([RANDOM, 'lunch'])?.messageCount);
  expect([left, moved]).toEqual([undefined, count + 1]);
  expect((await contents(server, [['channel', 'random']])).at(-1)).toMatch(/Ada Administrator/);
  expect(await server.get(ona, '/messages/1')).toMatchObject({ status: 200 });
});

test('topics are changed by those who may, in the time for it', async () => {
  const server = await startTwo();
  const { ona, mia, mel, max } = server.people;
  const id = await say(server, mel);
  const rename = (as: Person, topic: string) =>
    server.patch(as, `/messages/${id}`, { topic, ...quiet });
  const ok = { status: 200 };
  expect(await rename(max, 'a')).toMatchObject(ok);
  await server.set('can_move_messages_between_topics_group', systemGroupId('role:moderators'));
  expect(await rename(max, 'b')).toMatchObject(refused(/permission to edit/));
  // Resolving is a permission of its own.
  expect(await rename(max, '✔ a')).toMatchObject(ok);
  await server.set('can_resolve_topics_group', systemGroupId('role:moderators'));
  expect(await rename(max, 'a')).toMatchObject(refused(/permission to resolve/));
  expect(await rename(mia, 'a')).toMatchObject(ok);
  for (const name of [
    'can_move_messages_within_channel_group',
    'can_resolve_topics_group',
  ] as const) {
    await server.perform((tx) => {
      const channel = tx.channels.get([GENERAL]);
      if (channel === undefined) throw new Error('no channel');
      const groups = { ...channel.groups, [name]: systemGroupId('role:members') };
      tx.channels.put([GENERAL], { ...channel, groups });
    });
  }
  expect(await rename(max, 'b')).toMatchObject(ok);
  expect(await rename(max, '✔ b')).toMatchObject(ok);
  await server.set('move_messages_within_stream_limit_seconds', 600);
  await pass(server, 620_000);
  expect(await rename(max, 'c')).toMatchObject(ok);
  await pass(server, 1_000);
  expect(await rename(max, 'd')).toMatchObject(refused(/time limit for editing.*topic/));
  expect(await rename(max, '✔ c')).toMatchObject(ok);
  expect(await rename(mia, 'd')).toMatchObject(ok);
  expect(await rename(ona, 'da')).toMatchObject(ok);
  await server.set('move_messages_within_stream_limit_seconds', null);
  expect(await rename(max, 'e')).toMatchObject(ok);
  expect(await rename(ona, 'f')).toMatchObject(ok);
});

test('messages leave a channel by those who may, to where these may post', async () => {
  const server = await startTwo();
  const { ona, mia, mel, max, gus } = server.people;
  const id = await say(server, mel);
  const move = (as: Person, stream_id: number) =>
    server.patch(as, `/messages/${id}`, { stream_id, ...quiet });
  const ok = { status: 200 };
  expect(await move(gus, RANDOM)).toMatchObject(refused(/permission to move/));
  expect(await move(max, RANDOM)).toMatchObject(ok);
  await server.set('can_move_messages_between_channels_group', systemGroupId('role:moderators'));
  expect(await move(max, GENERAL)).toMatchObject(refused(/permission to move/));
  await server.perform((tx) => {
    const channel = tx.channels.get([RANDOM]);
    if (channel === undefined) throw new Error('no channel');
    const groups = {
      ...channel.groups,
      can_move_messages_out_of_channel_group: systemGroupId('role:members'),
    };
    tx.channels.put([RANDOM], { ...channel, groups });
  });
  expect(await move(max, GENERAL)).toMatchObject(ok);
  const team = await privateChannel(server, 'team', []);
  expect(await move(mia, team)).toMatchObject(refused(/Invalid channel ID/));
  await server.perform((tx) => {
    const channel = tx.channels.get([RANDOM]);
    if (channel === undefined) throw new Error('no channel');
    const can_send_message_group = systemGroupId('role:administrators');
    tx.channels.put([RANDOM], {
      ...channel,
      groups: { ...channel.groups, can_send_message_group },
    });
  });
  expect(await move(mia, RANDOM)).toMatchObject(refused(/Not authorized to send/));
  expect(await move(ona, RANDOM)).toMatchObject(ok);
  await server.perform((tx) => {
    const channel = tx.channels.get([GENERAL]);
    if (channel === undefined) throw new Error('no channel');
    tx.channels.put([GENERAL], { ...channel, isArchived: true });
  });
  expect(await move(ona, GENERAL)).toMatchObject(refused(/Not authorized to send/));
});

test('moving between channels has its own time', async () => {
  const server = await startTwo();
  const { ona, mia, mel } = server.people;
  const id = await say(server, mel);
  const move = (as: Person, stream_id: number) =>
    server.patch(as, `/messages/${id}`, { stream_id, ...quiet });
  await server.set('move_messages_between_streams_limit_seconds', 600);
  await pass(server, 620_000);
  expect(await move(mel, RANDOM)).toMatchObject({ status: 200 });
  await pass(server, 1_000);
  expect(await move(mel, GENERAL)).toMatchObject(refused(/time limit for editing.*channel/));
  expect(await move(mia, GENERAL)).toMatchObject({ status: 200 });
  expect(await move(ona, RANDOM)).toMatchObject({ status: 200 });
});

test('a whole topic that is partly too old is refused with what may be moved, which then can be', async () => {
  const server = await startTwo();
  const { mia, mel } = server.people;
  await server.set('move_messages_within_stream_limit_seconds', 600);
  for (let count = 0; count < 3; count++) await say(server, mel);
  await pass(server, 300_000);
  const young = await say(server, mel);
  await say(server, mel);
  await pass(server, 400_000);
  const change = { topic: 'tea', propagate_mode: 'change_all' };
  expect(await server.patch(mel, `/messages/${young}`, change)).toEqual({
    status: 400,
    headers: expect.anything(),
    body: {
      result: 'error',
      code: 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
      msg: expect.stringMatching(/2\/5 most recent/),
      first_message_id_allowed_to_move: young,
      total_messages_in_topic: 5,
      total_messages_allowed_to_move: 2,
    },
  });
  const later = { ...change, propagate_mode: 'change_later' };
  expect(await server.patch(mel, `/messages/${young}`, later)).toMatchObject({ status: 200 });
  expect(await places(server, mel, [['topic', 'tea']])).toHaveLength(3);
  // A whole topic is resolved however old it is, and moderators have no limit.
  const resolve = { topic: '✔ lunch', propagate_mode: 'change_all' };
  expect(await server.patch(mel, '/messages/1', resolve)).toMatchObject({ status: 200 });
  const old = { topic: 'old', propagate_mode: 'change_all' };
  expect(await server.patch(mia, '/messages/1', old)).toMatchObject({ status: 200 });
});

test('the target has a say: its topics policy, and who may begin topics there', async () => {
  const server = await startTwo();
  const { mel } = server.people;
  const id = await say(server, mel);
  const change = (params: object) => server.patch(mel, `/messages/${id}`, { ...params, ...quiet });
  await server.set('topics_policy', 'disable_empty_topic');
  expect(await change({ topic: '' })).toMatchObject(refused(/general chat is not allowed/));
  await server.perform((tx) => {
    const channel = tx.channels.get([GENERAL]);
    if (channel === undefined) throw new Error('no channel');
    const can_create_topic_group = systemGroupId('role:moderators');
    tx.channels.put([GENERAL], {
      ...channel,
      groups: { ...channel.groups, can_create_topic_group },
    });
  });
  expect(await change({ topic: 'new' })).toMatchObject(refused(/create new topics/));
  expect(await change({ topic: '✔ lunch', propagate_mode: 'change_all' })).toMatchObject({
    status: 200,
  });
});

test('content and topic change together, in one event', async () => {
  const server = await startTwo();
  const { mel, max } = server.people;
  const id = await say(server, mel);
  await say(server, mel);
  const queue = await server.register(max, MODERN);
  await expectExactAfter(server, () =>
    server.patch(mel, `/messages/${id}`, {
      content: 'new',
      topic: 'tea',
      propagate_mode: 'change_all',
      ...quiet,
    }),
  );
  expect(await queue.now()).toMatchObject([
    {
      message_id: id,
      message_ids: [id, id + 1],
      content: 'new',
      orig_content: 'hello',
      subject: 'tea',
    },
  ]);
});

test('the first messages of both channels follow a move', async () => {
  const server = await startTwo();
  const { ona, mel } = server.people;
  const id = await say(server, mel);
  const second = await say(server, mel);
  const queue = await server.register(mel, MODERN);
  await server.patch(ona, `/messages/${id}`, { stream_id: RANDOM, ...quiet });
  const told = (await queue.now())
    .filter(({ type }) => type === 'stream')
    .map(({ stream_id, value }) => [stream_id, value]);
  expect(told).toEqual([
    [GENERAL, second],
    [RANDOM, id],
  ]);
});
