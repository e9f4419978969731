import { expect, test } from 'vitest';
import { subscribe } from '../../support/people/subscribing.ts';
import { startServer } from '../../support/start-server.ts';

test('4.2: a new public channel is told to members first, then to its subscribers, then to the others', async () => {
  const server = await startServer();
  const { mel, max, gus, ada } = server.people;
  const queues = await Promise.all([mel, max, gus, ada].map((person) => server.register(person)));
  await subscribe(server, 'mel', [{ name: 'open' }], { principals: [mel.id, gus.id] });
  const [mels, maxs, guss, adas] = await Promise.all(queues.map((queue) => queue.now()));
  const created = { type: 'stream', op: 'create', streams: [{ name: 'open', invite_only: false }] };
  const added = {
    type: 'subscription',
    op: 'add',
    subscriptions: [{ name: 'open', subscribers: [mel.id, gus.id], subscriber_count: 2 }],
  };
  const peers = {
    type: 'subscription',
    op: 'peer_add',
    stream_ids: [1],
    user_ids: [mel.id, gus.id],
  };
  const first = { type: 'stream', op: 'update', property: 'first_message_id', value: 1 };
  const message = { type: 'message', message: { id: 1, subject: 'channel events' } };
  expect(mels).toMatchObject([created, added, first, message]);
  expect(guss).toMatchObject([created, added, first, message]);
  expect(maxs).toMatchObject([created, peers, first]);
  expect(adas).toEqual(maxs);
  expect(mels?.[0]).toEqual(maxs?.[0]);
});

test('4.2: a new private channel is told to administrators and to each subscriber, and to nobody else', async () => {
  const server = await startServer();
  const { mel, max, gus, ada, mia } = server.people;
  const people = [mel, max, gus, ada, mia];
  const queues = await Promise.all(people.map((person) => server.register(person)));
  await subscribe(server, 'mel', [{ name: 'team' }], {
    invite_only: true,
    principals: [mel.id, gus.id],
  });
  const heard = await Promise.all(queues.map((queue) => queue.now()));
  const kinds = heard.map((events) => events.map(({ type, ...event }) => `${type} ${event['op']}`));
  expect(kinds).toEqual([
    ['stream create', 'subscription add', 'stream update', 'message undefined'],
    [],
    ['stream create', 'subscription add', 'stream update', 'message undefined'],
    ['stream create', 'subscription peer_add', 'stream update'],
    [],
  ]);
});

test('4.2: who joins a private channel is told of it before, and those in it are told of the peer', async () => {
  const server = await startServer();
  const { mel, max, mia } = server.people;
  await subscribe(server, 'mel', [{ name: 'team' }], { invite_only: true });
  const queues = await Promise.all([mel, max, mia].map((person) => server.register(person)));
  await subscribe(server, 'mel', [{ name: 'team' }], { principals: [max.id] });
  const [mels, maxs, mias] = await Promise.all(queues.map((queue) => queue.now()));
  expect(mels).toEqual([
    {
      id: expect.any(Number),
      type: 'subscription',
      op: 'peer_add',
      stream_ids: [1],
      user_ids: [max.id],
    },
  ]);
  expect(maxs).toMatchObject([
    { type: 'stream', op: 'create', streams: [{ stream_id: 1, name: 'team' }] },
    { type: 'subscription', op: 'add', subscriptions: [{ subscribers: [mel.id, max.id] }] },
    { type: 'message', message: { type: 'private', sender_full_name: 'Notification Bot' } },
  ]);
  expect(mias).toEqual([]);
});

test('4.2: who could know of a private channel before joining it is not told of it again', async () => {
  const server = await startServer();
  const { mel, ada } = server.people;
  await subscribe(server, 'mia', [{ name: 'team' }], {
    invite_only: true,
    can_subscribe_group: { direct_members: [mel.id], direct_subgroups: [] },
  });
  const queues = await Promise.all([mel, ada].map((person) => server.register(person)));
  await subscribe(server, 'mia', [{ name: 'team' }], { principals: [mel.id, ada.id] });
  for (const queue of queues) {
    expect(await queue.now()).toMatchObject([
      { type: 'subscription', op: 'add' },
      { type: 'message' },
    ]);
  }
});

test('a default channel is told to members after it was made, and is in their snapshots', async () => {
  const server = await startServer();
  const { ada, mel, gus } = server.people;
  const types = ['stream', 'default_streams'];
  const queues = await Promise.all(
    [mel, gus].map((person) => server.register(person, { event_types: types })),
  );
  await subscribe(server, 'ada', [{ name: 'news' }], { is_default_stream: true });
  await subscribe(server, 'ada', [{ name: 'other' }]);
  const [mels, guss] = await Promise.all(queues.map((queue) => queue.now()));
  expect(mels).toMatchObject([
    { type: 'stream', op: 'create' },
    { type: 'default_streams', default_streams: [1] },
    { type: 'stream', op: 'update', property: 'first_message_id' },
    { type: 'stream', op: 'create' },
    { type: 'stream', op: 'update', property: 'first_message_id' },
  ]);
  expect(guss).toEqual([]);
  for (const [person, ids] of [[ada, [1]], [mel, [1]], [gus, []]] as const) {
    const { state } = await server.register(person, { fetch_event_types: ['default_streams'] });
    expect(state.realm_default_streams).toEqual(ids);
  } // biome-ignore format: a table
});

test('subscribing to what one is in already tells nobody anything', async () => {
  const server = await startServer({ channels: ['general'] });
  const queue = await server.register(server.people.ada);
  const { body } = await subscribe(server, 'mel', [{ name: 'general' }]);
  expect(body).toMatchObject({
    subscribed: {},
    already_subscribed: { [server.people.mel.id]: ['general'] },
  });
  expect(await queue.now()).toEqual([]);
});

test('whoever comes back has the color and the place in the list of before', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await subscribe(server, 'mel', [{ name: 'open', color: '#123456' }]);
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['open'] });
  await subscribe(server, 'mel', [{ name: 'open', color: '#654321' }]);
  const { body } = await server.get(mel, '/users/me/subscriptions');
  expect(body.subscriptions).toMatchObject([{ name: 'open', color: '#123456' }]);
});

test('unknown parameters are listed, and messages about it are not promised to those who want none', async () => {
  const server = await startServer();
  const { body } = await subscribe(server, 'mel', [{ name: 'open', hue: 'red' }], {
    send_new_subscription_messages: false,
    stream_post_policy: 1,
    announce: true,
  });
  expect(body.ignored_parameters_unsupported).toEqual(['stream_post_policy']);
  expect(body).not.toHaveProperty('new_subscription_messages_sent');
  expect(body).not.toHaveProperty('unauthorized');
});
