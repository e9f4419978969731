import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { SubscriptionRow } from '../../../storage/tables/channels/subscriptions.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { SUBSCRIPTIONS_PER_REQUEST_MAX } from '../../domain/limits/channels.ts';
import * as errors from '../../domain/wire/errors.ts';
import { isAdministrator, isGuest } from '../../domain/wire/roles.ts';
import type { Site } from '../access/caller.ts';
import { byName, grants, hasContentAccess, mayKnow } from '../access/channel-access.ts';
import { may, type Reads } from '../access/groups.ts';
import * as notificationListeners from '../indexes/notification-listeners.ts';
import * as guestVisibility from '../users/guest-visibility.ts';
import * as channels from './channels.ts';
import { inFull, unusedColor } from './colors.ts';
import { announceJoined, announceLeft, announcePeers } from './subscription-events.ts';

export interface SubscribeRequest {
  readonly channels: readonly {
    readonly name: string;
    readonly description: string;
    readonly color?: string | undefined;
  }[];
  /** The users to subscribe. */
  readonly principals: readonly UserRow[];
  readonly areRefusalsFatal: boolean;
  readonly creation: Omit<channels.NewChannel, 'name' | 'description'>;
  readonly site: Site;
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

/**
 * Subscribes users to channels, creating missing ones (specification, "POST
 * /users/me/subscriptions").
 */
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
  const colors = new Map(
    request.channels.map(({ name, color }) => [name.toLowerCase(), color && inFull(color)]),
  );
  const known = guestVisibility.snapshot(tx, {
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
  guestVisibility.announce(tx, request.site, known);
  announceJoined(tx, request.site, { principals: request.principals, joinedBy });
  return { subscribed, already_subscribed: already, unauthorized, created, joinedBy };
}

/** Subscribes a user without their request, such as one who just joined. */
export function join(
  tx: RealmTransaction,
  { user, site }: { user: UserRow; site: Site },
  joined: readonly ChannelRow[],
) {
  const known = guestVisibility.snapshot(tx, {
    userIds: [user.id],
    channelIds: joined.map(({ id }) => id),
  });
  const added = joined.filter(({ id }) => add(tx, user, id, undefined));
  guestVisibility.announce(tx, site, known);
  if (added.length === 0) return;
  announceJoined(tx, site, { principals: [user], joinedBy: new Map([[user.id, added]]) });
}

/** The first message that a subscriber of a history has received, and how far they have read. */
export interface Received {
  readonly from: number;
  readonly readThrough: number;
}

/** Settings of a subscription that a history has; the others are the defaults. */
export type Look = {
  readonly [Name in Own]?: SubscriptionRow[Name] | undefined;
};

type Own =
  | 'color'
  | 'isMuted'
  | 'isPinned'
  | 'desktopNotifications'
  | 'audibleNotifications'
  | 'pushNotifications'
  | 'emailNotifications'
  | 'wildcardMentionsNotify';

const given = (look: Look): Partial<SubscriptionRow> =>
  Object.fromEntries(Object.entries(look).filter(([, value]) => value !== undefined));

/** Subscribes a user of a history, of which nobody is told: the clients register again. */
export function joinUnannounced(
  tx: RealmTransaction,
  user: UserRow,
  {
    channelId,
    past,
    look,
  }: {
    readonly channelId: number;
    readonly past: Received | undefined;
    readonly look: Look | undefined;
  },
) {
  if (!add(tx, user, channelId, undefined)) return;
  // An account counts once it is active.
  if (!user.isActive) countSubscribers(tx, channelId, -1);
  const row = tx.subscriptions.get([channelId, user.id]);
  if (row === undefined) return;
  const set = look === undefined ? {} : given(look);
  const read = past && { received: [past.from, null], readThrough: past.readThrough };
  tx.subscriptions.put([channelId, user.id], { ...row, ...set, ...read });
  notificationListeners.noteSubscription(tx, { userId: user.id, channelId }, set);
}

/** Returns each name once: names of channels ignore case. */
export const distinctNames = (names: readonly string[]) => [
  ...new Map(names.map((name) => [name.trim().toLowerCase(), name.trim()])).values(),
];

/** Refuses too many subscriptions, since no other request is served while they are written. */
export function refuseTooMany(people: readonly unknown[], channelNames: readonly unknown[]) {
  if (people.length * channelNames.length > SUBSCRIPTIONS_PER_REQUEST_MAX) {
    throw errors.badRequest(
      `A request is about at most ${SUBSCRIPTIONS_PER_REQUEST_MAX} subscriptions, people times channels.`,
    );
  }
}

/**
 * Ends subscriptions of users to channels; a user who was not subscribed is reported, not refused.
 */
export function unsubscribe(
  tx: RealmTransaction,
  caller: UserRow,
  request: {
    readonly names: readonly string[];
    readonly principals: readonly UserRow[];
    readonly site: Site;
  },
) {
  const { names, principals, site } = request;
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
  const known = guestVisibility.snapshot(tx, {
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
  guestVisibility.announce(tx, site, known);
  return { removed: [...removed], not_removed: [...kept] };
}

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

/** Tests whether a user may subscribe others to a channel that they see. */
export const mayAddOthers = (tx: Reads, caller: UserRow, channel: ChannelRow) =>
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

/** Returns false if the user was subscribed already. */
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
    // Earlier messages are not unread to a new subscriber; those that an earlier subscription left
    // unread still are.
    readThrough: former?.readThrough ?? newest,
    isForgotten: false,
  });
  tx.userChannels.put([user.id, channelId], { isActive: true });
  countSubscribers(tx, channelId, 1);
  auditMember(tx, channelId, { member: user.id, op: 'add' });
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
  auditMember(tx, channelId, { member: user.id, op: 'remove' });
  return true;
}

/** The audit log has who may read a private channel; the others are open to everybody. */
function auditMember(
  tx: RealmTransaction,
  channelId: number,
  change: { readonly member: number; readonly op: 'add' | 'remove' },
) {
  if (tx.channels.get([channelId])?.isPrivate !== true) return;
  tx.audit({ kind: 'channel_member', target: channelId, ...change });
}

/**
 * Counts an account that was reactivated as a subscriber again, or stops counting a deactivated
 * one, whose subscriptions stay.
 */
export function countAccount(tx: RealmTransaction, user: UserRow) {
  for (const [[, channelId], { isActive }] of [...tx.userChannels.under([user.id])]) {
    if (!isActive) continue;
    countSubscribers(tx, channelId, user.isActive ? 1 : -1);
    announcePeers(tx, channelId, [user.id], user.isActive ? 'peer_add' : 'peer_remove');
  }
}

function countSubscribers(tx: RealmTransaction, channelId: number, by: number) {
  const channel = tx.channels.get([channelId]);
  if (channel === undefined) return;
  tx.channels.put([channelId], { ...channel, subscriberCount: channel.subscriberCount + by });
}

const NEW_SUBSCRIPTION = {
  isMuted: false,
  isPinned: false,
  desktopNotifications: null,
  audibleNotifications: null,
  pushNotifications: null,
  emailNotifications: null,
  wildcardMentionsNotify: null,
} as const;
