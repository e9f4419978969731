import { UNKNOWN_ID } from '../../../client/src/store/snapshot-of.ts';

/** A register reply with everything in it, as far as events change it. */
export interface Snapshot extends Record<string, unknown> {
  readonly user_id: number;
  realm_users: (Entry & { user_id: number })[];
  realm_non_active_users: (Entry & { user_id: number })[];
  realm_bots: Entry[];
  user_status?: Record<string, Entry>;
  presences?: Record<string, Entry>;
  realm_user_groups: (Entry & { id: number; members: number[] })[];
  streams: Channel[];
  subscriptions: Channel[];
  unsubscribed: Channel[];
  never_subscribed: Channel[];
  realm_default_streams: number[];
  max_message_id: number;
  unread_msgs: Unread;
  starred_messages: number[];
  recent_private_conversations: { user_ids: number[]; max_message_id: number }[];
  drafts: Draft[];
  saved_snippets: { readonly id: number }[];
  channel_folders: { readonly id: number; readonly order: number }[];
  reminders: { readonly reminder_id: number; readonly scheduled_delivery_timestamp: number }[];
  scheduled_messages: Scheduled[];
  user_topics: TopicPolicy[];
  muted_topics: [string, string, number][];
}

interface Draft {
  readonly id: number;
  readonly timestamp: number;
}

interface Scheduled {
  readonly scheduled_message_id: number;
  readonly scheduled_delivery_timestamp: number;
}

interface TopicPolicy {
  stream_id: number;
  topic_name: string;
  last_updated: number;
  visibility_policy: number;
}

export type Entry = Record<string, unknown>;
type Channel = Entry & {
  stream_id: number;
  name: string;
  subscriber_count: number;
  subscribers?: number[];
};

interface Unread {
  count: number;
  pms: { other_user_id: number; sender_id: number; unread_message_ids: number[] }[];
  streams: { stream_id: number; topic: string; unread_message_ids: number[] }[];
  huddles: { user_ids_string: string; unread_message_ids: number[] }[];
  mentions: number[];
  old_unreads_missing: boolean;
}

const LISTS = ['streams', 'subscriptions', 'unsubscribed', 'never_subscribed'] as const;

const viewsOf = (state: Snapshot) => state['navigation_views'] as Entry[];

const ascending = (ids: Iterable<number>) => [...ids].sort((one, other) => one - other);

/**
 * A client cannot know which newest message is left, because it holds only some of the messages.
 */
const UNKNOWN = UNKNOWN_ID;

/**
 * Returns a snapshot without what may differ between equal states: moments, and the order of lists
 * whose order means nothing.
 */
export function comparable(state: Snapshot, known = state): Record<string, unknown> {
  const { unread_msgs: unread } = state;
  const kept = Object.entries(withWhatIs(known, state)).filter(
    ([name]) => !OF_THE_MOMENT.includes(name),
  );
  return {
    ...Object.fromEntries(kept),
    // No event tells of the traffic of a channel; a client asks for the present one.
    ...Object.fromEntries(
      LISTS.map((name) => [
        name,
        sorted(state[name], 'stream_id').map(({ stream_weekly_traffic: _, ...entry }) => entry),
      ]),
    ),
    realm_users: sorted(state.realm_users, 'user_id'),
    realm_non_active_users: sorted(state.realm_non_active_users, 'user_id'),
    user_topics: sorted(
      state.user_topics.map((entry) => ({
        ...entry,
        key: `${entry.stream_id} ${entry.topic_name}`,
      })),
      'key',
    ),
    realm_bots: sorted(state.realm_bots, 'user_id'),
    realm_domains: sorted(state['realm_domains'] as Entry[], 'domain'),
    realm_user_groups: sorted(state.realm_user_groups, 'id'),
    navigation_views: sorted(viewsOf(state), 'fragment'),
    unread_msgs: {
      ...unread,
      mentions: ascending(unread.mentions),
      pms: sorted(unread.pms, 'other_user_id'),
      huddles: sorted(unread.huddles, 'user_ids_string'),
      // Topics are the same whatever their case.
      streams: sorted(
        unread.streams.map((entry) => ({
          ...entry,
          topic: entry.topic.toLowerCase(),
          key: `${entry.stream_id} ${entry.topic.toLowerCase()}`,
        })),
        'key',
      ),
    },
  };
}

/** Fields that belong to the moment or to the queue, and not to the state. */
const OF_THE_MOMENT = ['queue_id', 'last_event_id', 'server_timestamp', 'presence_last_update_id'];

/** Takes from a fresh snapshot what no client can know. */
function withWhatIs(fresh: Snapshot, state: Snapshot): Snapshot {
  const conversations = state.recent_private_conversations;
  const isKnown = conversations.every(({ max_message_id: id }) => id !== UNKNOWN);
  return {
    ...state,
    // The newest one may have been deleted, without a word to those who may not read it any more.
    max_message_id: Math.min(state.max_message_id, fresh.max_message_id),
    recent_private_conversations: isKnown ? conversations : fresh.recent_private_conversations,
  };
}

const sorted = <Item extends object>(items: readonly Item[], by: keyof Item & string) =>
  items.toSorted((one, other) =>
    one[by] === other[by] ? 0 : (one[by] as string) < (other[by] as string) ? -1 : 1,
  );
