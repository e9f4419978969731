import { expect, test } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { expectExactAfter, MODERN } from '../../support/applying/follow.ts';
import { say } from '../../support/messages/moving.ts';
import { refused } from '../../support/refusals.ts';
import { startServer } from '../../support/start-server.ts';

test('an administrator deletes a message, and those who saw it are told in the form they know', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel, max } = server.people;
  const first = await say(server, mel);
  const id = await say(server, mel, { topic: '' });
  const [modern, old] = [await server.register(max, MODERN), await server.register(max)];

  expect(await server.delete(ada, `/messages/${id}`)).toMatchObject({ status: 200 });
  const event = { id: expect.any(Number), type: 'delete_message', message_type: 'stream' };
  const { body } = await server.get(max, '/users/me/subscriptions');
  const place = { stream_id: body.subscriptions[0].stream_id };
  expect(await modern.now()).toEqual([{ ...event, ...place, message_ids: [id], topic: '' }]);
  expect(await old.now()).toEqual([{ ...event, ...place, message_id: id, topic: 'general chat' }]);
  expect(await server.get(max, `/messages/${id}`)).toMatchObject(refused(/Invalid message/));
  const topics = await server.get(max, `/users/me/${place.stream_id}/topics`);
  expect(topics.body.topics).toEqual([{ name: 'lunch', max_id: first }]);
});

test('the channel tells its first message before the deletion', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel } = server.people;
  const first = await say(server, mel);
  const second = await say(server, mel);
  const queue = await server.register(mel, MODERN);
  await server.delete(ada, `/messages/${first}`);
  await server.delete(ada, `/messages/${second}`);
  const events = (await queue.now()).map(({ type, value, message_ids }) => [
    type,
    value ?? message_ids ?? null,
  ]);
  expect(events).toEqual([
    ['stream', second],
    ['delete_message', [first]],
    ['stream', null],
    ['delete_message', [second]],
  ]);
});

test('nothing of a deleted message stays in the store', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ada, mel, max } = server.people;
  const id = await say(server, mel, { content: '@**Max Member** @**all** hi' });
  await server.post(max, `/messages/${id}/reactions`, { emoji_name: 'tada' });
  await server.post(ada, '/messages/flags', { messages: [id], op: 'add', flag: 'starred' });
  await server.delete(ada, `/messages/${id}`);
  const left = await server.perform((tx) => [
    ...tx.messages.keys({}),
    ...tx.channelMessages.keys({}),
    ...tx.topicMessages.keys({}),
    ...tx.topics.keys({}),
    ...tx.senderMessages.keys({}),
    ...tx.messageFlags.keys({}),
    ...tx.flaggedMessages.keys({}),
    ...tx.flagHolders.keys({}),
    ...tx.mentionSetMessages.keys({}),
    ...tx.messageMentionSets.keys({}),
    ...tx.reactions.keys({}),
  ]);
  expect(left).toEqual([]);
});

test('own messages are deleted by those allowed to, in the time allowed', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const [first, second, third] = [
    await say(server, mel),
    await say(server, mel),
    await say(server, mel),
  ];
  expect(await server.delete(max, `/messages/${first}`)).toMatchObject(
    refused(/don't have permission to delete/),
  );
  await server.advance(600_000);
  expect(await server.delete(mel, `/messages/${first}`)).toMatchObject({ status: 200 });
  await server.advance(1_000);
  expect(await server.delete(mel, `/messages/${second}`)).toMatchObject(
    refused(/time limit for deleting/),
  );
  await server.set('message_content_delete_limit_seconds', null);
  expect(await server.delete(mel, `/messages/${second}`)).toMatchObject({ status: 200 });
  await server.set('can_delete_own_message_group', systemGroupId('role:moderators'));
  expect(await server.delete(mel, `/messages/${third}`)).toMatchObject(
    refused(/don't have permission to delete/),
  );
  await server.set('can_delete_any_message_group', systemGroupId('role:members'));
  expect(await server.delete(max, `/messages/${third}`)).toMatchObject({ status: 200 });
});

test('a channel may let more people delete in it, and the owner of a bot what it said', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel, max, bot } = server.people;
  await server.set('can_delete_any_message_group', systemGroupId('role:nobody'));
  const id = await say(server, mel);
  const ofBot = await say(server, bot);
  expect(await server.delete(ona, `/messages/${id}`)).toMatchObject(refused(/permission/));
  expect(await server.delete(ona, `/messages/${ofBot}`)).toMatchObject({ status: 200 });
  await server.perform((tx) => {
    const channel = tx.channels.get([1]);
    if (channel === undefined) throw new Error('no channel');
    const can_delete_any_message_group = { direct_members: [max.id], direct_subgroups: [] };
    const groups = { ...channel.groups, can_delete_any_message_group };
    tx.channels.put([1], { ...channel, groups });
  });
  expect(await server.delete(max, `/messages/${id}`)).toMatchObject({ status: 200 });
});

test.each([{ id: '99' }, { id: '-1' }, { id: '9007199254740991' }])(
  'a message that is not there cannot be deleted: $id',
  async ({ id }) => {
    const server = await startServer({ channels: ['general'] });
    expect(await server.delete(server.people.ada, `/messages/${id}`)).toMatchObject(
      refused(/Invalid message/),
    );
  },
);

test('who starred what they may not read any more hears of the star alone', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, mel } = server.people;
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'team' }],
    invite_only: true,
    principals: [ona.id, mel.id],
  });
  const message = { type: 'channel', to: 'team', topic: 'plan', content: 'secret' };
  const { body } = await server.post(ona, '/messages', message);
  await server.post(mel, '/messages/flags', { messages: [body.id], op: 'add', flag: 'starred' });
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['team'] });
  const queue = await server.register(mel, MODERN);
  await expectExactAfter(server, () => server.delete(ona, `/messages/${body.id}`));
  expect(await queue.now()).toEqual([
    {
      id: expect.any(Number),
      type: 'update_message_flags',
      op: 'remove',
      operation: 'remove',
      flag: 'starred',
      messages: [body.id],
      all: false,
    },
  ]);
});

test('4: deletions change a snapshot by their events', async () => {
  const server = await startServer({ channels: ['general'] });
  const { ona, ada, mel, max, gus } = server.people;
  await say(server, mel);
  const id = await say(server, mel, { content: '@**Max Member** @**all**' });
  const to = JSON.stringify([mel.id, max.id]);
  const { body } = await server.post(ona, '/messages', { type: 'direct', to, content: 'psst' });
  for (const person of [max, gus]) {
    await server.post(person, '/messages/flags', { messages: [id], op: 'add', flag: 'starred' });
  }
  await server.delete(gus, '/users/me/subscriptions', { subscriptions: ['general'] });
  await expectExactAfter(server, async () => {
    for (const each of [body.id, id]) {
      const reply = await server.delete(each === id ? ada : ona, `/messages/${each}`);
      expect(reply.status).toBe(200);
    }
  });
});
