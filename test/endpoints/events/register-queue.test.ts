import { expect, test } from 'vitest';
import type { TestQueue } from '../../support/client.ts';
import { startServer } from '../../support/start-server.ts';

const MESSAGE = { type: 'channel', to: 'general', topic: 'lunch', content: '**soup**?' };
const CAPABLE = { notification_settings_null: true };

const contents = async (queue: TestQueue) =>
  (await queue.now())
    .filter(({ type }) => type === 'message')
    .map((event) => event['message'].content);

test('a queue begins at the position of its snapshot, with an unguessable id', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  await server.post(mel, '/messages', MESSAGE);
  const queue = await server.register(mel, { fetch_event_types: [] });
  expect(queue.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(queue.lastEventId).toBeGreaterThan(0);
  expect(await queue.now()).toEqual([]);
});

test('a message has its markup or its source, as the queue asked with apply_markdown', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const plain = await server.register(mel, { event_types: ['message'] });
  const html = await server.register(mel, { event_types: ['message'], apply_markdown: true });
  await server.post(mel, '/messages', MESSAGE);
  expect((await plain.next())[0]?.['message']).toMatchObject({
    content: '**soup**?',
    content_type: 'text/x-markdown',
  });
  const [event] = await html.next();
  expect(event?.['message']).toMatchObject({
    content: '<p><strong>soup</strong>?</p>',
    content_type: 'text/html',
  });
  expect(event?.['message']).not.toHaveProperty('rendered_content');
  expect(event?.['message']).not.toHaveProperty('uses_gravatar');
});

test('an avatar that a client can compute is left to it, unless client_gravatar is false', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const computing = await server.register(mel, { event_types: ['message'] });
  const withUrls = await server.register(mel, { event_types: ['message'], client_gravatar: false });
  await server.post(mel, '/messages', MESSAGE);
  expect((await computing.next())[0]?.['message'].avatar_url).toBeNull();
  expect((await withUrls.next())[0]?.['message'].avatar_url).toBe('/avatar/4?v=1');
});

test('of a hidden address messages show the one for the API, and the avatar that nobody could compute', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  await server.patch(mel, '/settings', { email_address_visibility: 4 });
  const computing = await server.register(mel, { event_types: ['message'] });
  await server.post(mel, '/messages', MESSAGE);
  const [event] = await computing.next();
  expect(event?.['message']).toMatchObject({
    avatar_url: '/avatar/4?v=2',
    sender_email: `user${mel.id}@test.localhost`,
  });
  const fetched = await server.get(mel, `/messages/${event?.['message'].id}`);
  expect(fetched.body.message.avatar_url).toBe(event?.['message'].avatar_url);
});

test('who could do without avatars is given them all the same', async () => {
  const server = await startServer();
  const capabilities = { ...CAPABLE, user_avatar_url_field_optional: true };
  const given = async (client_capabilities: object) => {
    const params = { client_capabilities, client_gravatar: false };
    return (await server.register(server.people.mel, params)).state.realm_users.map(
      ({ avatar_url }: { avatar_url: string }) => avatar_url,
    );
  };
  const avatars = await given(capabilities);
  expect(avatars).toEqual([1, 2, 3, 4, 5, 6, 7].map((id) => `/avatar/${id}?v=1`));
  expect(avatars).toEqual(await given(CAPABLE));
});

test('the empty topic has a name for clients that do not know it', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const older = await server.register(mel, { event_types: ['message'] });
  const capable = { ...CAPABLE, empty_topic_name: true };
  const newer = await server.register(mel, {
    event_types: ['message'],
    client_capabilities: capable,
  });
  await server.post(mel, '/messages', { ...MESSAGE, topic: '' });
  expect((await older.next())[0]?.['message'].subject).toBe('general chat');
  expect((await newer.next())[0]?.['message'].subject).toBe('');
});

test('forms are kept across a restart', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const options = { apply_markdown: true, client_gravatar: false, event_types: ['message'] };
  const live = await server.register(mel, options);
  const later = await server.register(mel, options);
  await server.post(mel, '/messages', MESSAGE);
  const events = await live.next();
  await server.restart();
  expect(await later.next()).toEqual(events);
});

test('a queue hears of the types that it named, and of every type when it named none', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, ona } = server.people;
  const messages = await server.register(mel, { event_types: ['message'] });
  const channels = await server.register(mel, { event_types: ['stream', 'no_such_type'] });
  const all = await server.register(mel, { event_types: null });
  await server.post(ona, '/users/me/subscriptions', { subscriptions: [{ name: 'new' }] });
  await server.post(mel, '/messages', MESSAGE);
  const types = async (queue: TestQueue) => (await queue.now()).map(({ type }) => type);
  expect(await types(messages)).toEqual(['message']);
  expect(new Set(await types(channels))).toEqual(new Set(['stream']));
  expect(await types(all)).toEqual(expect.arrayContaining(['stream', 'message']));
});

test('events of user groups come by the name that the specification has for them as well', async () => {
  const server = await startServer();
  const { mel, ona } = server.people;
  const named = await server.register(mel, { event_types: ['realm_user_groups'] });
  const other = await server.register(mel, { event_types: ['realm_user'] });
  expect(named.state).toHaveProperty('realm_user_groups');
  const group = { name: 'cooks', description: '', members: [mel.id] };
  expect((await server.post(ona, '/user_groups/create', group)).status).toBe(200);
  expect(await named.now()).toMatchObject([{ type: 'user_group', op: 'add' }]);
  expect(await other.now()).toEqual([]);
});

test('the snapshot has what fetch_event_types names, else what event_types names', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  const both = { event_types: ['message'], fetch_event_types: ['subscription'] };
  expect((await server.register(mel, both)).state).toHaveProperty('subscriptions');
  const one = await server.register(mel, { event_types: ['realm_user'] });
  expect(one.state).toHaveProperty('realm_users');
  expect(one.state).not.toHaveProperty('subscriptions');
  const none = (await server.register(mel, { fetch_event_types: [] })).state;
  expect(none).not.toHaveProperty('realm_users');
  expect(none).toMatchObject({ queue_id: expect.any(String), last_event_id: expect.any(Number) });
});

test.each([
  { narrow: [['channel', 'GENERAL']], heard: ['in general', 'other topic'] },
  { narrow: [['stream', 'general']], heard: ['in general', 'other topic'] },
  { narrow: [['topic', 'Lunch']], heard: ['in general'] },
  {
    narrow: [
      ['channel', 'general'],
      ['topic', 'dinner'],
    ],
    heard: ['other topic'],
  },
  { narrow: [['is', 'dm']], heard: ['direct'] },
  { narrow: [['is', 'private']], heard: ['direct'] },
  { narrow: [['is', 'mentioned']], heard: ['direct'] },
  { narrow: [['is', 'unread']], heard: ['in general', 'other topic', 'direct'] },
  { narrow: [['is', 'something else']], heard: ['in general', 'other topic', 'direct'] },
  { narrow: [['channel', 'elsewhere']], heard: [] },
  { narrow: [], heard: ['in general', 'other topic', 'direct'] },
])('a queue with the narrow $narrow hears $heard', async ({ narrow, heard }) => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const queue = await server.register(max, { event_types: ['message'], narrow });
  await server.post(mel, '/messages', { ...MESSAGE, content: 'in general' });
  await server.post(mel, '/messages', { ...MESSAGE, topic: 'dinner', content: 'other topic' });
  const direct = '@**Max Member**';
  await server.post(mel, '/messages', { type: 'direct', to: [max.id], content: direct });
  expect(await contents(queue)).toEqual(heard.map((what) => (what === 'direct' ? direct : what)));
});

test('a narrow by sender compares API addresses', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max } = server.people;
  const { email } = (await server.get(mel, '/users/me')).body;
  const narrow = [['sender', email.toUpperCase()]];
  const queue = await server.register(max, { event_types: ['message'], narrow });
  await server.post(mel, '/messages', { ...MESSAGE, content: 'by mel' });
  await server.post(max, '/messages', { ...MESSAGE, content: 'by max' });
  expect(await contents(queue)).toEqual(['by mel']);
});

test('with all_public_streams a queue hears of public channels its owner is not in, with no flags', async () => {
  const server = await startServer();
  const { ona, mel, max } = server.people;
  const create = (name: string, more = {}) =>
    server.post(ona, '/users/me/subscriptions', { subscriptions: [{ name }], ...more });
  await create('open', { principals: [mel.id] });
  await create('closed', { principals: [mel.id], invite_only: true });
  const options = { event_types: ['message'], all_public_streams: true };
  const [outside, inside] = [
    await server.register(max, options),
    await server.register(mel, options),
  ];
  const later = await server.register(max, options);
  const parked = outside.poll();

  const content = '@**Max Member** @**Mel Member** @**all**';
  await server.post(mel, '/messages', { ...MESSAGE, to: 'closed', content });
  const message = { ...MESSAGE, to: 'open', content, read_by_sender: true };
  await server.post(mel, '/messages', message);

  const events = (await parked).body.events;
  expect(events).toMatchObject([{ message: { display_recipient: 'open' }, flags: [] }]);
  expect(await later.now()).toEqual(events);
  const [closed, open] = await inside.now();
  expect(closed?.['message'].display_recipient).toBe('closed');
  const flags = ['read', 'mentioned', 'stream_wildcard_mentioned', 'wildcard_mentioned'];
  expect(open?.['flags']).toEqual(flags);
});

test('all_public_streams is not for guests', async () => {
  const server = await startServer();
  const reply = await server.post(server.people.gus, '/register', { all_public_streams: true });
  expect(reply).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'User not authorized for this query' },
  });
});

const REFUSED = [
  { params: { apply_markdown: 'True' }, msg: /^apply_markdown is not a boolean/ },
  { params: { apply_markdown: 1 }, msg: /^apply_markdown is not a boolean/ },
  { params: { event_types: 'message' }, msg: /^event_types is not valid JSON/ },
  { params: { event_types: '{}' }, msg: /^event_types is not a list/ },
  { params: { event_types: [1] }, msg: /^event_types\[0\] is not a string/ },
  { params: { event_types: Array(501).fill('a') }, msg: /^event_types has more than 500 items/ },
  { params: { event_types: ['a'.repeat(256)] }, msg: /^event_types\[0\] is longer than 255/ },
  { params: { fetch_event_types: '[' }, msg: /^fetch_event_types is not valid JSON/ },
  { params: { narrow: '"x"' }, msg: /^narrow is not a list/ },
  { params: { narrow: [['channel']] }, msg: /^narrow\[0\]/ },
  { params: { narrow: [['channel', 'a', 'b']] }, msg: /^narrow\[0\]/ },
  { params: { narrow: [['channel', 5]] }, msg: /^narrow\[0\]\[1\] is not a string/ },
  { params: { narrow: [['sorcery', 'x']] }, msg: /^Operator sorcery not supported\./ },
  { params: { narrow: [['is', 'followed']] }, msg: /^Operand followed not supported\./ },
  { params: { client_capabilities: '[]' }, msg: /^client_capabilities/ },
  {
    params: { client_capabilities: { notification_settings_null: null } },
    msg: /^client_capabilities\["notification_settings_null"\] is not a boolean/,
  },
  {
    params: { client_capabilities: { ...CAPABLE, archived_channels: 1 } },
    msg: /^client_capabilities\["archived_channels"\] is not a boolean/,
  },
  { params: { queue_lifespan_secs: -1 }, msg: /^queue_lifespan_secs is too small/ },
  { params: { queue_lifespan_secs: 1.5 }, msg: /^queue_lifespan_secs is not an integer/ },
  { params: { include_subscribers: 'some' }, msg: /^Invalid include_subscribers/ },
];

test('a client declares what it can handle, and gets the older form of all else', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, ona } = server.people;
  const bulk = await server.register(mel, { client_capabilities: { bulk_message_deletion: true } });
  const none = await server.register(mel, { client_capabilities: {} });
  for (const { state } of [bulk, none]) {
    expect(state.subscriptions[0].push_notifications).toEqual(expect.any(Boolean));
  }
  const { body } = await server.post(ona, '/messages', MESSAGE);
  await server.delete(ona, `/messages/${body.id}`);
  const deleted = async (queue: TestQueue) =>
    (await queue.now()).find(({ type }) => type === 'delete_message');
  expect(await deleted(bulk)).toMatchObject({ message_ids: [body.id] });
  expect(await deleted(none)).toMatchObject({ message_id: body.id });
});

test('a registration with a parameter of the wrong kind is refused by its name', async () => {
  const server = await startServer();
  for (const { params, msg } of REFUSED) {
    const reply = await server.post(server.people.mel, '/register', params);
    expect(reply, JSON.stringify(params)).toMatchObject({
      status: 400,
      body: { result: 'error', code: 'BAD_REQUEST', msg: expect.stringMatching(msg) },
    });
  }
  expect(server.bugs).toEqual([]);
});

test('unknown capabilities are no fault, and unknown parameters are listed', async () => {
  const server = await startServer();
  const { body } = await server.post(server.people.mel, '/register', {
    fetch_event_types: [],
    client_capabilities: { ...CAPABLE, telepathy: true },
    idle_queue_timeout: 5,
  });
  expect(body).toMatchObject({
    result: 'success',
    ignored_parameters_unsupported: ['idle_queue_timeout'],
  });
});
