import type { Snapshot } from '../calls.ts';
import type { Channel, ListedUser, Subscription } from '../generated/api.ts';
import type { Contents } from './contents.ts';
import { ascending, type Mapped, type Person } from './objects.ts';

/**
 * Returns the state as the register reply that the server would give now, with the fields that the
 * first one had: to keep it on a disk, with the queue and the number of the last event, or to
 * compare it.
 */
export function snapshotOf(state: Contents): Snapshot {
  const mapped: Required<Pick<Snapshot, Mapped>> = {
    ...peopleOf(state),
    ...channelsOf(state),
    ...messagesOf(state),
    ...personalOf(state),
  };
  const fetched = Object.entries(mapped).filter(([name]) => state.fetched.has(name));
  // An event may have told of a field that was not asked for.
  const facts = Object.entries(state.facts).filter(([name]) => state.fetched.has(name));
  return {
    ...(Object.fromEntries(facts) as unknown as Snapshot),
    ...Object.fromEntries(fetched),
    ...(state.fetched.has('last_event_id') && { last_event_id: state.lastEventId }),
  };
}

function peopleOf(state: Contents) {
  const systemBots = new Set(state.facts.cross_realm_bots?.map(({ user_id: id }) => id));
  const people = [...state.users.values()].filter(({ user_id: id }) => !systemBots.has(id));
  return {
    realm_users: people.filter(({ is_active }) => is_active).map(listed),
    realm_non_active_users: people.filter(({ is_active }) => !is_active).map(listed),
    realm_bots: [...state.bots.values()],
    realm_user_groups: [...state.groups.values()],
    presences: Object.fromEntries(state.presence),
    user_status: Object.fromEntries(state.statuses),
  };
}

const listed = ({ is_active, ...user }: Person): ListedUser => user;

function channelsOf(state: Contents) {
  const streams = [...state.channels.values()].sort((one, other) =>
    one.name < other.name ? -1 : 1,
  );
  const isNever = ({ stream_id: id }: Channel) =>
    !state.subscriptions.has(id) && !state.formerSubscriptions.has(id);
  const withPeers = (channel: Channel) => {
    const subscribers = state.subscribers.get(channel.stream_id);
    return { ...channel, ...(subscribers && { subscribers: [...subscribers] }) };
  };
  const withSettings = (known: Contents['subscriptions']) =>
    streams
      .filter(({ stream_id: id }) => known.has(id))
      // A channel with what is the user's own is a subscription.
      .map((one) => ({ ...withPeers(one), ...known.get(one.stream_id) }) as Subscription);
  return {
    streams,
    subscriptions: withSettings(state.subscriptions),
    unsubscribed: withSettings(state.formerSubscriptions),
    never_subscribed: streams.filter(isNever).map(withPeers),
    channel_folders: [...state.folders.values()].sort((one, other) => one.order - other.order),
  };
}

function messagesOf(state: Contents) {
  const { unread, ownId } = state;
  const directs = [...unread.directs.values()];
  return {
    unread_msgs: {
      count: unread.total(),
      pms: directs
        .filter(({ userIds }) => userIds.length === 1)
        .map(({ userIds: [other = ownId], ids }) => ({
          other_user_id: other,
          sender_id: other,
          unread_message_ids: ascending(ids),
        })),
      streams: [...unread.topics.values()].flatMap((topics) =>
        [...topics.values()].map(({ channelId, topic, ids }) => ({
          stream_id: channelId,
          topic,
          unread_message_ids: ascending(ids),
        })),
      ),
      huddles: directs
        .filter(({ userIds }) => userIds.length > 1)
        .map(({ userIds, ids }) => ({
          user_ids_string: ascending([...userIds, ownId]).join(),
          unread_message_ids: ascending(ids),
        })),
      mentions: unread.mentionIds(),
      old_unreads_missing: unread.isIncomplete,
    },
    starred_messages: ascending(state.starred),
    recent_private_conversations: [...state.conversations.values()]
      .map(({ userIds, newestId }) => ({
        user_ids: [...userIds],
        max_message_id: newestId ?? UNKNOWN_ID,
      }))
      .reverse(),
  };
}

/** Stands for the newest message of a conversation where nobody said which is left. */
export const UNKNOWN_ID = -2;

function personalOf(state: Contents) {
  return {
    user_topics: [...state.mutes.policies.values()].flatMap((policies) => [...policies.values()]),
    muted_users: Array.from(state.mutedUsers, ([id, timestamp]) => ({ id, timestamp })),
    drafts: [...state.drafts.values()].sort(
      (one, other) => other.timestamp - one.timestamp || other.id - one.id,
    ),
    scheduled_messages: [...state.scheduled.values()].sort(
      (one, other) =>
        one.scheduled_delivery_timestamp - other.scheduled_delivery_timestamp ||
        one.scheduled_message_id - other.scheduled_message_id,
    ),
    reminders: [...state.reminders.values()].sort(
      (one, other) =>
        one.scheduled_delivery_timestamp - other.scheduled_delivery_timestamp ||
        one.reminder_id - other.reminder_id,
    ),
    saved_snippets: [...state.snippets.values()],
    navigation_views: [...state.views.values()],
  };
}
