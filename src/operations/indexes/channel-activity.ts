import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import {
  CHANNEL_ACTIVE_SECONDS,
  CHANNELS_LOOKED_AT_PER_STEP,
} from '../../domain/limits/channels.ts';
import { queuesFor, whoKnows } from '../access/channel-access.ts';
import type { Reads } from '../access/groups.ts';

/**
 * Keeps which channels are recently active (docs/decisions/0087). That a channel is quiet is
 * stored, and not derived from the clock, so that snapshots and events change in one commit. A send
 * to an active channel writes nothing: when its time has come, its newest message tells how much
 * more it gets.
 */

/** Returns until when (UNIX seconds) a message or creation at that time keeps a channel active. */
export const endAfter = (at: number): number => at + CHANNEL_ACTIVE_SECONDS;

/** Marks a new channel as active, with or without messages. */
export function begin(tx: RealmTransaction, { id, activeUntil }: ChannelRow) {
  if (activeUntil === null) return;
  tx.activeChannels.put([activeUntil, id], {});
  tx.wakeAt(activeUntil * 1000);
}

/**
 * Notes messages that were sent or moved to the channel, ascending; they may end its quiet state.
 */
export function noteArrived(tx: RealmTransaction, channelId: number, rows: readonly MessageRow[]) {
  const channel = tx.channels.get([channelId]);
  const newest = rows.at(-1);
  if (channel === undefined || channel.activeUntil !== null || newest === undefined) return;
  const activeUntil = endAfter(newest.sentAt);
  if (activeUntil * 1000 <= tx.now) return;
  change(tx, channel, activeUntil);
  announce(tx, channel, true);
}

/**
 * Notes messages that were deleted or moved away, ascending: they still count as activity, so their
 * time is stored.
 */
export function noteGone(tx: RealmTransaction, channelId: number, rows: readonly MessageRow[]) {
  const channel = tx.channels.get([channelId]);
  const newest = rows.at(-1);
  if (channel === undefined || channel.activeUntil === null || newest === undefined) return;
  const activeUntil = endAfter(newest.sentAt);
  if (activeUntil > channel.activeUntil) change(tx, channel, activeUntil);
}

/** Returns when (UNIX milliseconds) the next channel may have become quiet. */
export function nextAt(reader: Pick<RealmReader, 'activeChannels'>): number | undefined {
  for (const [activeUntil] of reader.activeChannels.keys({ limit: 1 })) return activeUntil * 1000;
  return undefined;
}

type TimeKey = [activeUntil: number, channelId: number];

/** Returns the channels that may have become quiet. */
export function due(reader: Pick<RealmReader, 'activeChannels'>, now: number): TimeKey[] {
  const end = [Math.floor(now / 1000) + 1];
  return Array.from(reader.activeChannels.keys({ end, limit: CHANNELS_LOOKED_AT_PER_STEP }));
}

/** Marks a channel whose time has come as quiet, unless it has newer messages. */
export function look(tx: RealmTransaction, [activeUntil, channelId]: TimeKey) {
  const channel = tx.channels.get([channelId]);
  // It became active again between being found and this transaction.
  if (channel?.activeUntil !== activeUntil) {
    tx.activeChannels.remove([activeUntil, channelId]);
    return;
  }
  const newest = newestIn(tx, channelId);
  const until = newest === undefined ? activeUntil : endAfter(newest.sentAt);
  if (until * 1000 > tx.now) {
    change(tx, channel, until);
    return;
  }
  change(tx, channel, null);
  announce(tx, channel, false);
}

function newestIn(tx: Reads, channelId: number): MessageRow | undefined {
  for (const [, id] of tx.channelMessages.keysUnder([channelId], { isReverse: true, limit: 1 })) {
    return tx.messages.get([id]);
  }
  return undefined;
}

function change(tx: RealmTransaction, channel: ChannelRow, activeUntil: number | null) {
  const { id, activeUntil: former } = channel;
  if (former !== null) tx.activeChannels.remove([former, id]);
  const changed = { ...channel, activeUntil };
  tx.channels.put([id], changed);
  begin(tx, changed);
}

function announce(tx: RealmTransaction, channel: ChannelRow, value: boolean) {
  tx.emit({
    event: {
      type: 'stream',
      op: 'update',
      stream_id: channel.id,
      name: channel.name,
      property: 'is_recently_active',
      value,
    },
    audience: whoKnows(tx, channel),
    ...queuesFor(channel),
  });
}
