/** Nothing is unread. */
export const NO_UNREAD = {
  count: 0,
  pms: [],
  streams: [],
  huddles: [],
  mentions: [],
  old_unreads_missing: false,
};

/** A register reply of a user who is alone, with empty lists. */
export const SMALL_SNAPSHOT = {
  queue_id: '1',
  last_event_id: 0,
  user_id: 1,
  realm_users: [],
  realm_non_active_users: [],
  realm_user_groups: [],
  streams: [],
  subscriptions: [],
  unsubscribed: [],
  never_subscribed: [],
  recent_private_conversations: [],
  user_topics: [],
  drafts: [],
  unread_msgs: NO_UNREAD,
};
