import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ascending } from '../../domain/ascending.ts';
import {
  CHANNEL_MOVES_PER_MESSAGE_MAX,
  EDIT_GRACE_SECONDS,
  MESSAGES_PER_MOVE,
  MESSAGES_PER_SURVEY,
} from '../../domain/limits/messages.ts';
import { topicKey } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import { isModerator } from '../../domain/wire/roles.ts';
import type { Reads } from '../access/groups.ts';
import * as attachmentLinks from '../files/attachment-links.ts';
import * as channelActivity from '../indexes/channel-activity.ts';
import * as channelMessages from '../indexes/channel-messages.ts';
import * as contentIndex from '../indexes/content-index.ts';
import { isReadableIn, readableIn } from '../indexes/message-access.ts';
import * as pushes from '../posting/pushes.ts';
import * as searchIndex from '../search/index.ts';
import { noteEdit } from './edits.ts';

export const PROPAGATE_MODES = ['change_one', 'change_later', 'change_all'] as const;
export type PropagateMode = (typeof PROPAGATE_MODES)[number];

/** A permitted move: the messages that are still to be moved, and their target. */
export interface Move {
  readonly targetId: number;
  readonly mode: PropagateMode;
  readonly from: channelMessages.TopicRef;
  readonly to: {
    readonly channelId: number;
    /** The new topic; null if each message keeps its own. */
    readonly topic: string | null;
  };
  /** Resolving a topic is shown as such, not as a move of its messages. */
  readonly resolution: 'resolved' | 'unresolved' | null;
  /** True if the target had messages that the user could read. */
  readonly isMerge: boolean;
  /** The ids in the order of the move; those of the first step come first. */
  readonly ids: readonly number[];
}

export const newTopic = ({ from, to }: Move): string => to.topic ?? from.topic;

/**
 * The messages of a move, as far as the topic was read. Nothing is changed until all of it was
 * read.
 */
export interface Survey {
  readonly from: channelMessages.TopicRef;
  /** The ids found so far, ascending. */
  readonly ids: readonly number[];
  /** The id at which the next step goes on; null if the topic was read to its end. */
  readonly nextId: number | null;
}

export interface Surveyed {
  readonly row: MessageRow;
  readonly channel: ChannelRow;
  readonly mode: PropagateMode;
  /** True for a move to another channel. */
  readonly isFar: boolean;
  /** The survey up to this step. */
  readonly earlier: Survey | undefined;
}

/**
 * Reads the next part of the topic for messages of the move that the user may read. Refuses the
 * move if one of them must not be moved.
 */
export function survey(tx: Reads, user: UserRow, surveyed: Surveyed): Survey {
  const { row, channel, mode, isFar, earlier } = surveyed;
  const from = { channelId: channel.id, topic: row.topic };
  if (mode === 'change_one') {
    if (isFar) refuseMovedTooOften(tx, row);
    return { from, ids: [row.id], nextId: null };
  }
  const prefix = [channel.id, topicKey(row.topic)];
  const first = mode === 'change_all' ? 0 : row.id;
  // If the message was moved since the last step, the earlier survey is about another topic.
  const found = earlier !== undefined && isSameTopic(earlier.from, from) ? earlier : undefined;
  const start = [...prefix, found?.nextId ?? first];
  const range = { start, end: [...prefix, Number.MAX_SAFE_INTEGER], limit: MESSAGES_PER_SURVEY };
  const stretch = Array.from(tx.topicMessages.keys(range), ([, , id]) => id);
  const last = stretch.at(-1);
  const isAll = last === undefined || stretch.length < MESSAGES_PER_SURVEY;
  const mine = readableAmong(tx, user, { channel, ids: stretch });
  if (isFar) refuseAnyMovedTooOften(tx, channel.id, mine);
  return { from, ids: [...(found?.ids ?? []), ...mine], nextId: isAll ? null : last + 1 };
}

const isSameTopic = (one: channelMessages.TopicRef, other: channelMessages.TopicRef) =>
  one.channelId === other.channelId && topicKey(one.topic) === topicKey(other.topic);

function readableAmong(
  tx: Reads,
  user: UserRow,
  { channel, ids }: { channel: ChannelRow; ids: readonly number[] },
): readonly number[] {
  if (channel.hasSharedHistory) return ids;
  const subscription = tx.subscriptions.get([channel.id, user.id]);
  const mine = readableIn(tx, user, { channel, subscription });
  return ids.filter((id) => {
    const each = tx.messages.get([id]);
    return each !== undefined && isReadableIn(mine, each);
  });
}

function refuseAnyMovedTooOften(tx: Reads, channelId: number, ids: readonly number[]) {
  for (const id of ids) {
    const row = tx.movedInMessages.has([channelId, id]) ? tx.messages.get([id]) : undefined;
    if (row !== undefined) refuseMovedTooOften(tx, row);
  }
}

function refuseMovedTooOften(tx: Reads, row: MessageRow) {
  if (!isMovedTooOften(tx, row)) return;
  throw errors.badRequest(
    `A message can be moved between channels at most ${CHANNEL_MOVES_PER_MESSAGE_MAX} times`,
  );
}

function isMovedTooOften(tx: Reads, { id, homeChannelId }: MessageRow): boolean {
  if (homeChannelId === null) return false;
  const { moves } = tx.movedOutMessages.get([homeChannelId, id]) ?? { moves: [] };
  return moves.length / 2 >= CHANNEL_MOVES_PER_MESSAGE_MAX;
}

/**
 * Refuses a move "if any affected (accessible) message is older than the stricter limit". Ids rise
 * with time, so a binary search finds the first that is not.
 */
export function refuseTooOld(
  tx: RealmTransaction,
  user: UserRow,
  { ids, limit }: { ids: readonly number[]; limit: number | null },
) {
  if (limit === null || isModerator(user.role)) return;
  const oldest = tx.now / 1000 - limit - EDIT_GRACE_SECONDS;
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = tx.messages.get([ids[middle] ?? 0]);
    if (row !== undefined && row.sentAt < oldest) low = middle + 1;
    else high = middle;
  }
  if (low === 0) return;
  throw errors.moveTimeLimitExceeded({
    first_message_id_allowed_to_move: ids[low] ?? null,
    total_messages_in_topic: ids.length,
    total_messages_allowed_to_move: ids.length - low,
  });
}

/**
 * Orders the ids of a move. The first step contains the target, because its event names it; the
 * others follow, the oldest first.
 */
export function inOrder(ids: readonly number[], targetId: number): number[] {
  const index = ids.indexOf(targetId);
  if (index < MESSAGES_PER_MOVE) return [...ids];
  return [
    ...ids.slice(0, MESSAGES_PER_MOVE - 1),
    targetId,
    ...ids.slice(MESSAGES_PER_MOVE - 1),
  ].filter((id, index) => id !== targetId || index === MESSAGES_PER_MOVE - 1);
}

/** Tells whether a topic holds no message that the user may read. */
export function isEmptyFor(
  tx: RealmTransaction,
  user: UserRow,
  { channelId, topic }: channelMessages.TopicRef,
): boolean {
  const key = topicKey(topic);
  const channel = tx.channels.get([channelId]);
  if (channel === undefined || !tx.topics.has([channelId, key])) return true;
  if (channel.hasSharedHistory) return false;
  const subscription = tx.subscriptions.get([channelId, user.id]);
  const mine = readableIn(tx, user, { channel, subscription });
  for (const [, , id] of tx.topicMessages.keysUnder([channelId, key], { isReverse: true })) {
    const row = tx.messages.get([id]);
    if (row !== undefined && isReadableIn(mine, row)) return false;
  }
  return true;
}

/** Returns how many ids the next step of a move takes. */
export const stepLength = ({ ids }: Move): number => Math.min(ids.length, MESSAGES_PER_MOVE);

/**
 * Returns the next messages of a move, ascending. Leaves out those that were moved elsewhere
 * meanwhile, or that cannot be moved again.
 */
export function next(tx: RealmTransaction, { from, to, ids }: Move): MessageRow[] {
  const key = topicKey(from.topic);
  return ids
    .slice(0, MESSAGES_PER_MOVE)
    .sort(ascending)
    .map((id) => tx.messages.get([id]))
    .filter((row) => row !== undefined)
    .filter((row) => row.channelId === from.channelId && topicKey(row.topic) === key)
    .filter((row) => to.channelId === from.channelId || !isMovedTooOften(tx, row));
}

/** Writes the messages at their new place. */
export function write(
  tx: RealmTransaction,
  user: UserRow,
  { move, before }: { move: Move; before: readonly MessageRow[] },
): MessageRow[] {
  const { from, to } = move;
  if (before.length === 0) return [];
  const isFar = to.channelId !== from.channelId;
  const arrivedAt = isFar ? tx.nextId('message') : null;
  const after = before.map((row) => moveOne(tx, user, { move, row, arrivedAt }));
  channelMessages.countTopic(tx, from, -before.length);
  channelMessages.countTopic(tx, { channelId: to.channelId, topic: newTopic(move) }, after.length);
  if (isFar) {
    channelMessages.noteFirst(tx, from.channelId);
    channelMessages.noteFirst(tx, to.channelId);
    channelActivity.noteGone(tx, from.channelId, before);
    channelActivity.noteArrived(tx, to.channelId, after);
  }
  return after;
}

interface One {
  readonly move: Move;
  readonly row: MessageRow;
  readonly arrivedAt: number | null;
}

function moveOne(tx: RealmTransaction, user: UserRow, { move, row, arrivedAt }: One): MessageRow {
  const { from, to } = move;
  const topic = to.topic ?? row.topic;
  const moved: MessageRow = {
    ...row,
    ...(arrivedAt === null ? {} : sentOn(tx, { row, channelId: to.channelId, arrivedAt })),
    topic,
    lastMovedAt: move.resolution !== null ? row.lastMovedAt : Math.floor(tx.now / 1000),
  };
  channelMessages.leave(tx, row);
  contentIndex.noteChange(tx, row, moved);
  searchIndex.noteChange(tx, row, moved);
  tx.messages.put([row.id], moved);
  channelMessages.enter(tx, moved);
  if (arrivedAt !== null) {
    attachmentLinks.move(tx, { before: row, after: moved });
    pushes.withdrawFromUnseeing(tx, row.id);
  }
  return noteEdit(tx, moved, {
    userId: user.id,
    before: {
      ...(topic === row.topic ? {} : { topic: row.topic }),
      ...(arrivedAt === null ? {} : { channelId: from.channelId }),
    },
    after: {
      ...(topic === row.topic ? {} : { topic }),
      ...(arrivedAt === null ? {} : { channelId: to.channelId }),
    },
  });
}

/**
 * Notes a move to another channel and returns the new fields of the message. Its home stays the
 * channel that it was sent to, where its read state is kept (docs/decisions/0035).
 */
function sentOn(
  tx: RealmTransaction,
  { row, channelId, arrivedAt }: { row: MessageRow; channelId: number; arrivedAt: number },
) {
  const homeChannelId = row.homeChannelId ?? row.channelId ?? 0;
  const earlier = tx.movedOutMessages.get([homeChannelId, row.id]);
  const moves = [...(earlier?.moves ?? []), channelId, arrivedAt];
  const isQuiet = earlier?.isQuiet ?? false;
  tx.movedOutMessages.put([homeChannelId, row.id], { moves, isQuiet });
  tx.movedInMessages.remove([row.channelId ?? 0, row.id]);
  tx.movedInMessages.put([channelId, row.id], {});
  const recipientId = tx.channels.get([channelId])?.recipientId ?? row.recipientId;
  return { channelId, recipientId, homeChannelId, arrivedAt };
}
