/**
 * Parts of the state that an event can change. A user interface can keep one signal for each, and
 * bump those that `apply` names.
 */
export type Section =
  /** Limits and facts of the server. */
  | 'server'
  /** Settings of the organization. */
  | 'realm'
  | 'emoji'
  | 'linkifiers'
  | 'playgrounds'
  | 'domains'
  /** The account and the rights of the user. */
  | 'own'
  | 'users'
  | 'bots'
  | 'profileFields'
  | 'groups'
  | 'presence'
  | 'statuses'
  | 'typing'
  | 'channels'
  | 'subscriptions'
  | 'folders'
  | 'defaultChannels'
  | 'unread'
  | 'topics'
  /** Direct conversations by their newest message. */
  | 'conversations'
  | 'starred'
  | 'userTopics'
  | 'mutedUsers'
  | 'alertWords'
  | 'drafts'
  | 'scheduled'
  | 'reminders'
  | 'snippets'
  | 'views'
  | 'settings'
  | 'onboarding'
  | 'pushDevices';
