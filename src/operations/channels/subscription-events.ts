import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ascending } from '../../domain/ascending.ts';
import type { EventBody, QueueFilter } from '../../domain/wire/events/log-entry.ts';
import type { Site } from '../access/caller.ts';
import {
  announcedTogether,
  hasMetadataAccess,
  mayKnow,
  queuesFor,
  queuesForAll,
  subscriberIds,
  whoKnows,
} from '../access/channel-access.ts';
import { readChannel } from '../reading/channel-reads.ts';
import * as channels from './channels.ts';
import { subscriptionObject } from './subscription-objects.ts';
import * as visibility from './visibility.ts';

interface Joining {
  readonly principals: readonly UserRow[];
  /** Channels by user id. */
  readonly joinedBy: ReadonlyMap<number, readonly ChannelRow[]>;
}

/**
 * Announces subscriptions: first each new subscriber gets the channel, then the others get the new
 * subscribers (reference, 4.2).
 */
export function announceJoined(
  tx: RealmTransaction,
  site: Site,
  { principals, joinedBy }: Joining,
) {
  const altered = new Map<number, number[]>();
  const alike = new Map<string, { userIds: number[]; joined: readonly ChannelRow[] }>();
  for (const user of principals) {
    const joined = joinedBy.get(user.id);
    if (joined === undefined) continue;
    announceNewlyVisible(tx, user, joined);
    for (const { id } of joined) altered.set(id, [...(altered.get(id) ?? []), user.id]);
    for (const together of announcedTogether(joined)) {
      const key = JSON.stringify(
        together.map(({ id }) => [id, personalProperties(tx, id, user.id)]),
      );
      const group = alike.get(key);
      if (group === undefined) alike.set(key, { userIds: [user.id], joined: together });
      else group.userIds.push(user.id);
    }
  }
  // All users with equal subscriptions share one event: its list of subscribers is as long as the
  // channel.
  for (const { userIds, joined } of alike.values())
    announceToMembers(tx, site, { userIds, joined });
  for (const [channelId, userIds] of altered) announcePeers(tx, channelId, userIds, 'peer_add');
}

/**
 * Announces a channel to queues that did not know of it: each subscriber gets their subscription,
 * the others the peers.
 */
export function announceAgain(
  tx: RealmTransaction,
  site: Site,
  { channel, queues }: { readonly channel: ChannelRow; readonly queues: QueueFilter },
) {
  const subscribers = subscriberIds(tx, channel.id);
  if (subscribers.length === 0) return;
  const alike = new Map<string, number[]>();
  for (const userId of subscribers) {
    const key = JSON.stringify(personalProperties(tx, channel.id, userId));
    const userIds = alike.get(key);
    if (userIds === undefined) alike.set(key, [userId]);
    else userIds.push(userId);
  }
  for (const userIds of alike.values()) {
    const subscriptions = subscriptionsOf(tx, site, { userIds, joined: [channel] });
    const audience = { users: userIds };
    tx.emit({ event: { type: 'subscription', op: 'add', subscriptions }, audience, queues });
  }
  const peers = { stream_ids: [channel.id], user_ids: subscribers };
  tx.emit({
    event: { type: 'subscription', op: 'peer_add', ...peers },
    audience: { ...whoKnows(tx, channel), except: subscribers },
    queues,
  });
}

interface Alike {
  readonly userIds: readonly number[];
  readonly joined: readonly ChannelRow[];
}

function announceToMembers(tx: RealmTransaction, site: Site, { userIds, joined }: Alike) {
  const subscriptions = subscriptionsOf(tx, site, { userIds, joined });
  emitToMembers(
    tx,
    { userIds, joinedOrLeft: joined, isSubscribed: true },
    { type: 'subscription', op: 'add', subscriptions },
  );
}

/** Returns the subscriptions of users who have equal ones. */
function subscriptionsOf(tx: RealmTransaction, site: Site, { userIds, joined }: Alike) {
  return joined.map(({ id }) => {
    const channel = tx.channels.get([id]);
    const subscription = tx.subscriptions.get([id, userIds[0] ?? 0]);
    if (channel === undefined || subscription === undefined) return missing(id);
    const own = subscriptionObject(tx, { channel, subscription, settings: site.settings });
    return { ...own, subscribers: subscriberIds(tx, id) };
  });
}

/** Returns the properties of a subscription that belong to its owner. */
function personalProperties(tx: RealmTransaction, channelId: number, userId: number) {
  const { received, readThrough, isForgotten, ...properties } = tx.subscriptions.get([
    channelId,
    userId,
  ]) ?? {
    received: [],
    readThrough: 0,
    isForgotten: false,
  };
  return properties;
}

/**
 * Announces channels that new subscribers did not see before: private ones, and public ones to a
 * guest.
 */
function announceNewlyVisible(tx: RealmTransaction, user: UserRow, joined: readonly ChannelRow[]) {
  const fresh = joined.filter(
    (channel) => !hasMetadataAccess(tx, { user, channel, subscription: undefined }),
  );
  for (const together of announcedTogether(fresh)) {
    const streams = together.map(({ id }) =>
      channels.channelObject(tx, tx.channels.get([id]) ?? missing(id)),
    );
    tx.emit({
      event: { type: 'stream', op: 'create', streams },
      audience: { users: [user.id] },
      ...queuesForAll(together),
    });
  }
}

export function announceLeft(tx: RealmTransaction, user: UserRow, gone: readonly ChannelRow[]) {
  for (const together of announcedTogether(gone)) {
    emitToMembers(
      tx,
      { userIds: [user.id], joinedOrLeft: together, isSubscribed: false },
      {
        type: 'subscription',
        op: 'remove',
        subscriptions: together.map(({ id, name }) => ({ stream_id: id, name })),
      },
    );
  }
  announceRead(tx, user, gone);
  const hidden = gone.filter((channel) => !mayKnow(tx, user, channel));
  visibility.announceLost(tx, hidden, [user.id]);
  for (const channel of gone) announcePeers(tx, channel.id, [user.id], 'peer_remove');
}

/**
 * Marks messages that were left unread as read (reference/events-and-register.md 4.2:
 * "Unsubscribing").
 */
function announceRead(tx: RealmTransaction, user: UserRow, gone: readonly ChannelRow[]) {
  const messages = gone.flatMap(({ id }) => readChannel(tx, user.id, id)).sort(ascending);
  if (messages.length === 0) return;
  tx.emit({
    event: {
      type: 'update_message_flags',
      op: 'add',
      operation: 'add',
      flag: 'read',
      messages,
      all: false,
    },
    audience: { users: [user.id] },
  });
}

/**
 * Emits the event of a membership together with the change: later events of the channel depend on
 * it.
 */
function emitToMembers(
  tx: RealmTransaction,
  change: {
    readonly userIds: readonly number[];
    readonly joinedOrLeft: readonly ChannelRow[];
    readonly isSubscribed: boolean;
  },
  event: EventBody,
) {
  const { userIds, joinedOrLeft, isSubscribed } = change;
  const channelIds = joinedOrLeft.map(({ id }) => id);
  const eventId = tx.emit({
    event,
    audience: { users: userIds },
    memberships: { userIds, channelIds, isSubscribed },
    ...queuesForAll(joinedOrLeft),
  });
  for (const userId of userIds) {
    for (const channelId of channelIds) {
      tx.membershipChanges.put([userId, eventId, channelId], { channelId, isSubscribed });
    }
  }
}

export function announcePeers(
  tx: RealmTransaction,
  channelId: number,
  userIds: readonly number[],
  op: 'peer_add' | 'peer_remove',
) {
  const channel = tx.channels.get([channelId]);
  if (channel === undefined) return;
  tx.emit({
    event: { type: 'subscription', op, stream_ids: [channelId], user_ids: userIds },
    audience: { ...whoKnows(tx, channel), except: userIds },
    ...queuesFor(channel),
  });
}

const missing = (channelId: number): never => {
  throw new Error(`no channel ${channelId}`);
};
