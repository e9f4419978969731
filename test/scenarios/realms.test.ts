import { expect, test } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { ENDPOINTS } from '../../src/endpoints/index.ts';
import { type Client, openClient, type Params, type Reply } from '../support/client.ts';
import { png } from '../support/pictures.ts';
import { startServer, type TestServer } from '../support/start-server.ts';
import { upload, uploadTo } from '../support/uploads.ts';
import type { Person } from '../support/users.ts';

test.each(['test.localhost', 'TEST.LocalHost', 'test.chat.example.com'])(
  'a realm answers for a host that begins with its name: %s',
  async (host) => {
    const server = await startServer();
    await server.addRealm('acme');
    const client = as(server, host);
    const { status, body } = await client.get(server.people.mel, '/users/me');
    expect([status, body.full_name]).toEqual([200, 'Mel Member']);
    const { body: settings } = await client.get(null, '/server_settings');
    expect(settings).toMatchObject({
      realm_name: 'test',
      realm_url: `http://${host}:${server.app.port}`,
    });
  },
);

test.each(['localhost', '127.0.0.1', 'chat.example.com', 'acme.localhost', 'a.test.localhost'])(
  'the only realm answers for any other host: %s',
  async (host) => {
    const server = await startServer();
    const { status, body } = await as(server, host).get(server.people.mel, '/users/me');
    expect([status, body.full_name]).toEqual([200, 'Mel Member']);
  },
);

test.each(['localhost', 'test', 'a.test.localhost', 'testlocalhost', 'x.localhost'])(
  'of two realms none answers for a host of neither: %s',
  async (host) => {
    const server = await startServer();
    const { admin: eve } = await server.addRealm('acme');
    const client = as(server, host);
    const { status, body } = await client.get(null, '/server_settings');
    if (host.endsWith('.localhost')) {
      // "Unknown subdomain BR" (reference/endpoints.md 1.19).
      expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    } else {
      expect(status).toBe(200);
      expect(Object.keys(body).filter((name) => name.startsWith('realm'))).toEqual([]);
      expect(body).toMatchObject({
        authentication_methods: { password: true },
        external_authentication_methods: [],
        email_auth_enabled: true,
      });
    }
    for (const person of [null, server.people.mel, eve]) {
      const reply = await client.get(person, '/users/me');
      expect(reply).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } });
    }
    const login = { username: 'mel@example.com', password: 'correct horse' };
    expect(await client.post(null, '/fetch_api_key', login)).toMatchObject({
      status: 404,
      body: { result: 'error', code: 'NONEXISTENT_SUBDOMAIN' },
    });
    const socket = await client.socket(server.people.mel);
    expect((await socket.closed()).code).toBe(4001);
  },
);

test('the default realm answers for hosts of no realm, and only for those', async () => {
  const server = await startServer({ env: { CONFAB_DEFAULT_REALM: 'test' } });
  const acme = await server.addRealm('acme');
  const other = as(server, 'chat.example.com');
  expect((await other.get(server.people.mel, '/users/me')).body.full_name).toBe('Mel Member');
  expect((await other.get(acme.admin, '/users/me')).status).toBe(401);
  expect((await acme.get(acme.admin, '/users/me')).body.full_name).toBe('Test eve');
  expect((await acme.get(server.people.mel, '/users/me')).status).toBe(401);
});

test('the addresses that the server makes up are below the configured domain', async () => {
  const server = await startServer({ env: { CONFAB_DOMAIN: 'chat.example.com' } });
  await server.addRealm('acme');
  const { mel, max } = server.people;
  const client = as(server, 'test.chat.example.com');
  const { body } = await client.get(max, `/users/user${mel.id}@test.chat.example.com`);
  expect(body.user.user_id).toBe(mel.id);
});

/** What a request may name, and what must then look as if it were nowhere. */
interface Names {
  readonly userId: number;
  readonly email: string;
  readonly channelId: number;
  readonly channel: string;
  readonly messageId: number;
  readonly queueId: string;
  readonly eventId: number;
  readonly groupId: number;
  readonly fieldId: number;
  readonly playgroundId: number;
  readonly exportId: number;
  readonly scheduledId: number;
  readonly draftId: number;
  readonly snippetId: number;
  readonly reminderId: number;
  readonly folderId: number;
  readonly defaultGroupId: number;
  readonly attachmentId: number;
  readonly fileUrl: string;
  readonly linkifierId: number;
  readonly invitationId: number;
  readonly password: string;
  readonly botKey: string;
}

interface Request {
  readonly path?: string;
  readonly params: Params;
}

const sent = { topic: 'tea', content: 'hello' };
const linkifierParams = {
  pattern: '#(?P<id>[0-9]+)',
  url_template: 'https://xyzzy.example.com/{id}',
};
/** Some time in the next century. */
const later = { ...sent, scheduled_delivery_timestamp: 4_102_444_800 };
const range = { anchor: 'newest', num_before: 10, num_after: 0 };
const narrows = (names: Names): Params[] =>
  [
    ['channel', names.channelId],
    ['channel', names.channel],
    ['dm', [names.userId]],
    ['dm', names.email],
    ['dm-including', names.userId],
    ['sender', names.email],
    ['sender', names.userId],
    ['id', names.messageId],
    ['with', names.messageId],
  ].map(([operator, operand]) => ({ ...range, narrow: [{ operator, operand }] }));

/** Every way in which a request can name something of a realm, by endpoint. */
const NAMING: Readonly<Record<string, (names: Names) => readonly Request[]>> = {
  'POST /messages': (names) =>
    [
      { type: 'channel', to: names.channelId },
      { type: 'channel', to: names.channel },
      { type: 'direct', to: [names.userId] },
      { type: 'direct', to: [names.email] },
      { type: 'direct', to: names.email },
    ].map((to) => ({ params: { ...sent, ...to } })),
  'GET /messages': (names) => [
    ...narrows(names).map((params) => ({ params })),
    { params: { anchor: names.messageId, num_before: 0, num_after: 0 } },
    { params: { message_ids: [names.messageId] } },
  ],
  'GET /messages/{message_id}': ({ messageId }) => [{ path: `/messages/${messageId}`, params: {} }],
  'PATCH /messages/{message_id}': ({ messageId }) => [
    { path: `/messages/${messageId}`, params: { content: 'changed' } },
    { path: `/messages/${messageId}`, params: { topic: 'changed' } },
  ],
  'GET /messages/{message_id}/history': ({ messageId }) => [
    { path: `/messages/${messageId}/history`, params: {} },
  ],
  'DELETE /messages/{message_id}': ({ messageId }) => [
    { path: `/messages/${messageId}`, params: {} },
  ],
  'POST /messages/{message_id}/reactions': ({ messageId }) => [
    { path: `/messages/${messageId}/reactions`, params: { emoji_name: 'smile' } },
  ],
  'DELETE /messages/{message_id}/reactions': ({ messageId }) => [
    { path: `/messages/${messageId}/reactions`, params: { emoji_name: 'smile' } },
  ],
  'POST /submessage': ({ messageId }) => [
    {
      params: {
        message_id: messageId,
        msg_type: 'widget',
        content: { type: 'strike', key: '1,1' },
      },
    },
  ],
  'POST /messages/{message_id}/report': ({ messageId }) => [
    { path: `/messages/${messageId}/report`, params: { report_type: 'spam' } },
  ],
  'GET /messages/matches_narrow': (names) => [
    { params: { msg_ids: [names.messageId], narrow: [['channel', 'general']] } },
    { params: { msg_ids: [1], narrow: [['channel', names.channel]] } },
  ],
  'POST /messages/render': () => [],
  'GET /messages/{message_id}/read_receipts': ({ messageId }) => [
    { path: `/messages/${messageId}/read_receipts`, params: {} },
  ],
  'POST /messages/{message_id}/typing': ({ messageId }) => [
    { path: `/messages/${messageId}/typing`, params: { op: 'start' } },
  ],
  'POST /zcommand': () => [],
  'POST /typing': ({ userId, channelId }) => [
    { params: { op: 'start', to: [userId] } },
    { params: { op: 'start', type: 'stream', stream_id: channelId, topic: 'xyzzy' } },
  ],
  'POST /mark_all_as_read': () => [],
  'POST /mark_stream_as_read': ({ channelId }) => [{ params: { stream_id: channelId } }],
  'POST /mark_topic_as_read': ({ channelId }) => [
    { params: { stream_id: channelId, topic_name: 'xyzzy' } },
  ],
  'POST /messages/flags': ({ messageId }) => [
    { params: { messages: [messageId], op: 'add', flag: 'starred' } },
  ],
  'POST /messages/flags/narrow': (names) =>
    narrows(names).map((params) => ({ params: { ...params, op: 'add', flag: 'starred' } })),
  'POST /user_uploads': () => [],
  'GET /user_uploads/{realm_id}/{path...}': ({ fileUrl }) => [{ path: fileUrl, params: {} }],
  'GET /attachments': () => [],
  'DELETE /attachments/{attachment_id}': ({ attachmentId }) => [
    { path: `/attachments/${attachmentId}`, params: {} },
  ],
  'GET /users/me/{stream_id}/topics': ({ channelId }) => [
    { path: `/users/me/${channelId}/topics`, params: {} },
  ],
  'POST /streams/{stream_id}/delete_topic': ({ channelId }) => [
    { path: `/streams/${channelId}/delete_topic`, params: { topic_name: 'xyzzy' } },
  ],
  'POST /user_topics': ({ channelId }) => [
    { params: { stream_id: channelId, topic: 'xyzzy', visibility_policy: 1 } },
  ],
  'PATCH /users/me/subscriptions/muted_topics': ({ channelId, channel }) => [
    { params: { stream_id: channelId, topic: 'xyzzy', op: 'add' } },
    { params: { stream: channel, topic: 'xyzzy', op: 'add' } },
  ],
  'POST /scheduled_messages': ({ channelId, userId }) => [
    { params: { ...later, type: 'channel', to: channelId } },
    { params: { ...later, type: 'direct', to: [userId] } },
  ],
  'GET /scheduled_messages': () => [],
  'PATCH /scheduled_messages/{scheduled_message_id}': ({ scheduledId }) => [
    { path: `/scheduled_messages/${scheduledId}`, params: { content: 'changed' } },
  ],
  'DELETE /scheduled_messages/{scheduled_message_id}': ({ scheduledId }) => [
    { path: `/scheduled_messages/${scheduledId}`, params: {} },
  ],
  'GET /drafts': () => [],
  'POST /drafts': ({ channelId, userId }) => [
    { params: { drafts: [{ ...sent, type: 'stream', to: [channelId] }] } },
    { params: { drafts: [{ ...sent, type: 'private', to: [userId] }] } },
  ],
  'PATCH /drafts/{draft_id}': ({ draftId }) => [
    { path: `/drafts/${draftId}`, params: { draft: { ...sent, type: '', to: [] } } },
  ],
  'DELETE /drafts/{draft_id}': ({ draftId }) => [{ path: `/drafts/${draftId}`, params: {} }],
  'GET /saved_snippets': () => [],
  'POST /saved_snippets': () => [],
  'PATCH /saved_snippets/{saved_snippet_id}': ({ snippetId }) => [
    { path: `/saved_snippets/${snippetId}`, params: { title: 'changed' } },
  ],
  'DELETE /saved_snippets/{saved_snippet_id}': ({ snippetId }) => [
    { path: `/saved_snippets/${snippetId}`, params: {} },
  ],
  'GET /reminders': () => [],
  'POST /reminders': ({ messageId }) => [
    { params: { message_id: messageId, scheduled_delivery_timestamp: 4_102_444_800 } },
  ],
  'DELETE /reminders/{reminder_id}': ({ reminderId }) => [
    { path: `/reminders/${reminderId}`, params: {} },
  ],
  'POST /users/me/subscriptions/properties': ({ channelId }) => [
    {
      params: { subscription_data: [{ stream_id: channelId, property: 'is_muted', value: true }] },
    },
  ],
  'PATCH /users/me/subscriptions/{stream_id}': ({ channelId }) => [
    {
      path: `/users/me/subscriptions/${channelId}`,
      params: { property: 'is_muted', value: true },
    },
  ],
  'GET /users/{user_id}/subscriptions/{stream_id}': ({ userId, channelId }) => [
    { path: `/users/${userId}/subscriptions/1`, params: {} },
    { path: `/users/1/subscriptions/${channelId}`, params: {} },
  ],
  'GET /streams': () => [],
  'GET /streams/{stream_id}': ofChannel(''),
  'PATCH /streams/{stream_id}': ofChannel('', { description: 'changed' }),
  'DELETE /streams/{stream_id}': ofChannel(''),
  'GET /streams/{stream_id}/members': ofChannel('/members'),
  'GET /streams/{stream_id}/email_address': (names) => [
    { path: `/streams/${names.channelId}/email_address`, params: {} },
    { path: '/streams/1/email_address', params: { sender_id: names.userId } },
  ],
  'GET /get_stream_id': ({ channel }) => [{ params: { stream: channel } }],
  'POST /channels/create': ({ userId, groupId }) => [
    { params: { name: 'new', subscribers: [userId] } },
    { params: { name: 'new', subscribers: [], can_subscribe_group: groupId } },
  ],
  'POST /default_streams': ({ channelId }) => [{ params: { stream_id: channelId } }],
  'DELETE /default_streams': ({ channelId }) => [{ params: { stream_id: channelId } }],
  'GET /channel_folders': () => [],
  'POST /channel_folders/create': () => [],
  'PATCH /channel_folders': ({ folderId }) => [{ params: { order: [folderId] } }],
  'PATCH /channel_folders/{channel_folder_id}': ({ folderId }) => [
    { path: `/channel_folders/${folderId}`, params: { description: 'changed' } },
  ],
  'POST /default_stream_groups/create': ({ channel }) => [
    { params: { group_name: 'new', stream_names: [channel] } },
  ],
  'PATCH /default_stream_groups/{group_id}': ({ defaultGroupId }) => [
    { path: `/default_stream_groups/${defaultGroupId}`, params: { new_description: 'changed' } },
  ],
  'DELETE /default_stream_groups/{group_id}': ({ defaultGroupId }) => [
    { path: `/default_stream_groups/${defaultGroupId}`, params: {} },
  ],
  'PATCH /default_stream_groups/{group_id}/streams': ({ defaultGroupId }) => [
    {
      path: `/default_stream_groups/${defaultGroupId}/streams`,
      params: { op: 'add', stream_names: [] },
    },
  ],
  'POST /users/me/subscriptions': ({ userId, email }) => [
    { params: { subscriptions: [{ name: 'new' }], principals: [userId] } },
    { params: { subscriptions: [{ name: 'new' }], principals: [email] } },
    {
      params: {
        subscriptions: [{ name: 'new' }],
        can_subscribe_group: { direct_members: [userId], direct_subgroups: [] },
      },
    },
  ],
  'DELETE /users/me/subscriptions': ({ channel, userId, email }) => [
    { params: { subscriptions: [channel] } },
    { params: { subscriptions: ['general'], principals: [userId] } },
    { params: { subscriptions: ['general'], principals: [email] } },
  ],
  'PATCH /users/me/subscriptions': ({ channel }) => [{ params: { delete: [channel] } }],
  'GET /users/me/subscriptions': () => [],
  'POST /invites/multiuse': ({ channelId, groupId }) => [
    { params: { stream_ids: [channelId] } },
    { params: { group_ids: [groupId] } },
  ],
  'GET /invites': () => [],
  'DELETE /invites/multiuse/{invite_id}': ({ invitationId }) => [
    { path: `/invites/multiuse/${invitationId}`, params: {} },
  ],
  'POST /invites': ({ channelId, groupId }) => [
    { params: { invitee_emails: 'new@example.com', stream_ids: [channelId] } },
    { params: { invitee_emails: 'new@example.com', stream_ids: [], group_ids: [groupId] } },
  ],
  'DELETE /invites/{invite_id}': ({ invitationId }) => [
    { path: `/invites/${invitationId}`, params: {} },
  ],
  'POST /invites/{invite_id}/resend': ({ invitationId }) => [
    { path: `/invites/${invitationId}/resend`, params: {} },
  ],
  'GET /navigation_views': () => [],
  'POST /navigation_views': () => [],
  'PATCH /navigation_views/{fragment...}': () => [],
  'DELETE /navigation_views/{fragment...}': () => [],
  'POST /realm/filters': () => [],
  'PATCH /realm/filters/{filter_id}': ({ linkifierId }) => [
    { path: `/realm/filters/${linkifierId}`, params: linkifierParams },
  ],
  'DELETE /realm/filters/{filter_id}': ({ linkifierId }) => [
    { path: `/realm/filters/${linkifierId}`, params: {} },
  ],
  'GET /realm/linkifiers': () => [],
  'PATCH /realm/linkifiers': ({ linkifierId }) => [
    { params: { ordered_linkifier_ids: [linkifierId] } },
  ],
  'PATCH /realm': ({ channelId, groupId }) => [
    { params: { new_stream_announcements_stream_id: channelId } },
    { params: { moderation_request_channel_id: channelId } },
    { params: { can_mention_many_users_group: { new: groupId } } },
  ],
  'PATCH /realm/user_settings_defaults': () => [],
  'POST /realm/deactivate': () => [],
  'GET /realm/domains': () => [],
  'POST /realm/domains': () => [],
  'PATCH /realm/domains/{domain}': ({ channel }) => [
    { path: `/realm/domains/${channel}.example.com`, params: { allow_subdomains: true } },
  ],
  'DELETE /realm/domains/{domain}': ({ channel }) => [
    { path: `/realm/domains/${channel}.example.com`, params: {} },
  ],
  'GET /realm/emoji': () => [],
  'POST /realm/emoji/{emoji_name}': () => [],
  'DELETE /realm/emoji/{emoji_name}': ({ channel }) => [
    { path: `/realm/emoji/${channel}`, params: {} },
  ],
  'GET /realm/icon': () => [],
  'POST /realm/icon': () => [],
  'DELETE /realm/icon': () => [],
  'GET /realm/logo': () => [],
  'POST /realm/logo': () => [],
  'DELETE /realm/logo': () => [],
  'POST /realm/playgrounds': () => [],
  'DELETE /realm/playgrounds/{playground_id}': ({ playgroundId }) => [
    { path: `/realm/playgrounds/${playgroundId}`, params: {} },
  ],
  'POST /export/realm': () => [],
  'GET /export/realm': () => [],
  'DELETE /export/realm/{export_id}': ({ exportId }) => [
    { path: `/export/realm/${exportId}`, params: {} },
  ],
  'GET /export/realm/consents': () => [],
  'GET /realm/profile_fields': () => [],
  'POST /realm/profile_fields': () => [],
  'PATCH /realm/profile_fields': ({ fieldId }) => [{ params: { order: [fieldId] } }],
  'PATCH /realm/profile_fields/{field_id}': ({ fieldId }) => [
    { path: `/realm/profile_fields/${fieldId}`, params: { hint: 'changed' } },
  ],
  'DELETE /realm/profile_fields/{field_id}': ({ fieldId }) => [
    { path: `/realm/profile_fields/${fieldId}`, params: {} },
  ],
  'PATCH /users/me/profile_data': ({ fieldId }) => [
    { params: { data: [{ id: fieldId, value: 'tea' }] } },
  ],
  'DELETE /users/me/profile_data': ({ fieldId }) => [{ params: { data: [fieldId] } }],
  'POST /user_groups/create': ({ userId, groupId }) => [
    { params: { name: 'new', description: '', members: [userId] } },
    { params: { name: 'new', description: '', members: [], subgroups: [groupId] } },
    { params: { name: 'new', description: '', members: [], can_manage_group: groupId } },
  ],
  'PATCH /user_groups/{user_group_id}': ({ groupId }) => [
    { path: `/user_groups/${groupId}`, params: { description: 'changed' } },
  ],
  'POST /user_groups/{user_group_id}/deactivate': ofGroup('/deactivate'),
  'GET /user_groups': () => [],
  'POST /user_groups/{user_group_id}/members': ofGroup('/members', { add: [1] }),
  'GET /user_groups/{user_group_id}/members': ofGroup('/members'),
  'GET /user_groups/{user_group_id}/members/{user_id}': ({ groupId, userId }) => [
    { path: `/user_groups/${groupId}/members/1`, params: {} },
    { path: `/user_groups/3/members/${userId}`, params: {} },
  ],
  'POST /user_groups/{user_group_id}/subgroups': ofGroup('/subgroups', { add: [8] }),
  'GET /user_groups/{user_group_id}/subgroups': ofGroup('/subgroups'),
  'POST /register': () => [],
  'GET /events': ({ queueId, eventId }) => [
    { params: { queue_id: queueId, last_event_id: eventId, dont_block: true } },
  ],
  'DELETE /events': ({ queueId }) => [{ params: { queue_id: queueId } }],
  'GET /users/me/alert_words': () => [],
  'POST /users/me/alert_words': () => [],
  'DELETE /users/me/alert_words': () => [],
  'POST /users/me/onboarding_steps': () => [],
  'POST /users/me/muted_users/{muted_user_id}': ({ userId }) => [
    { path: `/users/me/muted_users/${userId}`, params: {} },
  ],
  'DELETE /users/me/muted_users/{muted_user_id}': ({ userId }) => [
    { path: `/users/me/muted_users/${userId}`, params: {} },
  ],
  'POST /users/me/avatar': () => [],
  'DELETE /users/me/avatar': () => [],
  'POST /users/me/presence': () => [],
  'GET /users/{user_id_or_email}/presence': ({ userId, email }) => [
    { path: `/users/${userId}/presence`, params: {} },
    { path: `/users/${email}/presence`, params: {} },
  ],
  'GET /realm/presence': () => [],
  'POST /users/{user_id}/status': ({ userId }) => [
    { path: `/users/${userId}/status`, params: { status_text: 'xyzzy' } },
  ],
  'GET /users/{user_id}/status': ({ userId }) => [{ path: `/users/${userId}/status`, params: {} }],
  'POST /users/me/status': () => [],
  'PATCH /settings': () => [],
  'PATCH /settings/display': () => [],
  'PATCH /settings/notifications': () => [],
  'POST /mobile_push/register': () => [],
  'POST /mobile_push/e2ee/test_notification': () => [],
  'POST /mobile_push/test_notification': () => [],
  'POST /users/me/android_gcm_reg_id': () => [],
  'DELETE /users/me/android_gcm_reg_id': () => [],
  'POST /users/me/apns_device_token': () => [],
  'DELETE /users/me/apns_device_token': () => [],
  'GET /users/me': () => [],
  'GET /users': ({ userId }) => [{ params: { user_ids: [userId] } }],
  'GET /users/{user_id_or_email}': ({ userId, email }) => [
    { path: `/users/${userId}`, params: {} },
    { path: `/users/${email}`, params: {} },
  ],
  'POST /users': () => [],
  'PATCH /users/{user_id_or_email}': ({ userId, email }) => [
    { path: `/users/${userId}`, params: { full_name: 'changed' } },
    { path: `/users/${email}`, params: { full_name: 'changed' } },
  ],
  'DELETE /users/{user_id_or_email}': ({ userId }) => [{ path: `/users/${userId}`, params: {} }],
  'DELETE /users/me': () => [],
  'POST /users/{user_id}/reactivate': ({ userId }) => [
    { path: `/users/${userId}/reactivate`, params: {} },
  ],
  'POST /users/me/api_key/regenerate': () => [],
  'POST /dev_fetch_api_key': ({ email }) => [{ params: { username: email } }],
  'GET /dev_list_users': () => [],
  'DELETE /bots/{bot_id}': ({ userId }) => [{ path: `/bots/${userId}`, params: {} }],
  'GET /bots/{bot_id}/api_key': ({ userId }) => [{ path: `/bots/${userId}/api_key`, params: {} }],
  'POST /bots/{bot_id}/api_key/regenerate': ({ userId }) => [
    { path: `/bots/${userId}/api_key/regenerate`, params: {} },
  ],
  'POST /bots': () => [],
  'GET /bots': () => [],
  'PATCH /bots/{bot_id}': ({ userId }) => [
    { path: `/bots/${userId}`, params: { full_name: 'xyzzy' } },
  ],
  'PUT /bot_storage': () => [],
  'GET /bot_storage': () => [],
  'DELETE /bot_storage': () => [],
  'POST /external/{integration}': ({ botKey }) => [
    { path: '/external/json', params: { api_key: botKey, payload: '1' } },
  ],
  'GET /server_settings': () => [],
  'GET /openapi.json': () => [],
  'POST /fetch_api_key': ({ email, password }) => [{ params: { username: email, password } }],
};

function ofChannel(rest: string, params: Params = {}): (names: Names) => readonly Request[] {
  return ({ channelId }) => [{ path: `/streams/${channelId}${rest}`, params }];
}

function ofGroup(rest: string, params: Params = {}): (names: Names) => readonly Request[] {
  return ({ groupId }) => [{ path: `/user_groups/${groupId}${rest}`, params }];
}

const NOWHERE: Names = {
  userId: 9_999,
  email: 'nobody@nowhere.example.com',
  channelId: 9_999,
  channel: 'nowhere',
  messageId: 9_999,
  queueId: '00000000-0000-4000-8000-000000000000',
  eventId: 9_999,
  groupId: 9_999,
  fieldId: 9_999,
  playgroundId: 9_999,
  exportId: 9_999,
  scheduledId: 9_999,
  draftId: 9_999,
  snippetId: 9_999,
  reminderId: 9_999,
  folderId: 9_999,
  defaultGroupId: 9_999,
  attachmentId: 9_999,
  fileUrl: '/user_uploads/9999/ab/x/y',
  linkifierId: 9_999,
  invitationId: 9_999,
  password: 'no password',
  botKey: 'f'.repeat(64),
};

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

test('what is known of the endpoints here is all there is', () => {
  expect(Object.keys(NAMING).sort()).toEqual(ENDPOINTS.map(nameOf).sort());
});

test('what is of another realm looks as if it were nowhere, whatever endpoint is asked', async () => {
  const { server, there } = await twoRealms();
  let compared = 0;
  for (const endpoint of ENDPOINTS) {
    const naming = NAMING[nameOf(endpoint)] ?? expect.fail('each endpoint is known');
    const elsewhere = naming(there);
    const nowhere = naming(NOWHERE);
    for (const [index, request] of elsewhere.entries()) {
      const known = await ask(server, endpoint, request);
      const unknown = await ask(server, endpoint, nowhere[index] ?? expect.fail());
      const what = `${nameOf(endpoint)} ${JSON.stringify(request)}`;
      expect(blurred(known, there), what).toEqual(blurred(unknown, NOWHERE));
      compared += 1;
    }
  }
  expect(compared).toBeGreaterThan(35);
});

test('the keys of another realm open no endpoint', async () => {
  const { server, eve } = await twoRealms();
  for (const endpoint of ENDPOINTS.filter((one) => 'allow' in one)) {
    const [request = { params: {} }] = NAMING[nameOf(endpoint)]?.(NOWHERE) ?? [];
    const reply = await ask(server, endpoint, request, eve);
    const code = endpoint.byUrlKey ? 'INVALID_API_KEY' : 'UNAUTHORIZED';
    expect(reply, nameOf(endpoint)).toMatchObject({ status: 401, body: { code } });
  }
  const socket = await server.socket(eve);
  expect((await socket.closed()).code).toBe(4001);
});

test('nothing that is said or done in another realm is in any answer or event', async () => {
  const { server, acme, eve } = await twoRealms();
  const { ada } = server.people;
  const queue = await server.register(ada, { all_public_streams: true });
  await acme.post(eve, '/messages', { type: 'channel', to: 'xyzzy', topic: 'xyzzy', ...spell });
  await runCommand(server.app.realms, 'user create', {
    realm: 'acme',
    email: 'xyzzy.new@example.com',
    name: 'Xyzzy New',
  });
  const answers = [
    queue.state,
    await queue.now(),
    (await server.get(ada, '/users')).body,
    (await server.get(ada, '/users/me/subscriptions')).body,
    (await server.get(ada, '/messages', { ...range, num_before: 1_000 })).body,
    (await server.get(ada, '/messages', { ...range, narrow: [['channels', 'public']] })).body,
    (await server.get(null, '/server_settings')).body,
  ];
  for (const answer of answers) expect(JSON.stringify(answer)).not.toMatch(/xyzzy/i);
});

test('the same address is an account of its own in each realm', async () => {
  const server = await startServer();
  const acme = await server.addRealm('acme');
  const account = { realm: 'acme', email: 'mel@example.com', name: 'Another Mel' };
  const [made] = (await runCommand(server.app.realms, 'user create', account)) as [
    { user_id: number; api_key: string },
  ];
  const mel = { ...server.people.mel, id: made.user_id, apiKey: made.api_key };
  expect((await acme.get(mel, '/users/me')).body.full_name).toBe('Another Mel');
  expect((await server.get(mel, '/users/me')).status).toBe(401);
  expect((await server.get(server.people.mel, '/users/me')).body.full_name).toBe('Mel Member');
});

const spell = { content: 'xyzzy' };
const as = (server: TestServer, host: string): Client => openClient(() => server.app.port, host);

/** A realm with a channel, and another with more of everything, so that its ids are nowhere in the first. */
async function twoRealms() {
  const server = await startServer({ channels: ['general'] });
  const acme = await server.addRealm('acme');
  const { admin: eve } = acme;
  const { realms } = server.app;
  await runCommand(realms, 'users import', {
    realm: 'acme',
    users: Array.from({ length: 12 }, (_, index) => ({
      full_name: `Xyzzy ${index}`,
      email: `xyzzy${index}@example.com`,
    })),
  });
  const password = 'correct horse';
  const account = { realm: 'acme', email: 'xyzzy@example.com', name: 'Xyzzy', password };
  const [made] = (await runCommand(realms, 'user create', account)) as [{ user_id: number }];
  await acme.post(eve, '/users/me/subscriptions', {
    subscriptions: ['one', 'two', 'three', 'xyzzy'].map((name) => ({ name })),
  });
  const bot = { realm: 'acme', email: 'bot@example.com', name: 'Xyzzy Bot', owner: eve.email };
  const [{ api_key: botKey }] = (await runCommand(realms, 'bot create', bot)) as [
    { api_key: string },
  ];
  const to = { type: 'channel', to: 'xyzzy', topic: 'xyzzy' };
  for (let index = 0; index < 5; index++) await acme.post(eve, '/messages', { ...to, ...spell });
  const { body: last } = await acme.post(eve, '/messages', { ...to, ...spell });
  const queue = await acme.register(eve);
  const { body: group } = await acme.post(eve, '/user_groups/create', {
    name: 'xyzzy',
    description: '',
    members: [eve.id],
  });
  const { body: linkifier } = await acme.post(eve, '/realm/filters', linkifierParams);
  const { body: field } = await acme.post(eve, '/realm/profile_fields', {
    name: 'xyzzy',
    field_type: 1,
  });
  const { body: playground } = await acme.post(eve, '/realm/playgrounds', {
    name: 'xyzzy',
    pygments_language: 'Rust',
    url_template: 'https://example.com/{code}',
  });
  const { body: archive } = await acme.post(eve, '/export/realm');
  await uploadTo(acme, eve, '/realm/emoji/xyzzy', { content: await png(8, 8) });
  // Only owners add domains, and the realm has none.
  await server.app.realms
    .named('acme')
    ?.perform((tx) => tx.realmDomains.put(['xyzzy.example.com'], { allowsSubdomains: false }));
  const { body: scheduled } = await acme.post(eve, '/scheduled_messages', {
    ...later,
    type: 'channel',
    to: 4,
  });
  const { body: drafted } = await acme.post(eve, '/drafts', {
    drafts: [{ ...spell, topic: 'xyzzy', type: 'stream', to: [4] }],
  });
  const { body: snippet } = await acme.post(eve, '/saved_snippets', { ...spell, title: 'xyzzy' });
  const { body: reminder } = await acme.post(eve, '/reminders', {
    message_id: last.id,
    scheduled_delivery_timestamp: later.scheduled_delivery_timestamp,
  });
  const { body: folder } = await acme.post(eve, '/channel_folders/create', { name: 'xyzzy' });
  const defaults = { group_name: 'xyzzy', stream_names: ['xyzzy'] };
  expect((await acme.post(eve, '/default_stream_groups/create', defaults)).status).toBe(200);
  await upload(acme, eve, { content: 'xyzzy' });
  const { attachments } = (await acme.get(eve, '/attachments')).body;
  await acme.post(eve, '/invites/multiuse');
  const { invites } = (await acme.get(eve, '/invites')).body;
  const there: Names = {
    userId: made.user_id,
    email: account.email,
    channelId: 4,
    channel: 'xyzzy',
    messageId: last.id,
    queueId: queue.id,
    eventId: queue.lastEventId,
    groupId: group.group_id,
    fieldId: field.id,
    playgroundId: playground.id,
    exportId: archive.id,
    scheduledId: scheduled.scheduled_message_id,
    draftId: drafted.ids[0],
    snippetId: snippet.saved_snippet_id,
    reminderId: reminder.reminder_id,
    folderId: folder.channel_folder_id,
    defaultGroupId: 1,
    attachmentId: attachments[0].id,
    fileUrl: `/user_uploads/${attachments[0].path_id}`,
    linkifierId: linkifier.id,
    invitationId: invites[0].id,
    password,
    botKey,
  };
  return { server, acme, eve, there };
}

function ask(
  server: TestServer,
  endpoint: { readonly method: string; readonly path: string },
  { path = endpoint.path, params }: Request,
  person: Person = server.people.ada,
): Promise<Reply> {
  const { method } = endpoint;
  if (method === 'GET') return server.get(person, path, params);
  if (method === 'DELETE') return server.delete(person, path, params);
  if (method === 'PUT') return server.put(person, path, params);
  return method === 'PATCH'
    ? server.patch(person, path, params)
    : server.post(person, path, params);
}

/** An answer without what the request itself named. */
function blurred({ status, body }: Reply, names: Names): unknown {
  const named = new Set<unknown>(Object.values(names));
  const blur = (value: unknown) => {
    if (named.has(value)) return '…';
    if (typeof value !== 'string') return value;
    return [names.email, names.channel, names.queueId]
      .reduce((text, name) => text.replaceAll(name, '…'), value)
      .replace(/\d+/g, (digits) => (named.has(Number(digits)) ? '…' : digits));
  };
  return { status, body: JSON.parse(JSON.stringify(body), (_, value) => blur(value)) };
}
