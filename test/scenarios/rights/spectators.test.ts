import { expect, test } from 'vitest';
import type { Params } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

/** A realm that shows one of its two channels to everybody. */
async function openRealm(options: Parameters<typeof startServer>[0] = {}) {
  const server = await startServer({ ...options, channels: ['closed'] });
  const { ona, ada } = server.people;
  await server.set('enable_spectator_access', true);
  await server.post(ona, '/users/me/subscriptions', {
    subscriptions: [{ name: 'open' }],
    principals: [ona.id, ada.id],
    is_web_public: true,
    send_new_subscription_messages: false,
  });
  const id = await channelId(server, 'open');
  return { server, open: id, closed: await channelId(server, 'closed') };
}

async function channelId(server: TestServer, name: string): Promise<number> {
  const { body } = await server.get(server.people.ona, '/users/me/subscriptions');
  const found = body['subscriptions'].find((it: { name: string }) => it.name === name);
  return Number(found.stream_id);
}

async function say(server: TestServer, to: string, content: string) {
  const message = { type: 'channel', to, topic: 'a', content };
  const { body } = await server.post(server.people.ada, '/messages', message);
  return Number(body['id']);
}

const UNAUTHORIZED = { status: 401, body: { result: 'error', code: 'UNAUTHORIZED' } };
const WEB_PUBLIC = { narrow: [['channels', 'web-public']], anchor: 'newest', num_before: 100 };

test('5.8: who is not logged in gets a snapshot of what is web-public, and no queue', async () => {
  const { server, open } = await openRealm();
  const { ona, gus } = server.people;
  await server.post(ona, '/messages', { type: 'direct', to: [gus.id], content: 'private' });
  const { status, body } = await server.post(null, '/register', {
    client_capabilities: { notification_settings_null: true },
  });

  expect(status).toBe(200);
  expect(body['queue_id']).toBeNull();
  for (const absent of ['last_event_id', 'streams', 'presence_last_update_id']) {
    expect(body).not.toHaveProperty(absent);
  }
  const lists = [
    ...['alert_words', 'custom_profile_fields', 'onboarding_steps', 'drafts', 'reminders'],
    ...['scheduled_messages', 'saved_snippets', 'navigation_views', 'muted_topics', 'muted_users'],
    ...['user_topics', 'starred_messages', 'recent_private_conversations', 'realm_bots'],
    ...['realm_default_streams', 'realm_default_stream_groups', 'unsubscribed', 'never_subscribed'],
    'channel_folders',
  ];
  expect(body).toMatchObject({
    ...Object.fromEntries(lists.map((name) => [name, []])),
    presences: {},
    user_status: {},
    push_devices: {},
    max_message_id: -1,
    unread_msgs: { count: 0, pms: [], streams: [], huddles: [], mentions: [] },
    user_id: 0,
    full_name: 'Anonymous User',
    email: 'username@example.com',
    is_guest: true,
    is_owner: false,
    is_admin: false,
    is_moderator: false,
    can_create_streams: false,
    can_create_public_streams: false,
    can_create_private_streams: false,
    can_create_web_public_streams: false,
    can_invite_others_to_realm: false,
    realm_allow_message_editing: false,
    realm_presence_disabled: true,
    user_settings: { web_home_view: 'recent_topics', default_language: 'en' },
  });
  expect(body['subscriptions']).toMatchObject([
    {
      stream_id: open,
      name: 'open',
      is_muted: false,
      color: '#76ce90',
      desktop_notifications: true,
      email_notifications: true,
    },
  ]);
  expect(body['subscriptions'][0]).not.toHaveProperty('subscribers');
});

test('5.8: people are shown by name, without address, time zone, profile and the hour they joined', async () => {
  const { server } = await openRealm();
  const types = { fetch_event_types: ['realm_user'] };
  const { realm_users, cross_realm_bots } = (await server.post(null, '/register', types)).body;
  expect(realm_users).toHaveLength(7);
  expect(cross_realm_bots).toHaveLength(1);
  for (const user of realm_users) {
    expect(user).toMatchObject({
      email: `user${user.user_id}@test.localhost`,
      delivery_email: null,
      avatar_url: expect.stringMatching(/^\/avatar\/\d\?v=1$/),
      date_joined: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
    expect(user).not.toHaveProperty('timezone');
    expect(user).not.toHaveProperty('profile_data');
  }
  const { members } = (await server.get(null, '/users')).body;
  expect(members).toHaveLength(7);
  expect(members[0]).toMatchObject({ email: 'user1@test.localhost', delivery_email: null });
  const named = (await server.get(null, '/users', { user_ids: [1, 99] })).body;
  expect(named['members']).toMatchObject([{ user_id: 1, full_name: 'Ona Owner' }]);
});

test('messages of web-public channels are read without an account, and no others', async () => {
  const { server, open, closed } = await openRealm();
  const shown = await say(server, 'open', 'hello **world**');
  const hidden = await say(server, 'closed', 'secret');

  for (const narrow of [
    [['channels', 'web-public']],
    [['channel', 'open']],
    [['stream', 'open']],
  ]) {
    const { status, body } = await server.get(null, '/messages', { ...WEB_PUBLIC, narrow });
    expect(status).toBe(200);
    expect(body).toMatchObject({ found_oldest: true, found_newest: true });
    // A new channel begins with a notice.
    const said = body['messages'].filter(({ subject }: { subject: string }) => subject === 'a');
    expect(said).toMatchObject([
      {
        id: shown,
        content: '<p>hello <strong>world</strong></p>',
        sender_full_name: 'Ada Administrator',
        sender_email: 'user2@test.localhost',
        avatar_url: expect.stringMatching(/^\/avatar\/\d\?v=1$/),
        flags: ['read', 'historical'],
      },
    ]);
  }
  const searched = { ...WEB_PUBLIC, narrow: [...WEB_PUBLIC.narrow, ['search', 'worlds']] };
  expect((await server.get(null, '/messages', searched)).body['messages']).toMatchObject([
    { id: shown, match_content: expect.stringContaining('<span class="highlight">world</span>') },
  ]);
  const byId = { message_ids: [shown, hidden], narrow: WEB_PUBLIC.narrow };
  expect((await server.get(null, '/messages', byId)).body['messages']).toMatchObject([
    { id: shown },
  ]);

  const one = await server.get(null, `/messages/${shown}`);
  expect(one).toMatchObject({ status: 200, body: { raw_content: 'hello **world**' } });
  expect(one.body['message']).toMatchObject({ id: shown, sender_email: 'user2@test.localhost' });
  expect(await server.get(null, `/messages/${hidden}`)).toMatchObject(UNAUTHORIZED);
  expect(await server.get(null, '/messages/999')).toMatchObject(UNAUTHORIZED);

  const topics = await server.get(null, `/users/me/${open}/topics`);
  expect(topics.body['topics'][0]).toEqual({ name: 'a', max_id: shown });
  expect(await server.get(null, `/users/me/${closed}/topics`)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'Invalid channel ID' },
  });
});

test.each<{ why: string; params: Params }>([
  { why: 'without a narrow', params: { narrow: [] } },
  { why: 'of a channel that is not web-public', params: { narrow: [['channel', 'closed']] } },
  { why: 'of a channel that there is not', params: { narrow: [['channel', 'nowhere']] } },
  { why: 'of all public channels', params: { narrow: [['channels', 'public']] } },
  {
    why: 'of what is not web-public',
    params: { narrow: [{ operator: 'channels', operand: 'web-public', negated: true }] },
  },
  {
    why: 'about oneself',
    params: {
      narrow: [
        ['channels', 'web-public'],
        ['is', 'unread'],
      ],
    },
  },
  {
    why: 'in: home',
    params: {
      narrow: [
        ['channel', 'open'],
        ['in', 'home'],
      ],
    },
  },
])('a list $why needs an account', async ({ params }) => {
  const { server } = await openRealm();
  const request = { anchor: 'newest', num_before: 10, num_after: 0, ...params };
  expect(await server.get(null, '/messages', request)).toMatchObject(UNAUTHORIZED);
  const byId = { message_ids: [1], ...params };
  expect(await server.get(null, '/messages', byId)).toMatchObject(UNAUTHORIZED);
});

test.each([
  { client_gravatar: true },
  { include_subscribers: 'true' },
  { include_subscribers: 'partial' },
])('registering without an account refuses %j', async (params) => {
  const { server } = await openRealm();
  const [name] = Object.keys(params);
  expect(await server.post(null, '/register', params)).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: `Invalid '${name}' parameter for anonymous request` },
  });
  const allowed = { client_gravatar: false, include_subscribers: 'false' };
  expect((await server.post(null, '/register', allowed)).status).toBe(200);
});

test('registering without an account asks for no messages of its own', async () => {
  const { server } = await openRealm();
  const reply = await server.post(null, '/register', { all_public_streams: true });
  expect(reply).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'User not authorized for this query' },
  });
});

const READS = [
  ['POST', '/register'],
  ['GET', '/messages?narrow=[["channels","web-public"]]&anchor=newest'],
  ['GET', '/messages/1'],
  ['GET', '/users/me/1/topics'],
  ['GET', '/users'],
] as const;

async function expectClosed(server: TestServer) {
  for (const [method, path] of READS) {
    const reply = await server.request(method, path);
    expect(reply, path).toMatchObject(UNAUTHORIZED);
    expect(reply.headers['www-authenticate']).toBe('Basic realm="api"');
  }
}

test('nothing is shown without the setting, without such a channel, or against the server’s will', async () => {
  const { server } = await openRealm();
  await server.set('enable_spectator_access', false);
  await expectClosed(server);

  const empty = await startServer({ channels: ['general'] });
  await empty.set('enable_spectator_access', true);
  await expectClosed(empty);

  // The channel is from before the server's setting: with it, none is made.
  const env = { CONFAB_WEB_PUBLIC: '0' };
  const unwilling = await startServer({ channels: ['general'], env });
  await unwilling.set('enable_spectator_access', true);
  await unwilling.perform((tx) => {
    for (const [key, channel] of [...tx.channels.range({})]) {
      tx.channels.put(key, { ...channel, isWebPublic: true });
    }
  });
  await expectClosed(unwilling);
  const { state } = await unwilling.register(unwilling.people.mel);
  expect(state['server_web_public_streams_enabled']).toBe(false);
});

test('wrong credentials are wrong, though none would do; and other endpoints want them', async () => {
  const { server } = await openRealm();
  const headers = { authorization: `Basic ${Buffer.from('a@b.c:wrong').toString('base64')}` };
  for (const [method, path] of READS) {
    expect(await server.request(method, path, { headers })).toMatchObject(UNAUTHORIZED);
  }
  expect(await server.get(null, '/users/me')).toMatchObject(UNAUTHORIZED);
  expect(await server.post(null, '/messages', { type: 'channel' })).toMatchObject(UNAUTHORIZED);
  expect(await server.get(null, '/events', { queue_id: 'x' })).toMatchObject(UNAUTHORIZED);
  expect(server.bugs).toEqual([]);
});
