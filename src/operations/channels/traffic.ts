import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import {
  CHANNELS_COUNTED_PER_STEP,
  MESSAGES_COUNTED_PER_STEP,
  TRAFFIC_AGE_SECONDS_MIN,
  TRAFFIC_COUNT_SECONDS,
  TRAFFIC_SECONDS,
} from '../../domain/limits/channels.ts';
import { weeklyTraffic } from '../../domain/rules/messages/traffic.ts';
import type { Reads } from '../access/groups.ts';

/**
 * Counts the messages of a channel once a day from the index of its messages (docs/decisions/0099).
 * A send writes nothing for it, and changes are not announced: clients read the figure with the
 * channel.
 */

/** Plans the first count of a new channel, when it is a week old. */
export function begin(tx: RealmTransaction, { id, dateCreated }: ChannelRow) {
  plan(tx, id, dateCreated + TRAFFIC_AGE_SECONDS_MIN);
}

/** Returns when (UNIX milliseconds) the next channel is to be counted. */
export function nextAt(reader: Pick<RealmReader, 'trafficCounts'>): number | undefined {
  for (const [countAt] of reader.trafficCounts.keys({ limit: 1 })) return countAt * 1000;
  return undefined;
}

type CountKey = [countAt: number, channelId: number];

/** Returns the channels to be counted. */
export function due(reader: Pick<RealmReader, 'trafficCounts'>, now: number): CountKey[] {
  const end = [Math.floor(now / 1000) + 1];
  return Array.from(reader.trafficCounts.keys({ end, limit: CHANNELS_COUNTED_PER_STEP }));
}

/** Counts some messages of a channel; after the last of them it has its figure for the day. */
export function step(tx: RealmTransaction, key: CountKey) {
  const [, channelId] = key;
  const progress = tx.trafficCounts.get(key);
  const channel = tx.channels.get([channelId]);
  if (progress === undefined || channel === undefined) return tx.trafficCounts.remove(key);
  const now = Math.floor(tx.now / 1000);
  const from = progress.from ?? firstSince(tx, now - TRAFFIC_SECONDS);
  const ids = Array.from(
    tx.channelMessages.keys({
      start: [channelId, from],
      end: [channelId + 1],
      limit: MESSAGES_COUNTED_PER_STEP,
    }),
    ([, id]) => id,
  );
  const count = progress.count + ids.length;
  const last = ids.at(-1);
  if (last !== undefined && ids.length === MESSAGES_COUNTED_PER_STEP) {
    tx.trafficCounts.put(key, { from: last + 1, count });
    tx.wakeAt(tx.now);
    return;
  }
  const traffic = weeklyTraffic({ count, ageSeconds: now - channel.dateCreated });
  if (traffic !== channel.weeklyTraffic) {
    tx.channels.put([channelId], { ...channel, weeklyTraffic: traffic });
  }
  postpone(tx, key);
}

/** Plans the next count in a day. */
export function postpone(tx: RealmTransaction, key: CountKey) {
  tx.trafficCounts.remove(key);
  plan(tx, key[1], Math.floor(tx.now / 1000) + TRAFFIC_COUNT_SECONDS);
}

function plan(tx: RealmTransaction, channelId: number, countAt: number) {
  tx.trafficCounts.put([countAt, channelId], { from: null, count: 0 });
  tx.wakeAt(countAt * 1000);
}

/**
 * Returns the id of the first message sent since then, or a later one: ids grow with time, so few
 * are read.
 */
export function firstSince(tx: Reads, since: number): number {
  let [low, high] = [0, newestId(tx) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = firstFrom(tx, middle);
    if (found === undefined || (tx.messages.get([found])?.sentAt ?? since) >= since) high = middle;
    else low = found + 1;
  }
  return low;
}

function firstFrom(tx: Reads, id: number): number | undefined {
  for (const [found] of tx.messages.keys({ start: [id], limit: 1 })) return found;
  return undefined;
}

function newestId(tx: Reads): number {
  for (const [id] of tx.messages.keys({ isReverse: true, limit: 1 })) return id;
  return 0;
}
