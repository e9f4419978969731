import type { Params } from '../client.ts';
import { later, type Names, type Naming, type Namings, range, sent } from './names-of-realms.ts';

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

/** Requests that name messages, what is kept of them, files, topics and channels. */
export const NAMING_MESSAGES: Namings = {
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
  'GET /messages/summary': () => [],
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
  'DELETE /streams/{stream_id}/email_address': ofChannel('/email_address'),
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
};

function ofChannel(rest: string, params: Params = {}): (names: Names) => readonly Naming[] {
  return ({ channelId }) => [{ path: `/streams/${channelId}${rest}`, params }];
}
