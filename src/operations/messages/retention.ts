import { AS_THE_REALM, type MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  MESSAGES_EXPIRED_PER_STEP,
  MESSAGES_LOOKED_AT_PER_STEP,
} from '../../domain/limits/messages.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import { erase } from './deletion.ts';

/**
 * Retention: messages are deleted after a number of days (reference/endpoints.md 1.20;
 * docs/decisions/0081). Sending writes nothing for this: the next one to expire follows from
 * `oldest_messages`, and for direct messages from a position up to which all were deleted.
 */

/** A place where messages expire: a channel, or all direct messages. */
export type Expiring =
  | { readonly kind: 'channel'; readonly days: number; readonly channelId: number }
  | { readonly kind: 'direct' };

interface Expiry {
  /** UNIX milliseconds. */
  readonly at: number;
  readonly where: Expiring;
}

/** Returns when the next message expires (UNIX milliseconds). */
export const nextAt = (reader: Reads): number | undefined => earliest(reader)?.at;

/**
 * Returns the place where messages have expired. It is one place at a time, so that other
 * operations get their turn in between.
 */
export function due(reader: Reads, now: number): Expiring[] {
  const next = earliest(reader);
  return next === undefined || next.at > now ? [] : [next.where];
}

/**
 * Deletes the oldest expired messages of a place, with all that belongs to them, as a user would.
 */
export function step(tx: RealmTransaction, where: Expiring) {
  if (where.kind === 'channel') expireInChannel(tx, where);
  else expireDirect(tx);
}

/**
 * Skips the oldest message of a place after a bug, so that it does not keep the others from being
 * deleted.
 */
export function putAside(tx: RealmTransaction, where: Expiring) {
  if (where.kind === 'direct') {
    passBy(tx, expiredDirect(tx).next);
    return;
  }
  const { days, channelId } = where;
  const oldest = tx.channels.get([channelId])?.firstMessageId ?? null;
  if (oldest !== null) tx.oldestMessages.remove([days, oldest, channelId]);
}

function earliest(reader: Reads): Expiry | undefined {
  const realmDays = realmSetting(reader, 'message_retention_days');
  let found = realmDays === -1 ? undefined : nextDirect(reader, realmDays);
  for (const [days, messageId, channelId] of oldestOfEach(reader)) {
    const kept = days === AS_THE_REALM ? realmDays : days;
    const message = kept === -1 ? undefined : reader.messages.get([messageId]);
    if (message === undefined) continue;
    const at = expiryOf(message, kept);
    if (found !== undefined && found.at <= at) continue;
    found = { at, where: { kind: 'channel', days, channelId } };
  }
  return found;
}

/**
 * Yields the channel with the oldest message for each number of days, with one read for each
 * different number.
 */
function* oldestOfEach({ oldestMessages }: Reads): Iterable<[number, number, number]> {
  for (let days = AS_THE_REALM; ; ) {
    const [key] = oldestMessages.keys({ start: [days], limit: 1 });
    if (key === undefined) return;
    yield key;
    days = key[0] + 1;
  }
}

/**
 * Returns when the first message after the position expires. It may be one of a channel; then the
 * step deletes nothing and moves the position on.
 */
function nextDirect(reader: Reads, days: number): Expiry | undefined {
  const from = reader.retentionMarks.get(['direct'])?.messageId ?? 0;
  for (const [, message] of reader.messages.range({ start: [from], limit: 1 })) {
    return { at: expiryOf(message, days), where: { kind: 'direct' } };
  }
  return undefined;
}

const DAY_MS = 86_400_000;
const expiryOf = ({ sentAt }: MessageRow, days: number) => sentAt * 1000 + days * DAY_MS;

function expireInChannel(
  tx: RealmTransaction,
  { days, channelId }: Extract<Expiring, { kind: 'channel' }>,
) {
  const kept = days === AS_THE_REALM ? realmSetting(tx, 'message_retention_days') : days;
  const expired: MessageRow[] = [];
  const oldest = { limit: MESSAGES_EXPIRED_PER_STEP };
  for (const [, id] of tx.channelMessages.keysUnder([channelId], oldest)) {
    const message = tx.messages.get([id]);
    if (message === undefined || kept === -1 || expiryOf(message, kept) > tx.now) break;
    expired.push(message);
  }
  erase(tx, expired);
}

function expireDirect(tx: RealmTransaction) {
  const { conversations, next } = expiredDirect(tx);
  for (const messages of conversations) erase(tx, messages);
  passBy(tx, next);
}

/**
 * Returns the oldest expired direct messages by conversation, and the position at which the next
 * step goes on.
 */
function expiredDirect(tx: RealmTransaction) {
  const days = realmSetting(tx, 'message_retention_days');
  const from = tx.retentionMarks.get(['direct'])?.messageId ?? 0;
  if (days === -1) return { conversations: [], next: from };
  const expired = new Map<number, MessageRow[]>();
  let next = tx.lastId('message') + 1;
  let seen = 0;
  let found = 0;
  for (const [[id], message] of tx.messages.range({ start: [from] })) {
    const isDirect = message.channelId === null;
    const isFull = seen === MESSAGES_LOOKED_AT_PER_STEP || found === MESSAGES_EXPIRED_PER_STEP;
    if (isFull || (isDirect && expiryOf(message, days) > tx.now)) {
      next = id;
      break;
    }
    seen += 1;
    if (!isDirect) continue;
    found += 1;
    const others = expired.get(message.recipientId);
    if (others === undefined) expired.set(message.recipientId, [message]);
    else others.push(message);
  }
  return { conversations: [...expired.values()], next };
}

const passBy = (tx: RealmTransaction, messageId: number) =>
  tx.retentionMarks.put(['direct'], { messageId });
