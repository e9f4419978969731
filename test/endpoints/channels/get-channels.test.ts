import { expect, test } from 'vitest';
import type { Params } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

/**
 * Makes channels: `general` is everybody's, `open` is Mel's, `team` is Mel's and private, `web` is
 * Ona's, and `old` is archived.
 */
async function startWithChannels() {
  const server = await startServer({ channels: ['general'] });
  await server.set('enable_spectator_access', true);
  const { mel, ona } = server.people;
  const make = (name: string, as: typeof mel, params: Params = {}) =>
    server.post(as, '/users/me/subscriptions', { subscriptions: [{ name }], ...params });
  await make('open', mel);
  await make('team', mel, { invite_only: true });
  await make('web', ona, { is_web_public: true, is_default_stream: true });
  await make('old', ona);
  await server.delete(ona, '/streams/5');
  return server;
}

const names = async (server: TestServer, as: PersonName, params: Params) =>
  (await server.get(server.people[as], '/streams', params)).body.streams.map(
    ({ name }: { name: string }) => name,
  );

test.each<{ as: PersonName; params: Params; listed: readonly string[] }>([
  { as: 'mel', params: {}, listed: ['general', 'open', 'team', 'web'] },
  { as: 'max', params: {}, listed: ['general', 'open', 'web'] },
  { as: 'gus', params: {}, listed: ['general'] },
  { as: 'gus', params: { include_web_public: true }, listed: ['general', 'web'] },
  { as: 'mel', params: { include_public: false }, listed: ['general', 'open', 'team'] },
  { as: 'mel', params: { include_public: false, include_subscribed: false }, listed: [] },
  { as: 'max', params: { include_public: false, include_default: true }, listed: ['general', 'web'] },
  { as: 'ada', params: { include_all: true }, listed: ['general', 'open', 'team', 'web'] },
  { as: 'ada', params: { include_all_active: true }, listed: ['general', 'open', 'team', 'web'] },
  { as: 'ada', params: { include_can_access_content: true }, listed: ['general', 'open', 'web'] },
  { as: 'gus', params: { include_all: true }, listed: ['general', 'web'] },
  { as: 'bot', params: { include_public: false, include_owner_subscribed: true }, listed: ['general', 'web'] },
  { as: 'max', params: { exclude_archived: false }, listed: ['general', 'old', 'open', 'web'] },
])('$as asks for $params and gets $listed', async ({ as, params, listed }) => {
  expect(await names(await startWithChannels(), as, params)).toEqual(listed);
}); // biome-ignore format: a table

test('whether a channel is a default one is told to who asks for it', async () => {
  const server = await startWithChannels();
  const { body } = await server.get(server.people.max, '/streams', { include_default: true });
  expect(body.streams).toMatchObject([
    { name: 'general', is_default: false },
    { name: 'open', is_default: false },
    { name: 'web', is_default: true },
  ]);
  const without = await server.get(server.people.max, '/streams');
  expect(without.body.streams[0]).not.toHaveProperty('is_default');
  expect(
    (await server.get(server.people.max, '/streams', { include_all: 'yes' })).body,
  ).toMatchObject({
    code: 'BAD_REQUEST',
    msg: expect.stringMatching(/^include_all is not a boolean/),
  });
});

test('one channel, its id, its subscribers and a subscription are told to who may know of it', async () => {
  const server = await startWithChannels();
  const { mel, max, ada, gus } = server.people;
  const { body } = await server.get(mel, '/streams/3');
  const { state } = await server.register(mel, { fetch_event_types: ['stream'] });
  expect(body.stream).toEqual(state.streams.find(({ name }: { name: string }) => name === 'team'));
  expect((await server.get(ada, '/streams/3/members')).body.subscribers).toEqual([mel.id]);
  expect((await server.get(mel, '/get_stream_id', { stream: ' TEAM ' })).body.stream_id).toBe(3);
  const path = `/users/${mel.id}/subscriptions`;
  expect((await server.get(ada, `${path}/3`)).body.is_subscribed).toBe(true);
  expect((await server.get(ada, `${path}/4`)).body.is_subscribed).toBe(false);
  const refused = { status: 400, body: { code: 'BAD_REQUEST', msg: 'Invalid channel ID' } };
  for (const where of ['/streams/3', '/streams/99', '/streams/3/members', `${path}/3`]) {
    expect(await server.get(max, where)).toMatchObject(refused);
  }
  expect(await server.get(gus, '/streams/2')).toMatchObject(refused);
  for (const stream of ['team', 'none']) {
    expect((await server.get(max, '/get_stream_id', { stream })).body).toMatchObject({
      code: 'BAD_REQUEST',
      msg: `Invalid channel name '${stream}'`,
    });
  }
  expect((await server.get(max, '/get_stream_id')).body.code).toBe('REQUEST_VARIABLE_MISSING');
  expect((await server.get(max, '/users/999/subscriptions/1')).body.msg).toBe('No such user');
});

test('what one has for oneself of a channel is changed, and told to oneself', async () => {
  const server = await startWithChannels();
  const { mel } = server.people;
  const queue = await server.register(mel);
  const subscription_data = [
    { stream_id: 1, property: 'color', value: '#abc' },
    { stream_id: 1, property: 'is_muted', value: true },
    { stream_id: 1, property: 'in_home_view', value: true },
    { stream_id: 3, property: 'pin_to_top', value: true },
    { stream_id: 3, property: 'email_notifications', value: false },
    { stream_id: 3, property: 'wildcard_mentions_notify', value: null },
  ];
  const reply = await server.post(mel, '/users/me/subscriptions/properties', { subscription_data });
  expect(reply.body).toEqual({ result: 'success', msg: '' });
  await server.patch(mel, '/users/me/subscriptions/1', { property: 'is_muted', value: 'true' });
  await server.patch(mel, '/users/me/subscriptions/1', { property: 'color', value: '#112233' });
  const told = (stream_id: number, property: string, value: unknown) => ({
    id: expect.any(Number), type: 'subscription', op: 'update', stream_id, property, value,
  }); // biome-ignore format: one line
  expect(await queue.now()).toEqual([
    told(1, 'color', '#aabbcc'),
    told(1, 'in_home_view', false),
    told(1, 'is_muted', true),
    told(1, 'in_home_view', true),
    told(1, 'is_muted', false),
    told(3, 'pin_to_top', true),
    told(3, 'email_notifications', false),
    told(3, 'wildcard_mentions_notify', null),
    told(1, 'in_home_view', false),
    told(1, 'is_muted', true),
    told(1, 'color', '#112233'),
  ]);
  const own = await server.get(mel, '/users/me/subscriptions');
  expect(own.body.subscriptions[0]).toMatchObject({ color: '#112233', is_muted: true });
});

test.each<{ change: object; msg: RegExp }>([
  { change: { stream_id: 99 }, msg: /Invalid channel ID/ },
  { change: { stream_id: 4 }, msg: /Not subscribed to channel ID 4/ },
  { change: { property: 'mood' }, msg: /Unknown subscription property: mood/ },
  { change: { value: 'red' }, msg: /pin_to_top is not a boolean/ },
  { change: { property: 'is_muted', value: null }, msg: /is_muted is not a boolean/ },
  { change: { property: 'push_notifications', value: 'no' }, msg: /push_notifications is not a boolean/ },
  { change: { property: 'color', value: 'red' }, msg: /color is not a valid hex color/ },
  { change: { property: 'color', value: true }, msg: /color is not a valid hex color/ },
  { change: { value: 7 }, msg: /^subscription_data\[1\]\["value"\] is neither/ },
])('nothing of a subscription changes with $change', async ({ change, msg }) => {
  const server = await startWithChannels();
  const { mel } = server.people;
  const queue = await server.register(mel);
  const fine = { stream_id: 1, property: 'pin_to_top', value: true };
  const subscription_data = [fine, { ...fine, ...change }];
  const reply = await server.post(mel, '/users/me/subscriptions/properties', { subscription_data });
  expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST', msg: expect.stringMatching(msg) } });
  expect(await queue.now()).toEqual([]);
}); // biome-ignore format: a table

test('a channel is created once, with those named and nobody else', async () => {
  const server = await startWithChannels();
  const { mel, max } = server.people;
  const made = { name: ' new ', subscribers: [max.id], description: 'New', invite_only: true };
  const { body } = await server.post(mel, '/channels/create', made);
  expect(body).toEqual({ result: 'success', msg: '', id: 6 });
  expect((await server.get(mel, '/streams/6/members')).body.subscribers).toEqual([max.id]);
  const again = await server.post(mel, '/channels/create', { ...made, name: 'NEW' });
  expect(again.body).toMatchObject({ code: 'BAD_REQUEST', msg: "Channel 'NEW' already exists" });
  const nobody = await server.post(mel, '/channels/create', { name: 'x', subscribers: [999] });
  expect(nobody.body).toMatchObject({ code: 'BAD_REQUEST', msg: 'Invalid user ID: 999' });
  const guest = await server.post(server.people.gus, '/channels/create', { ...made, name: 'y' });
  expect(guest.body.code).toBe('BAD_REQUEST');
});

test('one request joins channels and leaves others', async () => {
  const server = await startWithChannels();
  const { max } = server.people;
  const both = { add: [{ name: 'open' }], delete: ['general'] };
  const { body } = await server.patch(max, '/users/me/subscriptions', both);
  expect(body).toMatchObject({
    subscribed: { [max.id]: ['open'] },
    already_subscribed: {},
    removed: ['general'],
    not_removed: [],
  });
  const nothing = await server.patch(max, '/users/me/subscriptions');
  expect(nothing.body).toMatchObject({
    code: 'BAD_REQUEST',
    msg: expect.stringMatching(/Nothing/),
  });
});
