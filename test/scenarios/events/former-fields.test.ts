import { expect, test } from 'vitest';
import { keepState } from '../../support/applying/kept-state.ts';
import { comparable, type Snapshot } from '../../support/applying/snapshot.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

/**
 * Existing clients end without certain fields of former years; these are only there if there is an
 * alias prefix.
 */

const FULL = {
  include_subscribers: 'true',
  client_capabilities: { notification_settings_null: true, user_settings_object: true },
};

const served = (prefix: string) =>
  startServer({ channels: ['general'], env: { CONFAB_ALIAS_PREFIX: prefix } });

async function addressesOf(server: TestServer) {
  const { mel } = server.people;
  const { body } = await server.post(mel, '/register', FULL);
  const listed = await server.get(mel, '/users/me/subscriptions');
  return [...body.subscriptions, ...body.unsubscribed, ...listed.body.subscriptions].map(
    ({ email_address }) => email_address,
  );
}

test('subscriptions have an address, which is empty, also those that come by events', async () => {
  const server = await served('acme');
  const { ona, mel } = server.people;
  const queue = await server.register(mel, FULL);
  const state = keepState(queue.state);

  const subscriptions = [{ name: 'tea' }];
  await server.post(ona, '/users/me/subscriptions', { subscriptions, principals: [mel.id] });
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['general'] });
  await server.delete(ona, '/streams/2');
  await server.patch(ona, '/streams/2', { is_archived: false });

  for (const event of await queue.now()) state.apply(event);
  const fresh = await server.register(mel, FULL);
  expect(comparable(state.snapshot())).toEqual(comparable(fresh.state as unknown as Snapshot));
  expect(await addressesOf(server)).toEqual(['', '', '']);
});

test('a reaction says who it is from, as its event does', async () => {
  const server = await served('acme');
  const { mel, max } = server.people;
  const message = { type: 'channel', to: 'general', topic: 'tea', content: 'Tea?' };
  const { body } = await server.post(mel, '/messages', message);
  const queue = await server.register(mel, { event_types: ['reaction'] });
  await server.post(max, `/messages/${body.id}/reactions`, { emoji_name: 'tada' });

  const [event] = await queue.now();
  const user = { user_id: max.id, email: max.email, full_name: max.fullName };
  expect(event).toMatchObject({ user });
  const one = await server.get(mel, `/messages/${body.id}`);
  const all = await server.get(mel, '/messages', { anchor: 'newest', num_before: 1, num_after: 0 });
  for (const shown of [one.body.message, all.body.messages[0]]) {
    expect(shown.reactions).toMatchObject([{ emoji_name: 'tada', user_id: max.id, user }]);
  }
});

test('there is nothing of it without a prefix', async () => {
  const server = await served('');
  const { mel } = server.people;
  expect(await addressesOf(server)).toEqual([undefined, undefined]);
  const message = { type: 'channel', to: 'general', topic: 'tea', content: 'Tea?' };
  const { body } = await server.post(mel, '/messages', message);
  await server.post(mel, `/messages/${body.id}/reactions`, { emoji_name: 'tada' });
  const { reactions } = (await server.get(mel, `/messages/${body.id}`)).body.message;
  expect(Object.keys(reactions[0])).toEqual([
    'emoji_name',
    'emoji_code',
    'reaction_type',
    'user_id',
  ]);
});
