import { expect, test } from 'vitest';
import { systemGroupId } from '../../../../src/domain/wire/system-groups.ts';
import {
  GENERAL,
  places,
  privateChannel,
  quiet,
  RANDOM,
  say,
  startTwo,
} from '../../../support/messages/moving.ts';
import { refused } from '../../../support/refusals.ts';
import type { Person } from '../../../support/users.ts';

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
  await server.advance(620_000);
  expect(await rename(max, 'c')).toMatchObject(ok);
  await server.advance(1_000);
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
  expect(await move(mia, RANDOM)).toMatchObject(
    refused(
      /You do not have permission to post in this channel\.|Not authorized to send to channel '/,
    ),
  );
  expect(await move(ona, RANDOM)).toMatchObject(ok);
  await server.perform((tx) => {
    const channel = tx.channels.get([GENERAL]);
    if (channel === undefined) throw new Error('no channel');
    tx.channels.put([GENERAL], { ...channel, isArchived: true });
  });
  expect(await move(ona, GENERAL)).toMatchObject(
    refused(
      /You do not have permission to post in this channel\.|Not authorized to send to channel '/,
    ),
  );
});

test('moving between channels has its own time', async () => {
  const server = await startTwo();
  const { ona, mia, mel } = server.people;
  const id = await say(server, mel);
  const move = (as: Person, stream_id: number) =>
    server.patch(as, `/messages/${id}`, { stream_id, ...quiet });
  await server.set('move_messages_between_streams_limit_seconds', 600);
  await server.advance(620_000);
  expect(await move(mel, RANDOM)).toMatchObject({ status: 200 });
  await server.advance(1_000);
  expect(await move(mel, GENERAL)).toMatchObject(refused(/time limit for editing.*channel/));
  expect(await move(mia, GENERAL)).toMatchObject({ status: 200 });
  expect(await move(ona, RANDOM)).toMatchObject({ status: 200 });
});

test('a whole topic that is partly too old is refused with what may be moved, which then can be', async () => {
  const server = await startTwo();
  const { mia, mel } = server.people;
  await server.set('move_messages_within_stream_limit_seconds', 600);
  for (let count = 0; count < 3; count++) await say(server, mel);
  await server.advance(300_000);
  const young = await say(server, mel);
  await say(server, mel);
  await server.advance(400_000);
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
