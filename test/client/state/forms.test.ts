import { expect, test } from 'vitest';
import { snapshotOf } from '../../../client/src/store/snapshot-of.ts';
import { comparable, type Snapshot } from '../../support/applying/snapshot.ts';
import { openState, REGISTERED } from '../../support/applying/state-of.ts';
import type { TestQueue } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

/** Programs ask for parts of a snapshot, or for other channels than their own. */

/** Changes of many kinds, as others make them and the user. */
async function change({ people, post, patch, delete: remove }: TestServer) {
  const { ona, mel, max } = people;
  const send = (to: string, topic: string, content = 'x') =>
    post(max, '/messages', { type: 'channel', to, topic, content });
  const make = (name: string, principals: readonly number[]) =>
    post(ona, '/users/me/subscriptions', { subscriptions: [{ name }], principals });
  await make('tea', [mel.id, max.id]);
  await make('elsewhere', [max.id]);
  await send('general', 'lunch', '@**Mel Member**');
  await send('tea', 'green');
  await send('elsewhere', 'far');
  await post(max, '/messages', { type: 'direct', to: [mel.id], content: 'x' });
  await patch(ona, '/messages/1', { topic: 'dinner', send_notification_to_new_thread: false });
  await post(mel, '/user_topics', { stream_id: 1, topic: 'dinner', visibility_policy: 1 });
  await remove(mel, '/users/me/subscriptions', { subscriptions: ['tea'] });
  await post(mel, '/users/me/subscriptions', { subscriptions: [{ name: 'tea' }] });
  await send('tea', 'black');
  await patch(ona, `/users/${max.id}`, { full_name: 'Max Maximal' });
}

async function stateAfter(queue: TestQueue) {
  const state = openState(queue.state, { ownId: queue.as.id });
  for (const event of await queue.now()) state.apply(event);
  return snapshotOf(state) as unknown as Snapshot;
}

test('without lists of subscribers the state equals a fresh register, and has none', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const form = { ...REGISTERED, include_subscribers: 'false' };
  const queue = await server.register(mel, form);
  await change(server);
  const kept = await stateAfter(queue);
  const fresh = (await server.register(mel, form)).state as Snapshot;
  expect(comparable(kept, fresh)).toEqual(comparable(fresh));
  expect(JSON.stringify(kept)).not.toContain('"subscribers"');
});

test('messages of channels that one is not subscribed to are not unread', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const form = { ...REGISTERED, all_public_streams: true };
  const queue = await server.register(mel, form);
  await change(server);
  const kept = await stateAfter(queue);
  const fresh = (await server.register(mel, form)).state as Snapshot;
  expect(comparable(kept, fresh)).toEqual(comparable(fresh));
});

test.each([
  { fetch_event_types: ['message', 'subscription', 'user_topic', 'update_message_flags'] },
  { fetch_event_types: ['message'] },
  { fetch_event_types: ['realm_user'] },
  { event_types: ['message', 'update_message_flags', 'subscription', 'stream', 'user_topic'] },
])('a part of a snapshot is kept as it would be fetched: %j', async (part) => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const form = { ...REGISTERED, ...part };
  const queue = await server.register(mel, form);
  await change(server);
  const kept = await stateAfter(queue);
  const { state: fresh } = await server.register(mel, form);
  expect(Object.keys(kept).toSorted()).toEqual(Object.keys(fresh).toSorted());
  expect(
    kept.realm_users?.find(({ user_id: id }) => id === server.people.max.id)?.['full_name'],
  ).toBe(
    fresh.realm_users?.find(({ user_id: id }: { user_id: number }) => id === server.people.max.id)
      ?.full_name,
  );
  if ('subscriptions' in fresh && 'unread_msgs' in fresh) {
    expect(kept.unread_msgs.count).toBe(fresh.unread_msgs.count);
    expect(kept.unread_msgs.mentions).toEqual(fresh.unread_msgs.mentions);
  }
});
