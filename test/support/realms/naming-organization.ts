import type { Params } from '../client.ts';
import { linkifierParams, type Names, type Naming, type Namings } from './names-of-realms.ts';

/**
 * Requests that name the organization, its accounts, groups and bots, one's own settings, and what
 * anybody may know.
 */
export const NAMING_ORGANIZATION: Namings = {
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
  'GET /realm/audit_log': () => [],
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
  'POST /realm/test_welcome_bot_custom_message': () => [],
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
  'GET /users/me/web_push': () => [],
  'POST /users/me/web_push': () => [],
  'DELETE /users/me/web_push': () => [],
  'GET /users/me/push_devices': () => [],
  'DELETE /users/me/push_devices/{push_device_id}': ({ pushDeviceId }) => [
    { path: `/users/me/push_devices/${pushDeviceId}`, params: {} },
  ],
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
  'GET /users/me/api_keys': () => [],
  'DELETE /users/me/api_keys/{key_id}': ({ keyId }) => [
    { path: `/users/me/api_keys/${keyId}`, params: {} },
  ],
  'GET /sessions': () => [],
  'DELETE /sessions': () => [],
  'DELETE /sessions/{session_id}': ({ sessionId }) => [
    { path: `/sessions/${sessionId}`, params: {} },
  ],
  'DELETE /sessions/current': () => [],
  'POST /sessions': ({ email, password }) => [{ params: { username: email, password } }],
  'POST /sessions/demo': ({ userId }) => [{ params: { user_id: userId } }],
  'POST /password_reset': ({ email }) => [{ params: { username: email } }],
  'GET /bots/{bot_id}/api_keys': ({ userId }) => [{ path: `/bots/${userId}/api_keys`, params: {} }],
  'DELETE /bots/{bot_id}/api_keys/{key_id}': ({ userId, keyId }) => [
    { path: `/bots/${userId}/api_keys/${keyId}`, params: {} },
  ],
  'POST /dev_fetch_api_key': ({ email }) => [{ params: { username: email } }],
  'GET /dev_list_users': () => [],
  'GET /calls/bigbluebutton/create': () => [],
  'POST /calls/zoom/create': () => [],
  'POST /calls/webex/create': () => [],
  'POST /calls/nextcloud_talk/create': () => [],
  'POST /calls/constructorgroups/create': () => [],
  'POST /sessions/passkey/options': () => [],
  'POST /sessions/passkey': () => [],
  'GET /users/me/second_step': () => [],
  'POST /users/me/second_step/app': () => [],
  'POST /users/me/second_step/app/confirm': () => [],
  'DELETE /users/me/second_step/app': () => [],
  'POST /users/me/second_step/recovery_codes': () => [],
  'POST /users/me/passkeys/options': () => [],
  'POST /users/me/passkeys': () => [],
  'DELETE /users/me/passkeys/{passkey_id}': () => [],
  'DELETE /users/{user_id}/second_step': ({ userId }) => [
    { path: `/users/${userId}/second_step`, params: {} },
  ],
  'POST /jwt/fetch_api_key': () => [],
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

function ofGroup(rest: string, params: Params = {}): (names: Names) => readonly Naming[] {
  return ({ groupId }) => [{ path: `/user_groups/${groupId}${rest}`, params }];
}
