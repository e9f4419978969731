import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ascending } from '../../domain/ascending.ts';
import {
  announcedTogether,
  hasMetadataAccess,
  KNOWING_GROUPS,
  queuesFor,
  queuesForAll,
  subscriberIds,
} from '../access/channel-access.ts';
import { settingsNaming } from '../access/group-settings.ts';
import { type Reads, withSupergroups } from '../access/groups.ts';
import { channelObject } from './channels.ts';

/** The visibility of some channels to some users, at one moment. */
export interface Visibility {
  readonly userIds: readonly number[];
  readonly knowers: ReadonlyMap<number, ReadonlySet<number>>;
}

export interface VisibilityChange {
  readonly channel: ChannelRow;
  readonly gained: readonly number[];
  readonly lost: readonly number[];
}

/**
 * Takes a snapshot of the visibility before a change of roles, groups or permissions; `announce` or
 * `changesSince` follows. It costs users times channels, so name only those that the change can
 * concern.
 */
export function snapshot(
  tx: Reads,
  { userIds, channelIds }: { userIds: readonly number[]; channelIds: readonly number[] },
): Visibility {
  const knowers = new Map<number, ReadonlySet<number>>();
  if (userIds.length === 0) return { userIds, knowers };
  for (const id of channelIds) {
    const channel = tx.channels.get([id]);
    if (channel !== undefined) knowers.set(id, knowersOf(tx, channel, userIds));
  }
  return { userIds, knowers };
}

/**
 * Announces a channel to users who may know of it since then, and its loss to users who may not any
 * more.
 */
export function announce(tx: RealmTransaction, before: Visibility) {
  for (const change of changesSince(tx, before)) {
    announceLost(tx, [change.channel], change.lost);
    announceGained(tx, change);
  }
}

export function changesSince(tx: Reads, { userIds, knowers }: Visibility): VisibilityChange[] {
  const changes: VisibilityChange[] = [];
  for (const [id, knew] of knowers) {
    const channel = tx.channels.get([id]);
    if (channel === undefined) continue;
    const know = knowersOf(tx, channel, userIds);
    const gained = [...know].filter((userId) => !knew.has(userId));
    const lost = [...knew].filter((userId) => !know.has(userId));
    if (gained.length > 0 || lost.length > 0) changes.push({ channel, gained, lost });
  }
  return changes;
}

/**
 * Announces the channel without subscribers, then its subscribers: a client counts them from the
 * events (docs/decisions/0037).
 */
export function announceGained(tx: RealmTransaction, { channel, gained }: VisibilityChange) {
  if (gained.length === 0) return;
  const audience = { users: gained };
  const streams = [{ ...channelObject(tx, channel), subscriber_count: 0 }];
  tx.emit({ event: { type: 'stream', op: 'create', streams }, audience, ...queuesFor(channel) });
  const subscribers = subscriberIds(tx, channel.id);
  if (subscribers.length === 0) return;
  tx.emit({
    event: {
      type: 'subscription',
      op: 'peer_add',
      stream_ids: [channel.id],
      user_ids: subscribers,
    },
    audience,
    ...queuesFor(channel),
  });
}

/** Announces the loss of the channels to these users. */
export function announceLost(
  tx: RealmTransaction,
  channels: readonly ChannelRow[],
  userIds: readonly number[],
) {
  if (userIds.length === 0) return;
  for (const together of announcedTogether(channels)) {
    const stream_ids = together.map(({ id }) => id);
    for (const channelId of stream_ids) {
      for (const userId of userIds) forget(tx, channelId, userId);
    }
    const streams = stream_ids.map((stream_id) => ({ stream_id }));
    tx.emit({
      event: { type: 'stream', op: 'delete', stream_ids, streams },
      audience: { users: userIds },
      ...queuesForAll(together),
    });
  }
}

/** Notes the same without events, for users who register again. */
export function noteLost(tx: RealmTransaction, before: Visibility) {
  for (const { channel, lost } of changesSince(tx, before)) {
    for (const userId of lost) forget(tx, channel.id, userId);
  }
}

/** Marks a former subscription as unknown to clients. */
function forget(tx: RealmTransaction, channelId: number, userId: number) {
  const row = tx.subscriptions.get([channelId, userId]);
  if (row !== undefined) tx.subscriptions.put([channelId, userId], { ...row, isForgotten: true });
}

/**
 * Returns the private channels that members of a group know of through it, or through a group that
 * contains it.
 */
export function channelsThrough(tx: Reads, groupId: number): number[] {
  const channelIds = new Set<number>();
  for (const usedId of withSupergroups(tx, [groupId])) {
    for (const [, , channelId] of tx.groupUses.keysUnder([usedId, 'channel'])) {
      const channel = tx.channels.get([channelId]);
      if (channel !== undefined && isKnownThrough(channel, usedId)) channelIds.add(channelId);
    }
  }
  return [...channelIds].sort(ascending);
}

/** Does the same for a system group. Its uses have no index, so all channels are read. */
export function channelsThroughSystemGroup(tx: Reads, groupId: number): number[] {
  const usedIds = [...withSupergroups(tx, [groupId])];
  return Array.from(tx.channels.range({}))
    .filter(([, channel]) => usedIds.some((usedId) => isKnownThrough(channel, usedId)))
    .map(([[channelId]]) => channelId);
}

function isKnownThrough(channel: ChannelRow, groupId: number): boolean {
  if (!channel.isPrivate) return false;
  const known = Object.fromEntries(KNOWING_GROUPS.map((name) => [name, channel.groups[name]]));
  return settingsNaming(known, groupId).length > 0;
}

function knowersOf(tx: Reads, channel: ChannelRow, userIds: readonly number[]) {
  const knowers = new Set<number>();
  for (const id of userIds) {
    const user = tx.users.get([id]);
    if (!user?.isActive) continue;
    const subscription = tx.subscriptions.get([channel.id, id]);
    if (hasMetadataAccess(tx, { user, channel, subscription })) knowers.add(id);
  }
  return knowers;
}
