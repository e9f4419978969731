/** The parts of the snapshot that the state needs. */
const FETCHED = [
  'realm',
  'realm_user',
  'realm_user_groups',
  'realm_emoji',
  'realm_playgrounds',
  'presence',
  'user_status',
  'subscription',
  'channel_folders',
  'default_streams',
  'message',
  'update_message_flags',
  'starred_messages',
  'recent_private_conversations',
  'user_topic',
  'muted_users',
  'user_settings',
  'drafts',
  'saved_snippets',
];

const EVENTS = [
  ...FETCHED,
  'user_group',
  'stream',
  'channel_folder',
  'update_message',
  'delete_message',
  'reaction',
  'submessage',
  'typing',
  'typing_edit_message',
];

export const REGISTER = {
  fetch_event_types: FETCHED,
  event_types: EVENTS,
  apply_markdown: true,
  // People without a picture of their own have initials: no other server is asked for one.
  client_gravatar: true,
  slim_presence: true,
  include_subscribers: 'false',
  client_capabilities: {
    notification_settings_null: true,
    bulk_message_deletion: true,
    user_avatar_url_field_optional: false,
    stream_typing_notifications: true,
    user_settings_object: true,
    user_list_incomplete: true,
    empty_topic_name: true,
    simplified_presence_events: true,
  },
};
