import { expect, test } from 'vitest';
import {
  CHANNELS_PER_REQUEST_MAX,
  SUBSCRIPTIONS_PER_REQUEST_MAX,
} from '../../../src/domain/limits/channels.ts';
import { NOTIFICATION_BOT } from '../../../src/domain/rules/people/system-bots.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import type { RealmTransaction } from '../../../src/operations/access/caller.ts';
import type { Params } from '../../support/client.ts';
import { subscribe } from '../../support/people/subscribing.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

test('who subscribes to a name that is new makes a public channel and is in it', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const { body } = await subscribe(server, 'mel', [
    { name: '  design ', description: 'Logos\nand **colors**', color: '#abcdef' },
  ]);
  expect(body).toEqual({
    result: 'success',
    msg: '',
    subscribed: { [mel.id]: ['design'] },
    already_subscribed: {},
    new_subscription_messages_sent: true,
  });
  const { body: own } = await server.get(mel, '/users/me/subscriptions');
  expect(own.subscriptions).toEqual([
    {
      stream_id: 1,
      name: 'design',
      description: 'Logos and **colors**',
      rendered_description: '<p>Logos and <strong>colors</strong></p>',
      date_created: Date.UTC(2026, 0, 5, 9) / 1000,
      creator_id: mel.id,
      invite_only: false,
      is_web_public: false,
      history_public_to_subscribers: true,
      is_announcement_only: false,
      is_archived: false,
      is_recently_active: true,
      stream_post_policy: 1,
      message_retention_days: null,
      first_message_id: 1,
      stream_weekly_traffic: null,
      subscriber_count: 1,
      folder_id: null,
      topics_policy: 'inherit',
      can_add_subscribers_group: NOBODY,
      can_administer_channel_group: { direct_members: [mel.id], direct_subgroups: [] },
      can_create_topic_group: EVERYONE,
      can_delete_any_message_group: NOBODY,
      can_delete_own_message_group: NOBODY,
      can_move_messages_out_of_channel_group: NOBODY,
      can_move_messages_within_channel_group: NOBODY,
      can_remove_subscribers_group: ADMINISTRATORS,
      can_resolve_topics_group: NOBODY,
      can_send_message_group: EVERYONE,
      can_subscribe_group: NOBODY,
      color: '#abcdef',
      is_muted: false,
      in_home_view: true,
      pin_to_top: false,
      desktop_notifications: null,
      audible_notifications: null,
      push_notifications: null,
      email_notifications: null,
      wildcard_mentions_notify: null,
    },
  ]);
});

test.each([
  { params: {}, made: { invite_only: false, is_web_public: false, history_public_to_subscribers: true } },
  { params: { history_public_to_subscribers: false }, made: { invite_only: false, history_public_to_subscribers: true } },
  { params: { invite_only: true }, made: { invite_only: true, history_public_to_subscribers: false } },
  { params: { invite_only: true, history_public_to_subscribers: true }, made: { invite_only: true, history_public_to_subscribers: true } },
  { params: { is_web_public: true }, made: { invite_only: false, is_web_public: true, history_public_to_subscribers: true } },
  { params: { message_retention_days: 7 }, made: { message_retention_days: 7 } },
  { params: { message_retention_days: 'unlimited' }, made: { message_retention_days: -1 } },
  { params: { message_retention_days: '"unlimited"' }, made: { message_retention_days: -1 } },
  { params: { message_retention_days: 'realm_default' }, made: { message_retention_days: null } },
  { params: { topics_policy: 'empty_topic_only' }, made: { topics_policy: 'empty_topic_only' } },
  { params: { folder_id: null }, made: { folder_id: null } },
  { params: { can_send_message_group: 6 }, made: { can_send_message_group: 6, stream_post_policy: 2, is_announcement_only: true } },
  { params: { can_send_message_group: 5 }, made: { stream_post_policy: 4, is_announcement_only: false } },
  { params: { can_send_message_group: 4 }, made: { stream_post_policy: 3 } },
  { params: { can_send_message_group: { direct_members: [4, 2, 4], direct_subgroups: [] } }, made: { can_send_message_group: { direct_members: [2, 4], direct_subgroups: [] }, stream_post_policy: 1 } },
  { params: { can_send_message_group: { direct_members: [], direct_subgroups: [5] } }, made: { can_send_message_group: 5 } },
  { params: { can_send_message_group: { direct_members: [], direct_subgroups: [] } }, made: { can_send_message_group: 8 } },
  { params: { can_delete_own_message_group: 2 }, made: { can_delete_own_message_group: 2 } },
])('a channel is made with $params', async ({ params, made }) => {
  const server = await startServer();
  await changeRealm(server, { enable_spectator_access: true });
  const reply = await subscribe(server, 'ona', [{ name: 'made' }], params);
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  const { body } = await server.get(server.people.ona, '/users/me/subscriptions');
  expect(body.subscriptions).toMatchObject([{ name: 'made', ...made }]);
}); // biome-ignore format: a table

test('each channel of a user has a color of its own', async () => {
  const server = await startServer();
  const names = Array.from({ length: 24 }, (_, index) => ({ name: `channel ${index}` }));
  for (const name of names) await subscribe(server, 'mel', [name]);
  const { body } = await server.get(server.people.mel, '/users/me/subscriptions');
  const colors = body.subscriptions.map(({ color }: { color: string }) => color);
  expect(new Set(colors).size).toBe(24);
  for (const color of colors) expect(color).toMatch(/^#[0-9a-f]{6}$/);
});

test('others are subscribed by id or by address, and who was there already is told apart', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, max, gus, bot } = server.people;
  await server.delete(gus, '/users/me/subscriptions', { subscriptions: ['general'] });
  const wanted = [{ name: 'GENERAL' }, { name: 'new' }, { name: 'New ' }];
  const principals = [mel.id, gus.id, bot.id];
  const { body } = await subscribe(server, 'max', wanted, { principals });
  expect(body).toMatchObject({
    subscribed: { [mel.id]: ['new'], [gus.id]: ['general', 'new'], [bot.id]: ['new'] },
    already_subscribed: { [mel.id]: ['general'], [bot.id]: ['general'] },
  });
  const { body: byEmail } = await subscribe(server, 'mel', [{ name: 'new' }], {
    principals: ['MAX@example.com', `user${gus.id}@test.localhost`],
  });
  expect(byEmail).toMatchObject({
    subscribed: { [max.id]: ['new'] },
    already_subscribed: { [gus.id]: ['new'] },
  });
});

test.each<{ why: string; as?: PersonName; channels?: unknown; params?: Params; msg: RegExp; code?: string }>([
  { why: 'a guest subscribes', as: 'gus', msg: /Not allowed for guest users/ },
  { why: 'there is no list', channels: undefined, msg: /Missing 'subscriptions'/, code: 'REQUEST_VARIABLE_MISSING' },
  { why: 'the list is none', channels: { name: 'x' }, msg: /^subscriptions is not a list/ },
  { why: 'the list is of names', channels: ['x'], msg: /^subscriptions\[0\] is not a dict/ },
  { why: 'a channel has no name', channels: [{ description: 'x' }], msg: /^subscriptions\[0\]\["name"\]/ },
  { why: 'a name is a number', channels: [{ name: 7 }], msg: /^subscriptions\[0\]\["name"\] is not a string/ },
  { why: 'a name is blank', channels: [{ name: '   ' }], msg: /name can't be empty/ },
  { why: 'a name is too long', channels: [{ name: 'x'.repeat(61) }], msg: /name too long \(limit: 60/ },
  { why: 'a name has a NUL', channels: [{ name: 'a\0b' }], msg: /Invalid character in channel name/ },
  { why: 'a name has a line', channels: [{ name: 'a\nb' }], msg: /Invalid character in channel name/ },
  { why: 'a description is too long', channels: [{ name: 'x', description: 'x'.repeat(1025) }], msg: /description is too long/ },
  { why: 'a color is none', channels: [{ name: 'x', color: 'red' }], msg: /\["color"\] is not a valid hex color/ },
  { why: 'there are too many', channels: Array.from({ length: CHANNELS_PER_REQUEST_MAX + 1 }, (_, i) => ({ name: `${i}` })), msg: /more than 1000 items/ },
  { why: 'a principal is nobody', params: { principals: [999] }, msg: /Invalid user ID: 999/ },
  { why: 'an address is nobody', params: { principals: ['nobody@example.com'] }, msg: /No such user/ },
  { why: 'principals are mixed', params: { principals: [4, 'mel@example.com'] }, msg: /^principals/ },
  { why: 'a retention is none', as: 'ona', params: { message_retention_days: 'forever' }, msg: /message_retention_days/, code: 'REQUEST_VARIABLE_INVALID' },
  { why: 'a retention is zero', as: 'ona', params: { message_retention_days: 0 }, msg: /message_retention_days/, code: 'REQUEST_VARIABLE_INVALID' },
  { why: 'a retention is negative', as: 'ona', params: { message_retention_days: -1 }, msg: /message_retention_days/, code: 'REQUEST_VARIABLE_INVALID' },
  { why: 'a retention is not the owner’s', as: 'ada', params: { message_retention_days: 7 }, msg: /owner/, code: 'UNAUTHORIZED_PRINCIPAL' },
  { why: 'a topics policy is none', params: { topics_policy: 'none' }, msg: /^Invalid topics_policy/ },
  { why: 'a folder is not there', params: { folder_id: 1 }, msg: /folder/ },
  { why: 'a member makes a default channel', params: { is_default_stream: true }, msg: /Insufficient permission/ },
  { why: 'a default channel is private', as: 'ada', params: { is_default_stream: true, invite_only: true }, msg: /default channel cannot be private/ },
  { why: 'a member makes a web-public channel', params: { is_web_public: true }, msg: /Insufficient permission/ },
  { why: 'web-public access is off', as: 'ona', params: { is_web_public: true }, msg: /not enabled/ },
  { why: 'a group is not there', params: { can_send_message_group: 99 }, msg: /Invalid user group ID: 99/ },
  { why: 'a group inside is not there', params: { can_send_message_group: { direct_members: [], direct_subgroups: [99] } }, msg: /Invalid user group ID: 99/ },
  { why: 'a group has nobody', params: { can_send_message_group: { direct_members: [999], direct_subgroups: [] } }, msg: /Invalid user ID: 999/ },
  { why: 'a group is a word', params: { can_send_message_group: '"all"' }, msg: /^can_send_message_group is not a user group/ },
  { why: 'a group lacks its subgroups', params: { can_send_message_group: { direct_members: [4] } }, msg: /^can_send_message_group/ },
  { why: 'a group may not have guests', params: { can_subscribe_group: 2 }, msg: /'can_subscribe_group' setting cannot be set to 'role:everyone'/ },
  { why: 'a group may not be the internet', params: { can_send_message_group: 1 }, msg: /role:internet/ },
  { why: 'a member lets messages be deleted', params: { can_delete_any_message_group: 2 }, msg: /Insufficient permission/ },
  { why: 'privacy is a word', params: { invite_only: 'yes' }, msg: /^invite_only is not a boolean/ },
])('nothing is made where $why', async ({ as = 'mel', params, msg, code = 'BAD_REQUEST', ...given }) => {
  const server = await startServer();
  const queue = await server.register(server.people.ada);
  const subscriptions = 'channels' in given ? given.channels : [{ name: 'made' }];
  const all = { subscriptions, ...params };
  const reply = await server.post(server.people[as], '/users/me/subscriptions', all);
  expect(reply).toMatchObject({ status: 400, body: { result: 'error', code, msg: expect.stringMatching(msg) } });
  expect(await queue.now()).toEqual([]);
  const fresh = await server.register(server.people.ada, { fetch_event_types: ['stream'] });
  expect(fresh.state.streams).toEqual([]);
}); // biome-ignore format: a table

test('a deactivated account is subscribed by nobody', async () => {
  const server = await startServer();
  await change(server, (tx) => {
    const row = tx.users.get([5]) ?? expect.fail('max is there');
    tx.users.put([5], { ...row, isActive: false });
  });
  const reply = await subscribe(server, 'mel', [{ name: 'x' }], { principals: [5] });
  expect(reply).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'User is deactivated' },
  });
});

test('the service’s own account is subscribed by nobody', async () => {
  const server = await startServer();
  const { id } = NOTIFICATION_BOT;
  for (const [principals, msg] of [
    [[id], `Invalid user ID: ${id}`],
    [[`user${id}@test.localhost`], 'No such user'],
  ] as const) {
    const reply = await subscribe(server, 'mel', [{ name: 'x' }], { principals });
    expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST', msg } });
  }
});

test('what is said of creation means nothing where every channel exists', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel } = server.people;
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['general'] });
  const reply = await subscribe(server, 'mel', [{ name: 'general', description: 'mine now' }], {
    invite_only: true,
    is_default_stream: true,
    message_retention_days: 7,
    can_delete_any_message_group: EVERYONE,
  });
  expect(reply.body.subscribed).toEqual({ [mel.id]: ['general'] });
  const { body } = await server.get(mel, '/users/me/subscriptions');
  expect(body.subscriptions).toMatchObject([
    { invite_only: false, description: '', message_retention_days: null },
  ]);
});

test.each([
  { setting: 'can_create_public_channel_group', params: {} },
  { setting: 'can_create_private_channel_group', params: { invite_only: true } },
  { setting: 'can_create_web_public_channel_group', params: { is_web_public: true } },
])('who may make a channel with $params is a setting of the realm', async ({ setting, params }) => {
  const server = await startServer();
  await changeRealm(server, { enable_spectator_access: true, [setting]: MODERATORS });
  expect((await subscribe(server, 'mel', [{ name: 'a' }], params)).status).toBe(400);
  expect((await subscribe(server, 'mia', [{ name: 'a' }], params)).status).toBe(200);
});

test('a private channel is joined by nobody who was not let in, an administrator included', async () => {
  const server = await startServer();
  await subscribe(server, 'mel', [{ name: 'team' }], { invite_only: true });
  for (const name of ['ona', 'ada', 'mia', 'max'] as const) {
    const reply = await subscribe(server, name, [{ name: 'team' }]);
    expect(reply).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST', msg: 'Unable to access channel (team).' },
    });
  }
});

test('with authorization_errors_fatal false what was refused is listed, and the rest is done', async () => {
  const server = await startServer();
  const { max } = server.people;
  await subscribe(server, 'mel', [{ name: 'team' }], { invite_only: true });
  const wanted = [{ name: 'TEAM' }, { name: 'open' }];
  const { status, body } = await subscribe(server, 'max', wanted, {
    authorization_errors_fatal: false,
  });
  expect([status, body]).toEqual([
    200,
    expect.objectContaining({
      subscribed: { [max.id]: ['open'] },
      already_subscribed: {},
      unauthorized: ['team'],
    }),
  ]);
  const { body: none } = await subscribe(server, 'max', [{ name: 'open' }], {
    authorization_errors_fatal: false,
  });
  expect(none.unauthorized).toEqual([]);
});

test.each([
  { setting: 'can_subscribe_group', may: ['mel'], mayNot: ['max', 'gus'] },
  { setting: 'can_add_subscribers_group', may: ['mel'], mayNot: ['max', 'gus'] },
  { setting: 'can_administer_channel_group', may: [], mayNot: ['mel', 'max', 'gus'] },
] as const)('$setting of a private channel lets in $may', async ({ setting, may, mayNot }) => {
  const server = await startServer();
  const { mel, gus } = server.people;
  await subscribe(server, 'mia', [{ name: 'team' }], {
    invite_only: true,
    // A guest who is named in it is kept out all the same.
    [setting]: { direct_members: [mel.id, gus.id], direct_subgroups: [] },
  });
  for (const name of mayNot) {
    expect((await subscribe(server, name, [{ name: 'team' }])).status, name).toBe(400);
  }
  for (const name of may) {
    expect((await subscribe(server, name, [{ name: 'team' }])).status, name).toBe(200);
  }
});

test('who may subscribe others is the realm’s setting, the channel’s, or its administrators', async () => {
  const server = await startServer();
  await changeRealm(server, { can_add_subscribers_group: MODERATORS });
  const { mel, max, gus, bot } = server.people;
  await subscribe(server, 'mel', [{ name: 'open' }], {
    can_add_subscribers_group: { direct_members: [max.id], direct_subgroups: [] },
  });
  const add = (as: PersonName, userId: number) =>
    subscribe(server, as, [{ name: 'open' }], { principals: [userId] });
  expect((await add('bot', gus.id)).status).toBe(400);
  expect((await add('mia', gus.id)).status).toBe(200);
  expect((await add('max', max.id)).status).toBe(200);
  expect((await add('max', bot.id)).status).toBe(200);
  expect((await add('mel', server.people.ona.id)).status).toBe(200);
  expect((await add('ada', server.people.mia.id)).status).toBe(200);
  // The maker of a channel administers it, and so may add others from the start.
  const made = await subscribe(server, 'bot', [{ name: 'bots' }], { principals: [mel.id] });
  expect(made.body.subscribed).toEqual({ [mel.id]: ['bots'] });
  // This holds unless somebody else is to administer it.
  const given = { can_administer_channel_group: NOBODY, principals: [mel.id] };
  const refused = await subscribe(server, 'bot', [{ name: 'others' }], given);
  expect(refused).toMatchObject({ status: 400, body: { msg: 'Insufficient permission' } });
});

const EVERYONE = systemGroupId('role:everyone');
const MODERATORS = systemGroupId('role:moderators');
const ADMINISTRATORS = systemGroupId('role:administrators');
const NOBODY = systemGroupId('role:nobody');

const changeRealm = (server: TestServer, settings: object) =>
  change(server, (tx) => {
    const row = tx.realm.get(['realm']) ?? expect.fail('the realm has a row');
    tx.realm.put(['realm'], { ...row, settings });
  });

function change(server: TestServer, write: (tx: RealmTransaction) => void): Promise<void> {
  const realm = server.app.realms.named('test') ?? expect.fail('there is a realm');
  return realm.perform(write);
}

test('a request is about so many subscriptions, people times channels', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const count = SUBSCRIPTIONS_PER_REQUEST_MAX / CHANNELS_PER_REQUEST_MAX;
  const ids = await server.perform((tx) => {
    const template = tx.users.get([mel.id]) ?? expect.fail('there is mel');
    return Array.from({ length: count + 1 }, () => {
      const id = tx.nextId('user');
      tx.users.put([id], { ...template, id, email: `x${id}@example.com` });
      return id;
    });
  });
  const names = Array.from({ length: CHANNELS_PER_REQUEST_MAX }, (_, index) => `c${index}`);
  // At the bound, the request goes on to the last name, which is empty.
  const channels = [...names.slice(1), ''].map((name) => ({ name }));
  const tooMany = /at most 50000 subscriptions/;
  for (const [principals, begun, ended] of [
    [ids.slice(1), /can't be empty/, /do not exist/],
    [ids, tooMany, tooMany],
  ] as const) {
    const joining = await subscribe(server, 'mel', channels, { principals });
    const leaving = await server.delete(mel, '/users/me/subscriptions', {
      subscriptions: names,
      principals,
    });
    for (const [reply, msg] of [[joining, begun] as const, [leaving, ended] as const]) {
      expect(reply).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
      expect(reply.body.msg).toMatch(msg);
    }
  }
});

test('who asks for a private channel that is web-public gets neither', async () => {
  const server = await startServer();
  await server.set('enable_spectator_access', true);
  const both = { is_web_public: true, invite_only: true };
  const reply = await subscribe(server, 'ona', [{ name: 'made' }], both);
  expect(reply).toMatchObject({
    status: 400,
    body: { result: 'error', code: 'BAD_REQUEST', parameters: 'is_web_public, invite_only' },
  });
  const { state } = await server.register(server.people.ona, { fetch_event_types: ['stream'] });
  expect(state.streams).toEqual([]);
});

test('no web-public channel is made where the server does not allow any', async () => {
  const server = await startServer({ env: { CONFAB_WEB_PUBLIC: '0' } });
  await server.set('enable_spectator_access', true);
  const refused = {
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'Web-public channels are not enabled.' },
  };
  const { ona } = server.people;
  expect(await subscribe(server, 'ona', [{ name: 'a' }], { is_web_public: true })).toMatchObject(
    refused,
  );
  await subscribe(server, 'ona', [{ name: 'b' }]);
  const { stream_id } = (await server.get(ona, '/get_stream_id', { stream: 'b' })).body;
  expect(await server.patch(ona, `/streams/${stream_id}`, { is_web_public: true })).toMatchObject(
    refused,
  );
  const { state } = await server.register(ona);
  expect(state).toMatchObject({
    server_web_public_streams_enabled: false,
    can_create_web_public_streams: false,
  });
});
