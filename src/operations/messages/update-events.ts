import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ascending } from '../../domain/ascending.ts';
import { UPDATE_FLAGS_SUBSCRIBERS_MAX } from '../../domain/limits.ts';
import { topicKey } from '../../domain/rules/messages/topic.ts';
import { alike, type EventFlags } from '../../domain/wire/events/event-flags.ts';
import type { Audience } from '../../domain/wire/events/log-entry.ts';
import { FlagBit, flagNames } from '../../domain/wire/flags.ts';
import { isSubscribed, subscriberIds } from '../access/channel-access.ts';
import type { Reads } from '../access/groups.ts';
import { bitsOf, holders, ownBitsOf } from '../indexes/flag-reads.ts';
import { formerPlaces, peopleOf } from '../indexes/former-places.ts';
import { flagsOf } from '../indexes/message-access.ts';
import { isAmong, isSeenBy, type Sighting, sightings } from '../indexes/message-audience.ts';
import { dropFlags, setFlags } from '../indexes/message-flags.ts';
import * as userTopics from '../indexes/user-topics.ts';
import { isUnread } from '../reading/unread.ts';
import * as linkifiers from '../rendering/linkifiers.ts';
import { announceGone } from './deletion.ts';
import * as edits from './edits.ts';
import type { Move } from './moves.ts';
import { newTopic } from './moves.ts';

/** Tells of a message whose content alone has changed. */
export function announceEdit(
  tx: RealmTransaction,
  user: UserRow,
  { before, after }: { before: MessageRow; after: MessageRow },
) {
  for (const { audience } of sightings(tx, [after])) {
    emit(tx, user, {
      rows: [after],
      target: after,
      audience,
      fields: { ...placeFields(tx, before.channelId), ...edits.contentFields(before, after) },
    });
  }
}

/** Tells of a message that says what it said, and is shown otherwise. */
export function announceRendering(tx: RealmTransaction, row: MessageRow) {
  const fields = {
    rendering_only: true,
    content: row.content,
    rendered_content: row.renderedContent,
  };
  for (const { audience } of sightings(tx, [row])) {
    emit(tx, null, { rows: [row], target: row, audience, fields });
  }
}

/** Writes a change of messages, and says who saw them before it. */
export function whileSeen(
  tx: RealmTransaction,
  before: readonly MessageRow[],
  write: () => MessageRow[],
): { after: readonly MessageRow[]; seen: readonly Sighting[] } {
  const seen = sightings(tx, before);
  return { after: write(), seen };
}

export interface MovedMessages {
  readonly move: Move;
  readonly before: readonly MessageRow[];
  readonly after: readonly MessageRow[];
  readonly seen: readonly Sighting[];
  /** The whole topic was moved: what users decided about it goes with it. */
  readonly isWhole: boolean;
  readonly changed: object;
}

/** In the order of reference/events-and-register.md 4.1: who loses them, policies, then everyone who keeps or gets them. */
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
      const sight = after.filter(({ id }) => ids.has(id));
      emit(tx, user, { rows: sight, target, audience, fields });
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

/** "Channel-only move has `orig_subject` but no `subject`." */
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
 * Flags of a message for those whom an event of it is for. Who has read it is known by a look at each subscriber; of a large
 * channel the other flags alone are told (docs/decisions/0036).
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

/** Whoever has no copy of a message has nothing but read it. */
function ownFlags(tx: Reads, userId: number, row: MessageRow): readonly string[] {
  const hasCopy = bitsOf(tx, userId, row.id) !== 0;
  const bits = flagsOf(tx, userId, row);
  return flagNames(hasCopy ? bits : bits & ~FlagBit.historical);
}

const withoutLegacy = (flags: readonly string[]) =>
  flags.filter((name) => name !== 'wildcard_mentioned');

/** Those who lose what is moved to another channel, and those of the old one who keep it without being in the new one. */
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
    ...peopleOf(tx, formerPlaces(tx, before)),
  ]);
  for (const userId of concerned) {
    if (isSubscribed(tx, userId, to.channelId)) continue;
    if (!isSeenBy(tx, userId, first)) lost.add(userId);
    else if (isSubscribed(tx, userId, from.channelId)) kept.push(userId);
  }
  return { lost, kept };
}

/** Whoever is in the new channel was there when the messages came, so a protected history has them all for everyone. */
function whoGets(tx: Reads, after: readonly MessageRow[]): Audience {
  const channelId = after[0]?.channelId ?? 0;
  const isShared = tx.channels.get([channelId])?.hasSharedHistory === true;
  return (isShared ? sightings(tx, after)[0]?.audience : undefined) ?? { channelId };
}

/** "Users who lose access through a channel move lose their copies (seen as deletion)." */
function dropLost(
  tx: RealmTransaction,
  { lost, seen }: { lost: ReadonlySet<number>; seen: readonly Sighting[] },
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

/** "Messages moved to an unsubscribed channel: `read` added": one event for all for whom the same ones were unread. */
function markKeptRead(
  tx: RealmTransaction,
  { kept, before }: { kept: readonly number[]; before: readonly MessageRow[] },
) {
  const alike = new Map<string, { users: number[]; messages: number[] }>();
  for (const userId of kept) {
    // By the place they had. Of what had been moved before, that is not known any more: it may have been unread.
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

/** A mark of one's own says nothing any more where one did not come along. */
function forgetUnread(tx: RealmTransaction, userId: number, messageId: number) {
  const bits = ownBitsOf(tx, userId, messageId);
  if ((bits & FlagBit.unread) !== 0) setFlags(tx, userId, messageId, bits & ~FlagBit.unread);
}

/** "When the whole visible topic moved, visibility policies move too; merging keeps the more visible of the two." */
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

/** From the least visible to the most. */
const VISIBILITY: readonly userTopics.Policy[] = [
  userTopics.Policy.muted,
  userTopics.Policy.none,
  userTopics.Policy.unmuted,
  userTopics.Policy.followed,
];
