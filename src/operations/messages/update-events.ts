import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ascending } from '../../domain/ascending.ts';
import { UPDATE_FLAGS_SUBSCRIBERS_MAX } from '../../domain/limits/messages.ts';
import { topicKey } from '../../domain/rules/messages/topic.ts';
import { alike, type EventFlags } from '../../domain/wire/events/event-flags.ts';
import type { Audience } from '../../domain/wire/events/log-entry.ts';
import { FlagBit, flagNames } from '../../domain/wire/flags.ts';
import { isSubscribed, subscriberIds } from '../access/channel-access.ts';
import type { Reads } from '../access/groups.ts';
import { bitsOf, holders, ownBitsOf } from '../indexes/flag-reads.ts';
import { flagsOf } from '../indexes/message-access.ts';
import {
  audiencesOf,
  isAmong,
  isSeenBy,
  type MessageAudience,
} from '../indexes/message-audience.ts';
import { dropFlags, setFlags } from '../indexes/message-flags.ts';
import { peopleOf, previousChannels } from '../indexes/previous-channels.ts';
import * as userTopics from '../indexes/user-topics.ts';
import { isUnread } from '../reading/unread.ts';
import * as linkifiers from '../rendering/linkifiers.ts';
import { announceGone } from './deletion.ts';
import * as edits from './edits.ts';
import type { Move } from './moves.ts';
import { newTopic } from './moves.ts';

/** Sends the event of a change of only the content. */
export function announceEdit(
  tx: RealmTransaction,
  user: UserRow,
  { before, after }: { before: MessageRow; after: MessageRow },
) {
  for (const { audience } of audiencesOf(tx, [after])) {
    emit(tx, user, {
      rows: [after],
      target: after,
      audience,
      fields: { ...placeFields(tx, before.channelId), ...edits.contentFields(before, after) },
    });
  }
}

/** Sends the event of a message whose source is the same and whose rendering changed. */
export function announceRendering(tx: RealmTransaction, row: MessageRow) {
  const fields = {
    rendering_only: true,
    content: row.content,
    rendered_content: row.renderedContent,
  };
  for (const { audience } of audiencesOf(tx, [row])) {
    emit(tx, null, { rows: [row], target: row, audience, fields });
  }
}

/** Runs a change of messages, and returns who saw them before it. */
export function whileSeen(
  tx: RealmTransaction,
  before: readonly MessageRow[],
  write: () => MessageRow[],
): { after: readonly MessageRow[]; seen: readonly MessageAudience[] } {
  const seen = audiencesOf(tx, before);
  return { after: write(), seen };
}

export interface MovedMessages {
  readonly move: Move;
  readonly before: readonly MessageRow[];
  readonly after: readonly MessageRow[];
  readonly seen: readonly MessageAudience[];
  /** True if the whole topic was moved: users' policies for it move along. */
  readonly isWhole: boolean;
  readonly changed: object;
}

/**
 * Sends the events of a move in the order of reference/events-and-register.md 4.1: first to users
 * who lose the messages, then the policies, then to everyone who keeps or gets them.
 */
export function announceMove(tx: RealmTransaction, user: UserRow, moved: MovedMessages) {
  const { move, before, after, seen, isWhole, changed } = moved;
  const [first] = after;
  if (first === undefined) return;
  const target = after.find(({ id }) => id === move.targetId) ?? first;
  const fields = {
    ...placeFields(tx, move.from.channelId),
    ...changed,
    ...topicFields(tx, move),
    orig_subject: move.from.topic,
    propagate_mode: move.mode,
  };
  if (move.from.channelId === move.to.channelId) {
    if (isWhole) movePolicies(tx, { move, first });
    for (const { audience, rows } of seen) {
      const ids = new Set(rows.map(({ id }) => id));
      const visible = after.filter(({ id }) => ids.has(id));
      emit(tx, user, { rows: visible, target, audience, fields });
    }
    return;
  }
  const { lost, kept } = sidesOf(tx, { move, before, first });
  dropLost(tx, { lost, seen });
  if (isWhole) movePolicies(tx, { move, first });
  const far = { ...fields, new_stream_id: move.to.channelId };
  emit(tx, user, { rows: after, target, audience: whoGets(tx, after), fields: far });
  markKeptRead(tx, { kept, before });
}

const placeFields = (tx: Reads, channelId: number | null) =>
  channelId === null
    ? {}
    : { stream_id: channelId, stream_name: tx.channels.get([channelId])?.name ?? '' };

/** Returns the topics of the event ("channel-only move has `orig_subject` but no `subject`"). */
const topicFields = (tx: Reads, { to }: Move) =>
  to.topic === null ? {} : { subject: to.topic, topic_links: linkifiers.linksOf(tx, to.topic) };

interface Update {
  readonly rows: readonly MessageRow[];
  readonly target: MessageRow;
  readonly audience: Audience;
  readonly fields: object;
}

function emit(
  tx: RealmTransaction,
  user: UserRow | null,
  { rows, target, audience, fields }: Update,
) {
  const [first] = rows;
  if (first === undefined) return;
  const about = rows.find(({ id }) => id === target.id) ?? first;
  tx.emit({
    event: {
      type: 'update_message',
      user_id: user?.id ?? null,
      edit_timestamp: Math.floor(tx.now / 1000),
      message_id: about.id,
      message_ids: rows.map(({ id }) => id),
      flags: [],
      rendering_only: false,
      ...fields,
    },
    audience,
    flags: flagsFor(tx, about, audience),
  });
}

/**
 * Returns the flags of a message for the audience of an event. Whether it is read takes a look-up
 * for each subscriber, so in a large channel the event has only the other flags
 * (docs/decisions/0036).
 */
function flagsFor(tx: Reads, row: MessageRow, audience: Audience): EventFlags {
  const { users = [], channelId, wereIn: { places } = { places: [] } } = audience;
  const ids = new Set([...users, ...holders(tx, [row])]);
  const channelIds = [channelId, ...places.map((place) => place.channelId)];
  const count = channelIds.reduce<number>((sum, id = 0) => sum + subscriberCount(tx, id), 0);
  if (count <= UPDATE_FLAGS_SUBSCRIBERS_MAX) {
    for (const id of channelId === undefined ? [] : subscriberIds(tx, channelId)) ids.add(id);
    for (const id of peopleOf(tx, places)) ids.add(id);
  }
  const shared = row.hasChannelWildcard ? [...flagNames(FlagBit.stream_wildcard_mentioned)] : [];
  const own = Array.from(ids, (id) => [id, withoutLegacy(ownFlags(tx, id, row))] as const);
  return { shared: withoutLegacy(shared), own: alike(own) };
}

const subscriberCount = (tx: Reads, channelId: number) =>
  tx.channels.get([channelId])?.subscriberCount ?? 0;

/** Returns the flags of a user. Without a copy of the message that is at most `read`. */
function ownFlags(tx: Reads, userId: number, row: MessageRow): readonly string[] {
  const hasCopy = bitsOf(tx, userId, row.id) !== 0;
  const bits = flagsOf(tx, userId, row);
  return flagNames(hasCopy ? bits : bits & ~FlagBit.historical);
}

const withoutLegacy = (flags: readonly string[]) =>
  flags.filter((name) => name !== 'wildcard_mentioned');

/**
 * The users affected by a move to another channel: those who lose the messages, and those of the
 * old channel who keep them without being subscribed to the new one.
 */
interface Sides {
  readonly lost: ReadonlySet<number>;
  readonly kept: readonly number[];
}

function sidesOf(
  tx: Reads,
  { move, before, first }: { move: Move; before: readonly MessageRow[]; first: MessageRow },
): Sides {
  const { from, to } = move;
  const lost = new Set<number>();
  const kept: number[] = [];
  const concerned = new Set([
    ...Array.from(tx.subscriptions.keysUnder([from.channelId]), ([, userId]) => userId),
    ...holders(tx, before),
    ...peopleOf(tx, previousChannels(tx, before)),
  ]);
  for (const userId of concerned) {
    if (isSubscribed(tx, userId, to.channelId)) continue;
    if (!isSeenBy(tx, userId, first)) lost.add(userId);
    else if (isSubscribed(tx, userId, from.channelId)) kept.push(userId);
  }
  return { lost, kept };
}

/**
 * Returns the audience of moved messages. Subscribers of the new channel were there when the
 * messages arrived, so all of them have them, also with protected history.
 */
function whoGets(tx: Reads, after: readonly MessageRow[]): Audience {
  const channelId = after[0]?.channelId ?? 0;
  const isShared = tx.channels.get([channelId])?.hasSharedHistory === true;
  return (isShared ? audiencesOf(tx, after)[0]?.audience : undefined) ?? { channelId };
}

/**
 * Deletes the copies of users who lose access ("users who lose access through a channel move lose
 * their copies (seen as deletion)").
 */
function dropLost(
  tx: RealmTransaction,
  { lost, seen }: { lost: ReadonlySet<number>; seen: readonly MessageAudience[] },
) {
  if (lost.size === 0) return;
  for (const { audience, rows } of seen) {
    const users = [...lost].filter(isAmong(tx, audience)).sort(ascending);
    if (users.length === 0) continue;
    announceGone(tx, { audience: { users }, rows });
    const losing = new Set(users);
    for (const { id } of rows) dropFlags(tx, id, losing);
  }
}

/**
 * Marks messages as read for users who are not subscribed to the new channel ("messages moved to an
 * unsubscribed channel: `read` added"). Users with the same unread messages share one event.
 */
function markKeptRead(
  tx: RealmTransaction,
  { kept, before }: { kept: readonly number[]; before: readonly MessageRow[] },
) {
  const alike = new Map<string, { users: number[]; messages: number[] }>();
  for (const userId of kept) {
    // Unread state is kept by the old place. Of messages that were moved before, it is not known
    // any more, so they count as unread.
    const messages = before
      .filter((row) => row.homeChannelId !== null || isUnread(tx, userId, row))
      .map(({ id }) => id);
    if (messages.length === 0) continue;
    for (const id of messages) forgetUnread(tx, userId, id);
    const key = messages.join();
    const group = alike.get(key);
    if (group === undefined) alike.set(key, { users: [userId], messages });
    else group.users.push(userId);
  }
  for (const { users, messages } of alike.values()) {
    const change = { flag: 'read', messages, all: false } as const;
    tx.emit({
      event: { type: 'update_message_flags', op: 'add', operation: 'add', ...change },
      audience: { users },
    });
  }
}

/** Clears the flag of a message that the user marked as unread, if they did not come along. */
function forgetUnread(tx: RealmTransaction, userId: number, messageId: number) {
  const bits = ownBitsOf(tx, userId, messageId);
  if ((bits & FlagBit.unread) !== 0) setFlags(tx, userId, messageId, bits & ~FlagBit.unread);
}

/**
 * Moves policies with a topic ("when the whole visible topic moved, visibility policies move too;
 * merging keeps the more visible of the two").
 */
function movePolicies(tx: RealmTransaction, { move, first }: { move: Move; first: MessageRow }) {
  const { from } = move;
  const to = { channelId: move.to.channelId, topic: newTopic(move) };
  if (from.channelId === to.channelId && topicKey(from.topic) === topicKey(to.topic)) return;
  const users = new Set([
    ...userTopics.usersOf(tx, from),
    ...(move.isMerge ? userTopics.usersOf(tx, to) : []),
  ]);
  for (const userId of users) {
    const before = userTopics.policyOf(tx, userId, from);
    const there = userTopics.policyOf(tx, userId, to);
    userTopics.decide(tx, userId, { ...from, policy: userTopics.Policy.none });
    if (!isSeenBy(tx, userId, first)) continue;
    const policy = move.isMerge ? moreVisible(before, there) : before;
    userTopics.decide(tx, userId, { ...to, policy });
  }
}

const moreVisible = (one: userTopics.Policy, other: userTopics.Policy): userTopics.Policy =>
  VISIBILITY.indexOf(one) > VISIBILITY.indexOf(other) ? one : other;

/** The policies from the least visible to the most visible. */
const VISIBILITY: readonly userTopics.Policy[] = [
  userTopics.Policy.muted,
  userTopics.Policy.none,
  userTopics.Policy.unmuted,
  userTopics.Policy.followed,
];
