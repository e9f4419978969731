import { expect, test } from 'vitest';
import {
  CHANNEL_MOVES_PER_MESSAGE_MAX,
  MESSAGES_PER_MOVE,
  MESSAGES_PER_SURVEY,
} from '../../../../src/domain/limits/messages.ts';
import { Role } from '../../../../src/domain/wire/roles.ts';
import { systemGroupId } from '../../../../src/domain/wire/system-groups.ts';
import * as messageUpdates from '../../../../src/operations/messages/updates.ts';
import { expectExactAfter, MODERN } from '../../../support/applying/follow.ts';
import {
  contents,
  GENERAL,
  places,
  quiet,
  RANDOM,
  sayOften,
  startTwo,
  updates,
} from '../../../support/messages/moving.ts';
import { refused } from '../../../support/refusals.ts';

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
  // The last message has been moved as often as it can be, and is back.
  await server.perform((tx) => {
    const row = tx.messages.get([count]);
    if (row === undefined) throw new Error('no message');
    const moves = Array.from({ length: CHANNEL_MOVES_PER_MESSAGE_MAX }, () => [GENERAL, count]);
    tx.movedOutMessages.put([GENERAL, count], { moves: moves.flat(), isQuiet: false });
    tx.movedInMessages.put([GENERAL, count], {});
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
  await server.advance(700_000);
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
    notifiesOldThread: false,
    notifiesNewThread: false,
    contentHash: undefined,
  } as const;
  const step = (rest?: messageUpdates.Rest) =>
    server.perform((tx, site) => {
      const user = tx.users.get([max.id]);
      if (user === undefined) throw new Error('nobody');
      const caller = { user, site, client: 'test' };
      return messageUpdates.update(tx, caller, { request, rest }).rest;
    });
  const rest = await step();
  expect(rest).toHaveProperty('survey');
  await server.set('can_move_messages_between_topics_group', systemGroupId('role:moderators'));
  await expect(step(rest)).rejects.toThrow(/permission to edit/);
  // The first step looked at a topic that the message has left since then.
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
