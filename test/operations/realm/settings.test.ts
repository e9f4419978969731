import { expect, test } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { startServer } from '../../support/start-server.ts';

const MODERATORS = systemGroupId('role:moderators');

test('a setting of the organization is told to everyone, in the form that it has', async () => {
  const server = await startServer();
  const { ona, gus } = server.people;
  const queues = await Promise.all([ona, gus].map((person) => server.register(person)));
  await server.set('allow_message_editing', false);
  await server.set('topics_policy', 'disable_empty_topic');
  await server.set('can_mention_many_users_group', MODERATORS);
  await server.set('can_mention_many_users_group', MODERATORS);
  await server.set('move_messages_within_stream_limit_seconds', 60);
  const event = { id: expect.any(Number), type: 'realm' };
  const several = { ...event, op: 'update_dict', property: 'default' };
  for (const queue of queues) {
    expect(await queue.now()).toEqual([
      { ...several, data: { allow_message_editing: false } },
      { ...several, data: { topics_policy: 'disable_empty_topic', mandatory_topics: true } },
      { ...several, data: { can_mention_many_users_group: MODERATORS } },
      {
        ...event,
        op: 'update',
        property: 'move_messages_within_stream_limit_seconds',
        value: 60,
      },
    ]);
  }
  expect((await server.register(gus)).state).toMatchObject({
    realm_allow_message_editing: false,
    realm_topics_policy: 'disable_empty_topic',
    realm_mandatory_topics: true,
    realm_can_mention_many_users_group: MODERATORS,
    realm_move_messages_within_stream_limit_seconds: 60,
  });
});
