import type { Snapshot } from '../calls.ts';
import type { Channel, ListedUser, Subscription } from '../generated/api.ts';

/** An account, active or not. */
export interface Person extends ListedUser {
  readonly is_active: boolean;
}

/** Settings of a user for a channel; everyone sees the fields of `Channel`. */
export type ChannelSettings = Omit<Subscription, keyof Channel | 'subscribers'>;

export type TopicPolicy = NonNullable<Snapshot['user_topics']>[number];

/** Values of `visibility_policy`. */
export const MUTED = 1;
export const UNMUTED = 2;
export const FOLLOWED = 3;

/** The fields of a register reply that the state keeps in maps; it keeps the others as they are. */
const MAPPED = [
  'realm_users',
  'realm_non_active_users',
  'realm_bots',
  'realm_user_groups',
  'presences',
  'user_status',
  'streams',
  'subscriptions',
  'unsubscribed',
  'never_subscribed',
  'channel_folders',
  'unread_msgs',
  'starred_messages',
  'recent_private_conversations',
  'user_topics',
  'muted_users',
  'drafts',
  'scheduled_messages',
  'reminders',
  'saved_snippets',
  'navigation_views',
] as const;

export type Mapped = (typeof MAPPED)[number];

export type Facts = Omit<Snapshot, Mapped>;

/** Returns the fields that are kept as they are. */
export function factsOf(snapshot: Snapshot): Facts {
  const facts = { ...snapshot };
  for (const name of MAPPED) delete facts[name];
  return facts;
}

/** Topics are the same whatever their case. */
export const topicKey = (topic: string): string => topic.toLowerCase();

export const ascending = (ids: Iterable<number>): number[] =>
  [...ids].sort((one, other) => one - other);

/** Returns the value of a key, which is made if there is none. */
export function got<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
