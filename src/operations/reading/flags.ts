import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ascending } from '../../domain/ascending.ts';
import { MESSAGES_PER_FETCH_MAX } from '../../domain/limits/messages.ts';
import { topicKey } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { EventBody } from '../../domain/wire/events/log-entry.ts';
import { EDITABLE_FLAGS, type EditableFlag, FlagBit } from '../../domain/wire/flags.ts';
import type { UnreadMessage } from '../../domain/wire/message-objects.ts';
import type { Caller } from '../access/caller.ts';
import { ownBitsOf } from '../indexes/flag-reads.ts';
import { flagsOf, readable, received } from '../indexes/message-access.ts';
import { setFlags } from '../indexes/message-flags.ts';
import { decisionsOf } from '../indexes/user-topics.ts';
import { findRange, type Range, remembering } from './message-list.ts';
import { markRead, markUnread } from './unread.ts';

/** The change as the client sent it; the flag is not checked yet. */
export interface FlagChange {
  readonly op: string;
  readonly flag: string;
}

export interface FlagUpdate extends FlagChange {
  readonly messageIds: readonly number[];
}

/**
 * Changes a flag of messages for the caller only. If one message cannot be read, the whole request
 * is refused.
 */
export function updateFlags(tx: RealmTransaction, { user }: Caller, update: FlagUpdate) {
  const change = checked(update);
  const ids = [...new Set(update.messageIds)];
  if (ids.length > MESSAGES_PER_FETCH_MAX) {
    throw errors.badRequest(`Too many messages (maximum ${MESSAGES_PER_FETCH_MAX}).`);
  }
  const reads = remembering(tx);
  const rows = ids.map((id) => readable(reads, user, id));
  const { ignoredChannelIds } = apply(tx, user, { change, rows });
  return { messages: update.messageIds, ...ignoredFields(ignoredChannelIds) };
}

export type FlagRange = FlagChange & Omit<Range, 'user' | 'site'>;

/**
 * Changes a flag of the messages in a range of a narrow (specification, "POST
 * /messages/flags/narrow").
 */
export function updateFlagsInNarrow(tx: RealmTransaction, caller: Caller, range: FlagRange) {
  const change = checked(range);
  const { user, site } = caller;
  const found = findRange(remembering(tx), { ...range, ...clamped(range), user, site });
  const { changed, ignoredChannelIds } = apply(tx, user, { change, rows: found.rows });
  return {
    processed_count: found.rows.length,
    updated_count: changed.length,
    first_processed_id: found.rows[0]?.id ?? null,
    last_processed_id: found.rows.at(-1)?.id ?? null,
    found_oldest: found.isOldestFound,
    found_newest: found.isNewestFound,
    ...ignoredFields(ignoredChannelIds),
  };
}

interface CheckedChange {
  readonly isAdded: boolean;
  readonly flag: EditableFlag;
}

function checked({ op, flag }: FlagChange): CheckedChange {
  if (op !== 'add' && op !== 'remove') {
    throw errors.badRequest(`Invalid message flag operation: '${op}'`);
  }
  const editable = EDITABLE_FLAGS.find((name) => name === flag);
  if (editable !== undefined) return { isAdded: op === 'add', flag: editable };
  throw errors.badRequest(
    FIXED_FLAGS.has(flag) ? `Flag not editable: '${flag}'` : `Invalid flag: '${flag}'`,
  );
}

/** Flags that clients cannot change (reference/endpoints.md 1.9). */
const FIXED_FLAGS: ReadonlySet<string> = new Set([
  'mentioned',
  'stream_wildcard_mentioned',
  'topic_wildcard_mentioned',
  'wildcard_mentioned',
  'has_alert_word',
  'historical',
  'group_mentioned',
  'force_expand',
  'force_collapse',
]);

/**
 * Limits the range: "Clamped to 5000 in total (each side at least 2500 when both ask for more)."
 */
function clamped({ numBefore, numAfter }: { numBefore: number; numAfter: number }) {
  const half = MESSAGES_PER_FETCH_MAX / 2;
  const before = Math.min(numBefore, Math.max(MESSAGES_PER_FETCH_MAX - numAfter, half));
  return { numBefore: before, numAfter: Math.min(numAfter, MESSAGES_PER_FETCH_MAX - before) };
}

interface Applied {
  /** Ascending. */
  readonly changed: readonly number[];
  /** Null unless messages are marked unread. */
  readonly ignoredChannelIds: readonly number[] | null;
}

interface Application {
  readonly change: CheckedChange;
  readonly rows: readonly MessageRow[];
}

function apply(tx: RealmTransaction, user: UserRow, { change, rows }: Application): Applied {
  const isMarkingUnread = change.flag === 'read' && !change.isAdded;
  const ignored = isMarkingUnread ? channelsNotSubscribed(tx, user, rows) : null;
  const concerned =
    ignored === null
      ? rows
      : rows.filter(({ channelId: id }) => !ignored.has(id ?? 0) && !isArchived(tx, id));
  const changed = changeFlag(tx, user, { change, rows: concerned });
  const ids = new Set(changed);
  if (changed.length > 0) {
    announce(tx, user, { change, rows: concerned.filter((row) => ids.has(row.id)), changed });
  }
  return { changed, ignoredChannelIds: ignored === null ? null : [...ignored].sort(ascending) };
}

/**
 * Tests for an archived channel, where messages count as read (docs/decisions/0041): older clients
 * have no place to show them.
 */
const isArchived = (tx: RealmTransaction, channelId: number | null) =>
  channelId !== null && tx.channels.get([channelId])?.isArchived === true;

function changeFlag(tx: RealmTransaction, user: UserRow, { change, rows }: Application) {
  if (change.flag !== 'read') return changeMark(tx, user, { change, rows });
  return change.isAdded ? markRead(tx, user.id, rows) : markUnread(tx, user.id, rows);
}

/**
 * "Starring an accessible but never received message creates a personal copy with flags `read`,
 * `historical`."
 */
function changeMark(
  tx: RealmTransaction,
  user: UserRow,
  { change, rows }: Application,
): readonly number[] {
  const bit = FlagBit[change.flag];
  const changed: number[] = [];
  const reads = remembering(tx);
  for (const row of rows) {
    const before = ownBitsOf(tx, user.id, row.id);
    if (((before & bit) !== 0) === change.isAdded) continue;
    const copy = received(reads, user.id, row) ? 0 : FlagBit.read | FlagBit.historical;
    const after = change.isAdded ? before | bit | copy : before & ~bit;
    // A copy is kept only for its marks; without any, its flags follow from other rows.
    setFlags(tx, user.id, row.id, after === copy ? 0 : after);
    changed.push(row.id);
  }
  return changed.sort(ascending);
}

function channelsNotSubscribed(tx: RealmTransaction, user: UserRow, rows: readonly MessageRow[]) {
  const channelIds = new Set(rows.map(({ channelId }) => channelId).filter((id) => id !== null));
  return new Set(
    [...channelIds].filter((id) => tx.subscriptions.get([id, user.id])?.isActive !== true),
  );
}

/** Returns the field for marking unread (specification, "POST /messages/flags/narrow"). */
const ignoredFields = (channelIds: readonly number[] | null) =>
  channelIds === null ? {} : { ignored_because_not_subscribed_channels: channelIds };

function announce(
  tx: RealmTransaction,
  user: UserRow,
  {
    change: { flag, isAdded },
    rows,
    changed,
  }: Application & { readonly changed: readonly number[] },
) {
  const change = { type: 'update_message_flags', flag, messages: changed, all: false } as const;
  const event: EventBody = isAdded
    ? { ...change, op: 'add', operation: 'add' }
    : {
        ...change,
        op: 'remove',
        operation: 'remove',
        ...(flag === 'read' ? { message_details: details(tx, user, rows) } : {}),
      };
  tx.emit({ event, audience: { users: [user.id] } });
}

/**
 * Returns the facts with which a client counts messages that it may have forgotten
 * (reference/events-and-register.md 4.1).
 */
function details(tx: RealmTransaction, user: UserRow, rows: readonly MessageRow[]) {
  const reads = remembering(tx);
  const decisions = decisionsOf(tx, user.id);
  return Object.fromEntries(
    rows.map((row): [number, UnreadMessage] => {
      const bits = flagsOf(reads, user.id, row);
      if (row.channelId === null) {
        const people = reads.conversations.get([row.recipientId])?.userIds ?? [];
        return [
          row.id,
          {
            type: 'private',
            ...(bits & ANY_MENTION ? { mentioned: true } : {}),
            user_ids: people.filter((id) => id !== user.id),
          },
        ];
      }
      const isMuted = decisions.isMuted(row.channelId, topicKey(row.topic));
      // The snapshot counts in the same way: "direct mentions anywhere; wildcard mentions only if
      // unmuted".
      const mentions = isMuted ? FlagBit.mentioned : ANY_MENTION;
      return [
        row.id,
        {
          type: 'stream',
          ...(bits & mentions ? { mentioned: true } : {}),
          stream_id: row.channelId,
          topic: row.topic,
          unmuted_stream_msg: !isMuted,
        },
      ];
    }),
  );
}

const ANY_MENTION =
  FlagBit.mentioned | FlagBit.stream_wildcard_mentioned | FlagBit.topic_wildcard_mentioned;
