import { expect, test } from 'vitest';
import { expectExactAfter, MODERN } from '../../../support/applying/follow.ts';
import {
  contents,
  flagsOf,
  GENERAL,
  leave,
  places,
  privateChannel,
  quiet,
  RANDOM,
  say,
  startTwo,
  updates,
} from '../../../support/messages/moving.ts';
import { refused } from '../../../support/refusals.ts';
import type { Person } from '../../../support/users.ts';

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
  // Some messages are read, some unread again, some starred, in every way.
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
    // Everything that he could see was moved.
    expect.stringMatching(/^This topic was moved here/),
  ]);
  const topics = async (as: Person) =>
    (await server.get(as, `/users/me/${board}/topics`)).body.topics
      .map(({ name }: { name: string }) => name)
      .filter((name: string) => name !== 'channel events');
  expect(await topics(mel)).toEqual(['new', 'plan']);
  expect(await topics(max)).toEqual(['new']);

  // A change of all messages, hidden ones among them, is told to each user as far as they can see.
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
