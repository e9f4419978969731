/**
 * A program registers with these, so that a state understands the snapshot and the events: they are
 * the forms of today, in which nothing is left out.
 */
export const CAPABILITIES = {
  notification_settings_null: true,
  bulk_message_deletion: true,
  stream_typing_notifications: true,
  user_settings_object: true,
  linkifier_url_template: true,
  user_list_incomplete: true,
  include_deactivated_groups: true,
  archived_channels: true,
  empty_topic_name: true,
  simplified_presence_events: true,
} as const;
