import { expect, test } from 'vitest';
import { expectExactAfter, MODERN } from '../../../support/applying/follow.ts';
import type { WireEvent } from '../../../support/client.ts';
import {
  contents,
  flagsOf,
  GENERAL,
  leave,
  places,
  quiet,
  RANDOM,
  say,
  startTwo,
} from '../../../support/messages/moving.ts';
import type { Person } from '../../../support/users.ts';

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

test('what is said of a move in an archived channel is read there, as everything else is', async () => {
  const server = await startTwo();
  const { mel, max, ona } = server.people;
  const [first] = [await say(server, mel), await say(server, mel)];
  await server.post(max, '/user_topics', {
    stream_id: GENERAL,
    topic: 'lunch',
    visibility_policy: 1,
  });
  await server.delete(ona, `/streams/${GENERAL}`);
  await expectExactAfter(server, async () => {
    const moved = await server.patch(ona, `/messages/${first}`, {
      topic: 'dinner',
      propagate_mode: 'change_one',
      send_notification_to_old_thread: true,
      send_notification_to_new_thread: true,
    });
    expect(moved).toMatchObject({ status: 200 });
  });
  for (const topic of ['lunch', 'dinner']) {
    const said = await contents(server, [['topic', topic]]);
    expect(said.at(-1)).toMatch(/moved/);
  }
  const { state } = await server.register(max, MODERN);
  expect(state.unread_msgs).toMatchObject({ count: 0, streams: [] });
});

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
  // The user who began the topic follows it by default.
  expect(await flagsOf(server, mel, notice)).toEqual([]);
  expect(await flagsOf(server, gus, notice)).toEqual([]);
  expect((await server.get(mel, `/messages/${id}`)).body.message).not.toHaveProperty(
    'last_moved_timestamp',
  );
  await server.advance(59_000);
  await expectExactAfter(server, () => resolve('lunch'));
  expect(await contents(server, [['topic', 'lunch']])).toEqual(['hello']);
  await resolve('✔ lunch');
  await server.advance(61_000);
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
