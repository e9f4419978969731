import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { ChannelRow } from '../../storage/tables/channels.ts';
import type { SubscriptionRow } from '../../storage/tables/subscriptions.ts';
import type { UserRow } from '../../storage/tables/users.ts';
import * as errors from '../domain/errors.ts';
import { SUBSCRIPTIONS_PER_REQUEST_MAX } from '../domain/limits.ts';
import type { EventBody, QueueFilter } from '../domain/log-entry.ts';
import type { SubscriptionObject } from '../domain/objects.ts';
import { isAdministrator, isGuest } from '../domain/roles.ts';
import type { Place } from './caller.ts';
import {
  byName,
  grants,
  hasContentAccess,
  hasMetadataAccess,
  queuesFor,
  queuesForAll,
  subscriberIds,
  toldTogether,
  whoKnows,
} from './channel-access.ts';
import { readChannel } from './channel-reads.ts';
import * as channels from './channels.ts';
import { may, type Reads } from './groups.ts';
import * as guestSight from './guest-sight.ts';
import * as sight from './sight.ts';

export interface SubscribeRequest {
  readonly channels: readonly {
    readonly name: string;
    readonly description: string;
    readonly color?: string | undefined;
  }[];
  /** Whom to subscribe; the caller when absent. */
  readonly principals: readonly UserRow[];
  readonly areRefusalsFatal: boolean;
  readonly creation: Omit<channels.NewChannel, 'name' | 'description'>;
  readonly place: Place;
}

export interface SubscribeResult {
  /** Channel names by user id. */
  readonly subscribed: Record<string, string[]>;
  readonly already_subscribed: Record<string, string[]>;
  readonly unauthorized: string[];
  readonly created: readonly ChannelRow[];
  /** The channels that each user newly joined, by user id. */
  readonly joinedBy: ReadonlyMap<number, readonly ChannelRow[]>;
}

/** Subscribes users to channels, creating those that do not exist (specification, "POST /users/me/subscriptions"). */
export function subscribe(
  tx: RealmTransaction,
  caller: UserRow,
  request: SubscribeRequest,
): SubscribeResult {
  if (isGuest(caller.role)) throw errors.badRequest('Not allowed for guest users');
  const { found, created, unauthorized } = findOrCreate(tx, caller, request);
  const subscribed: Record<string, string[]> = {};
  const already: Record<string, string[]> = {};
  const joinedBy = new Map<number, ChannelRow[]>();
  const colors = new Map(request.channels.map(({ name, color }) => [name.toLowerCase(), color]));
  const known = guestSight.look(tx, {
    userIds: request.principals.map(({ id }) => id),
    channelIds: found.map(({ id }) => id),
  });
  for (const channel of created) channels.announceCreation(tx, channel);
  if (created.some(({ isDefault }) => isDefault)) channels.announceDefaults(tx);
  for (const user of request.principals) {
    const joined = found.filter((channel) =>
      add(tx, user, channel.id, colors.get(channel.name.toLowerCase())),
    );
    for (const channel of found) {
      const into = joined.includes(channel) ? subscribed : already;
      into[user.id] = [...(into[user.id] ?? []), channel.name];
    }
    if (joined.length > 0) joinedBy.set(user.id, joined);
  }
  guestSight.announce(tx, request.place, known);
  announceJoined(tx, request.principals, joinedBy);
  return { subscribed, already_subscribed: already, unauthorized, created, joinedBy };
}

/** Subscribes a user whom nobody asks any more, such as one who just joined. */
export function join(
  tx: RealmTransaction,
  { user, place }: { user: UserRow; place: Place },
  joined: readonly ChannelRow[],
) {
  const known = guestSight.look(tx, { userIds: [user.id], channelIds: joined.map(({ id }) => id) });
  const added = joined.filter(({ id }) => add(tx, user, id, undefined));
  guestSight.announce(tx, place, known);
  if (added.length > 0) announceJoined(tx, [user], new Map([[user.id, added]]));
}

/** Names of channels are the same whatever their case. */
export const distinctNames = (names: readonly string[]) => [
  ...new Map(names.map((name) => [name.trim().toLowerCase(), name.trim()])).values(),
];

/** Nobody else is served while they are written. */
export function refuseTooMany(people: readonly unknown[], channelNames: readonly unknown[]) {
  if (people.length * channelNames.length > SUBSCRIPTIONS_PER_REQUEST_MAX) {
    throw errors.badRequest(
      `A request is about at most ${SUBSCRIPTIONS_PER_REQUEST_MAX} subscriptions, people times channels.`,
    );
  }
}

/** Ends subscriptions of users to channels; a user who was not subscribed is reported, not refused. */
export function unsubscribe(
  tx: RealmTransaction,
  caller: UserRow,
  request: {
    readonly names: readonly string[];
    readonly principals: readonly UserRow[];
    readonly place: Place;
  },
) {
  const { names, principals, place } = request;
  refuseTooMany(principals, names);
  const left = names.map((name) => {
    const channel = byName(tx, name);
    if (channel === undefined || !mayKnow(tx, caller, channel)) {
      throw errors.badRequest(`Channel(s) (${name}) do not exist`);
    }
    return channel;
  });
  for (const channel of left) {
    const others = principals.filter((user) => user.id !== caller.id);
    if (others.length > 0 && !mayRemove(tx, caller, channel, others)) {
      throw errors.badRequest('Insufficient permission');
    }
  }
  const known = guestSight.look(tx, {
    userIds: principals.map(({ id }) => id),
    channelIds: left.map(({ id }) => id),
  });
  const removed = new Set<string>();
  const kept = new Set<string>();
  for (const user of principals) {
    const gone = left.filter((channel) => removeOne(tx, user, channel.id));
    for (const channel of left) (gone.includes(channel) ? removed : kept).add(channel.name);
    if (gone.length > 0) announceLeft(tx, user, gone);
  }
  guestSight.announce(tx, place, known);
  return { removed: [...removed], not_removed: [...kept] };
}

export const isSubscribed = (tx: Reads, userId: number, channelId: number) =>
  tx.subscriptions.get([channelId, userId])?.isActive === true;

/** A subscription as its owner gets it: the channel and the personal properties. */
export function subscriptionObject(
  tx: Reads,
  channel: ChannelRow,
  subscription: SubscriptionRow,
): SubscriptionObject {
  return {
    ...channels.channelObject(tx, channel),
    color: subscription.color,
    is_muted: subscription.isMuted,
    in_home_view: !subscription.isMuted,
    pin_to_top: subscription.isPinned,
    desktop_notifications: subscription.desktopNotifications,
    audible_notifications: subscription.audibleNotifications,
    push_notifications: subscription.pushNotifications,
    email_notifications: subscription.emailNotifications,
    wildcard_mentions_notify: subscription.wildcardMentionsNotify,
  };
}

/** A subscription for those who can have none, with what a new one looks like (reference/events-and-register.md 5.8). */
export const imaginedSubscription = (
  tx: Reads,
  channel: ChannelRow,
  index: number,
): SubscriptionObject =>
  subscriptionObject(tx, channel, {
    isActive: true,
    isForgotten: false,
    isMuted: false,
    isPinned: false,
    color: PALETTE[index % PALETTE.length] ?? PALETTE[0],
    desktopNotifications: true,
    audibleNotifications: true,
    pushNotifications: true,
    emailNotifications: true,
    wildcardMentionsNotify: true,
    received: [],
    readThrough: 0,
  });

function findOrCreate(tx: RealmTransaction, caller: UserRow, request: SubscribeRequest) {
  const found: ChannelRow[] = [];
  const created: ChannelRow[] = [];
  const unauthorized: string[] = [];
  const others = request.principals.filter((user) => user.id !== caller.id);
  for (const { name: given, description } of request.channels) {
    const name = given.trim();
    const existing = byName(tx, name);
    if (existing === undefined) {
      const channel = channels.create(tx, { ...request.creation, name, description }, caller);
      created.push(channel);
      found.push(channel);
    } else if (found.some(({ id }) => id === existing.id)) {
      // named twice in one request
    } else if (maySubscribe(tx, caller, existing, others)) {
      found.push(existing);
    } else if (request.areRefusalsFatal) {
      throw errors.badRequest(`Unable to access channel (${existing.name}).`);
    } else {
      unauthorized.push(existing.name);
    }
  }
  if (others.length > 0 && !created.every((channel) => mayAddOthers(tx, caller, channel))) {
    throw errors.badRequest('Insufficient permission');
  }
  return { found, created, unauthorized };
}

function maySubscribe(
  tx: RealmTransaction,
  caller: UserRow,
  channel: ChannelRow,
  others: readonly UserRow[],
) {
  const subscription = tx.subscriptions.get([channel.id, caller.id]);
  if (!hasContentAccess(tx, { user: caller, channel, subscription })) return false;
  return others.length === 0 || mayAddOthers(tx, caller, channel);
}

/** Whether someone may subscribe others to a channel that they see. */
export const mayAddOthers = (tx: RealmTransaction, caller: UserRow, channel: ChannelRow) =>
  isAdministrator(caller.role) ||
  may(tx, caller, 'can_add_subscribers_group') ||
  grants(tx, caller, channel, ['can_add_subscribers_group', 'can_administer_channel_group']);

const mayRemove = (
  tx: RealmTransaction,
  caller: UserRow,
  channel: ChannelRow,
  others: readonly UserRow[],
) =>
  isAdministrator(caller.role) ||
  others.every((user) => user.botOwnerId === caller.id) ||
  grants(tx, caller, channel, ['can_administer_channel_group', 'can_remove_subscribers_group']);

function mayKnow(tx: RealmTransaction, caller: UserRow, channel: ChannelRow) {
  const subscription = tx.subscriptions.get([channel.id, caller.id]);
  return hasMetadataAccess(tx, { user: caller, channel, subscription });
}

/** False when the user was subscribed already. */
function add(tx: RealmTransaction, user: UserRow, channelId: number, color: string | undefined) {
  const former = tx.subscriptions.get([channelId, user.id]);
  if (former?.isActive) return false;
  if (former !== undefined) {
    tx.formerSubscribers.remove([channelId, former.received.at(-1) ?? 0, user.id]);
  }
  const newest = tx.lastId('message');
  tx.subscriptions.put([channelId, user.id], {
    ...(former ?? { ...NEW_SUBSCRIPTION, color: color ?? unusedColor(tx, user.id) }),
    isActive: true,
    received: [...(former?.received ?? []), newest + 1, null],
    // What was said before is not unread to a new subscriber; what an earlier subscription left unread still is.
    readThrough: former?.readThrough ?? newest,
    isForgotten: false,
  });
  tx.userChannels.put([user.id, channelId], { isActive: true });
  countSubscribers(tx, channelId, 1);
  return true;
}

function removeOne(tx: RealmTransaction, user: UserRow, channelId: number) {
  const former = tx.subscriptions.get([channelId, user.id]);
  if (!former?.isActive) return false;
  const lastReceivedId = tx.lastId('message');
  tx.subscriptions.put([channelId, user.id], {
    ...former,
    isActive: false,
    received: [...former.received.slice(0, -1), lastReceivedId],
  });
  tx.formerSubscribers.put([channelId, lastReceivedId, user.id], {});
  tx.userChannels.put([user.id, channelId], { isActive: false });
  countSubscribers(tx, channelId, -1);
  return true;
}

function countSubscribers(tx: RealmTransaction, channelId: number, by: number) {
  const channel = tx.channels.get([channelId]);
  if (channel === undefined) return;
  tx.channels.put([channelId], { ...channel, subscriberCount: channel.subscriberCount + by });
}

/** First each new subscriber hears of the channel, then the others of the new subscribers (reference, 4.2). */
function announceJoined(
  tx: RealmTransaction,
  principals: readonly UserRow[],
  joinedBy: ReadonlyMap<number, readonly ChannelRow[]>,
) {
  const altered = new Map<number, number[]>();
  const alike = new Map<string, { userIds: number[]; joined: readonly ChannelRow[] }>();
  for (const user of principals) {
    const joined = joinedBy.get(user.id);
    if (joined === undefined) continue;
    announceNewlyVisible(tx, user, joined);
    for (const { id } of joined) altered.set(id, [...(altered.get(id) ?? []), user.id]);
    for (const told of toldTogether(joined)) {
      const key = JSON.stringify(told.map(({ id }) => [id, personalProperties(tx, id, user.id)]));
      const group = alike.get(key);
      if (group === undefined) alike.set(key, { userIds: [user.id], joined: told });
      else group.userIds.push(user.id);
    }
  }
  // One event for all whose subscriptions look alike: its list of subscribers is as long as the channel.
  for (const { userIds, joined } of alike.values()) announceToMembers(tx, userIds, joined);
  for (const [channelId, userIds] of altered) announcePeers(tx, channelId, userIds, 'peer_add');
}

/** For queues that did not know of a channel: each subscriber hears of their subscription, the others of the peers. */
export function announceAgain(tx: RealmTransaction, channel: ChannelRow, queues: QueueFilter) {
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
    const subscriptions = subscriptionsOf(tx, userIds, [channel]);
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

function announceToMembers(
  tx: RealmTransaction,
  userIds: readonly number[],
  joined: readonly ChannelRow[],
) {
  const subscriptions = subscriptionsOf(tx, userIds, joined);
  emitToMembers(
    tx,
    { userIds, joinedOrLeft: joined, isSubscribed: true },
    { type: 'subscription', op: 'add', subscriptions },
  );
}

/** Subscriptions of users to whom they look alike. */
function subscriptionsOf(
  tx: RealmTransaction,
  userIds: readonly number[],
  joined: readonly ChannelRow[],
) {
  return joined.map(({ id }) => {
    const channel = tx.channels.get([id]);
    const subscription = tx.subscriptions.get([id, userIds[0] ?? 0]);
    if (channel === undefined || subscription === undefined) return missing(id);
    const own = subscriptionObject(tx, channel, subscription);
    return { ...own, subscribers: subscriberIds(tx, id) };
  });
}

/** What of a subscription is its owner's own. */
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

/** A private channel is new to most who join it, and a public one to a guest. */
function announceNewlyVisible(tx: RealmTransaction, user: UserRow, joined: readonly ChannelRow[]) {
  const fresh = joined.filter(
    (channel) => !hasMetadataAccess(tx, { user, channel, subscription: undefined }),
  );
  for (const told of toldTogether(fresh)) {
    const streams = told.map(({ id }) =>
      channels.channelObject(tx, tx.channels.get([id]) ?? missing(id)),
    );
    tx.emit({
      event: { type: 'stream', op: 'create', streams },
      audience: { users: [user.id] },
      ...queuesForAll(told),
    });
  }
}

function announceLeft(tx: RealmTransaction, user: UserRow, gone: readonly ChannelRow[]) {
  for (const told of toldTogether(gone)) {
    emitToMembers(
      tx,
      { userIds: [user.id], joinedOrLeft: told, isSubscribed: false },
      {
        type: 'subscription',
        op: 'remove',
        subscriptions: told.map(({ id, name }) => ({ stream_id: id, name })),
      },
    );
  }
  announceRead(tx, user, gone);
  const hidden = gone.filter((channel) => !mayKnow(tx, user, channel));
  sight.announceLost(tx, hidden, [user.id]);
  for (const channel of gone) announcePeers(tx, channel.id, [user.id], 'peer_remove');
}

/** What was left unread counts as read from now on (reference/events-and-register.md 4.2: "Unsubscribing"). */
function announceRead(tx: RealmTransaction, user: UserRow, gone: readonly ChannelRow[]) {
  const messages = gone
    .flatMap(({ id }) => readChannel(tx, user.id, id))
    .sort((one, other) => one - other);
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

/** The event of a membership and the change itself: events of the channel after it follow suit. */
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

function announcePeers(
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

const NEW_SUBSCRIPTION = {
  isMuted: false,
  isPinned: false,
  desktopNotifications: null,
  audibleNotifications: null,
  pushNotifications: null,
  emailNotifications: null,
  wildcardMentionsNotify: null,
} as const;

const PALETTE = [
  '#76ce90', '#fae589', '#a6c7e5', '#e79ab5', '#bfd56f', '#f4ae55', '#b0a5fd', '#addfe5',
  '#f5ce6e', '#c2726a', '#94c849', '#bd86e5', '#ee7e4a', '#a6dcbf', '#95a5fd', '#53a063',
  '#9987e1', '#e4523d', '#c2c2c2', '#4f8de4', '#c6a8ad', '#e7cc4d', '#c8bebf', '#a47462',
] as const; // biome-ignore format: a table

/** A colour that the user's other channels do not have; when all are used, they repeat. */
function unusedColor(tx: RealmTransaction, userId: number): string {
  const used = new Set<string>();
  let count = 0;
  for (const [, channelId] of tx.userChannels.keysUnder([userId])) {
    count += 1;
    if (count > PALETTE.length) break;
    const color = tx.subscriptions.get([channelId, userId])?.color;
    if (color !== undefined) used.add(color);
  }
  return PALETTE.find((color) => !used.has(color)) ?? PALETTE[count % PALETTE.length] ?? '#76ce90';
}
