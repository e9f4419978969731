import type { SubscriptionRow } from '../../../../storage/tables/channels/subscriptions.ts';
import { ascending } from '../../../domain/ascending.ts';
import { UNREAD_MESSAGES_MAX } from '../../../domain/limits/messages.ts';
import {
  EVERYTHING,
  isUnreadIn,
  type ReadState,
} from '../../../domain/rules/messages/read-state.ts';
import { topicKey } from '../../../domain/rules/messages/topic.ts';
import { FlagBit } from '../../../domain/wire/flags.ts';
import type { Reads } from '../../access/groups.ts';
import { bitsBetween, bitsOf, flaggedIds } from '../../indexes/flag-reads.ts';
import { AFTER_LAST_ID } from '../../indexes/ids/iterators.ts';
import { type LocatedMessage, readStateOf } from '../../indexes/message-access.ts';
import { hasAnyRow, hasRows, maybeUnread, type Read } from '../../indexes/read-sets.ts';

/** Returns the unread messages of a user, the newest ones if there are more than may be listed. */
export function newestUnread(tx: Reads, userId: number): UnreadLists | undefined {
  const places = placesOf(tx, userId);
  const flags = flagsOfUnread(tx, userId, places);
  const found =
    collect(tx, userId, { places, flags, from: 0 }) ??
    collect(tx, userId, { places, flags, from: oldestListed(tx, userId, { places, flags }) });
  return found && newestOf(found);
}

/**
 * Messages that are collected at once: to drop some later costs less than to find where the newest
 * begin.
 */
const COLLECTED_MAX = 2 * UNREAD_MESSAGES_MAX;

interface Places {
  readonly channels: ReadonlyMap<number, Read>;
  /** Channels that messages were moved from, including the user's former ones. */
  readonly homes: readonly Read[];
  readonly conversations: ReadonlyMap<number, Read>;
  /** True if any message is in another channel than it was sent to. */
  readonly hasMovedIn: boolean;
}

/** Returns the conversations, and the channels to which the user is subscribed. */
function placesOf(tx: Reads, userId: number): Places {
  const channels = new Map<number, Read>();
  const homes: Read[] = [];
  const mayBeHomes = hasAnyRow(tx.movedOutMessages);
  for (const [[, channelId], { isActive }] of tx.userChannels.under([userId])) {
    const isHome = mayBeHomes && hasRows(tx.movedOutMessages, channelId);
    if (!isActive && !isHome) continue;
    const subscription = tx.subscriptions.get([channelId, userId]);
    if (subscription === undefined) continue;
    const read = channelRead(channelId, subscription);
    if (isActive) channels.set(channelId, read);
    if (isHome) homes.push(read);
  }
  const conversations = new Map<number, Read>();
  for (const [[, recipientId], { readThrough }] of tx.userConversations.under([userId])) {
    const place = { channelId: null, recipientId, received: EVERYTHING, readThrough };
    conversations.set(recipientId, place);
  }
  return { channels, homes, conversations, hasMovedIn: hasAnyRow(tx.movedInMessages) };
}

const placeOf = (
  places: Places,
  { channelId, recipientId }: Pick<LocatedMessage, 'channelId' | 'recipientId'>,
): Read | undefined =>
  channelId === null ? places.conversations.get(recipientId) : places.channels.get(channelId);

const channelRead = (channelId: number, subscription: SubscriptionRow) => ({
  channelId,
  recipientId: 0, // messages of a channel are found by the channel's own id
  received: subscription.received,
  readThrough: subscription.readThrough,
});

export interface UnreadLists {
  total: number;
  /** Ids by channel and topic key. */
  readonly channels: Map<number, Map<string, number[]>>;
  readonly conversations: Map<number, number[]>;
  /** Messages that mention the user directly, in any place. */
  readonly mentions: number[];
  /** Messages with a topic wildcard for the user. */
  readonly topicWildcards: number[];
  /** Lists with moved messages, which are not in order yet. */
  readonly unordered: Set<number[]>;
}

interface Collecting {
  readonly places: Places;
  readonly flags: ReadonlyMap<number, number>;
  /** Older messages are left out. */
  readonly from: number;
}

/**
 * Returns the unread messages from an id on, each list in order; undefined if there are far more
 * than may be listed.
 */
function collect(tx: Reads, userId: number, collecting: Collecting): UnreadLists | undefined {
  const found: UnreadLists = {
    total: 0,
    channels: new Map(),
    conversations: new Map(),
    mentions: [],
    topicWildcards: [],
    unordered: new Set(),
  };
  // Messages that were marked unread come before all others of their place, so that ids stay in
  // order, except for moved ones.
  if (!collectMarked(tx, userId, { ...collecting, found })) return undefined;
  for (const place of everyPlace(collecting.places)) {
    if (!collectPlace(tx, place, { ...collecting, found })) return undefined;
  }
  for (const home of collecting.places.homes) {
    if (!collectMovedOut(tx, userId, { ...collecting, home, found })) return undefined;
  }
  for (const list of found.unordered) list.sort(ascending);
  return found;
}

/** Drops the oldest messages beyond the limit. */
function newestOf(found: UnreadLists): UnreadLists {
  if (found.total <= UNREAD_MESSAGES_MAX) return found;
  const conversations = [...found.conversations];
  const channels = [...found.channels].map(([id, topics]) => [id, [...topics]] as const);
  const lists = [...conversations, ...channels.flatMap(([, topics]) => topics)];
  const first = lowestOfNewest(lists.map(([, list]) => list));
  const isListed = (id: number) => id >= first;
  const listed = <Name>(lists: readonly (readonly [Name, number[]])[]) =>
    new Map(
      lists
        .map(
          ([name, list]) => [name, (list[0] ?? 0) >= first ? list : list.filter(isListed)] as const,
        )
        .filter(([, list]) => list.length > 0),
    );
  return {
    ...found,
    total: UNREAD_MESSAGES_MAX,
    channels: new Map(channels.map(([id, topics]) => [id, listed(topics)])),
    conversations: listed(conversations),
    mentions: found.mentions.filter(isListed),
    topicWildcards: found.topicWildcards.filter(isListed),
  };
}

/** Returns the oldest of the newest messages that may be listed. Sorts only those close to it. */
function lowestOfNewest(lists: readonly (readonly number[])[]): number {
  const low = lists.reduce((lowest, [first = lowest]) => Math.min(lowest, first), AFTER_LAST_ID);
  const high = lists.reduce((highest, list) => Math.max(highest, list.at(-1) ?? low), low);
  const width = Math.ceil((high - low + 1) / PARTS);
  const counts = new Int32Array(PARTS);
  const partOf = (id: number) => Math.floor((id - low) / width);
  for (const list of lists) {
    for (const id of list) {
      const part = partOf(id);
      counts[part] = (counts[part] ?? 0) + 1;
    }
  }
  let part = PARTS - 1;
  let left = UNREAD_MESSAGES_MAX;
  for (; left > (counts[part] ?? 0); part--) left -= counts[part] ?? 0;
  const close = lists.flatMap((list) => list.filter((id) => partOf(id) === part));
  return Float64Array.from(close).sort().at(-left) ?? low;
}

const PARTS = 4_096;

const everyPlace = ({ channels, conversations }: Places): Read[] => [
  ...channels.values(),
  ...conversations.values(),
];

function collectMarked(
  tx: Reads,
  userId: number,
  { places, flags, from, found }: Collecting & { found: UnreadLists },
): boolean {
  for (const id of flaggedIds(tx, userId, FlagBit.unread, { low: from })) {
    const row = tx.messages.get([id]);
    if (row === undefined) continue;
    const { channelId } = row;
    const place = placeOf(places, row);
    const bits = flags.get(id) ?? 0;
    if (place === undefined || !isUnreadIn(stateOf(tx, userId, { row, place }), id, bits)) continue;
    const topicKey =
      channelId === null ? '' : (tx.channelMessages.get([channelId, id])?.topicKey ?? '');
    if (!adder(found, place)({ id, topicKey, bits })) return false;
    if (row.homeChannelId !== null) noteUnordered(found, channelId ?? 0, topicKey);
  }
  return true;
}

function noteUnordered(found: UnreadLists, channelId: number, topicKey: string) {
  const list = found.channels.get(channelId)?.get(topicKey);
  if (list !== undefined) found.unordered.add(list);
}

function collectPlace(
  tx: Reads,
  place: Read,
  { places, from, flags, found }: Collecting & { found: UnreadLists },
): boolean {
  const low = Math.max(place.readThrough + 1, from);
  const add = adder(found, place);
  const take = (id: number, topicKey: string) => {
    const bits = flags.get(id) ?? 0;
    return !isUnreadIn(place, id, bits) || add({ id, topicKey, bits });
  };
  if (place.channelId === null) {
    const read = (range: Piece) => tx.directMessages.numbers([place.recipientId], range);
    for (const ids of pieces(low, read, (numbers) => numbers)) {
      for (const id of ids) if (!take(id, '')) return false;
    }
    return true;
  }
  const { channelId } = place;
  const isMovedIn = places.hasMovedIn ? movedInAmong(tx, channelId) : () => false;
  const read = (range: Piece) => tx.channelMessages.numbersWithTexts([channelId], range);
  for (const { numbers, texts } of pieces(low, read, (piece) => piece.numbers)) {
    for (let index = 0; index < numbers.length; index++) {
      const id = numbers[index] ?? 0;
      if (!isMovedIn(id) && !take(id, texts[index] ?? '')) return false;
    }
  }
  return true;
}

interface Piece {
  readonly low: number;
  readonly high: number;
  readonly isReverse: false;
  readonly limit: number;
}

/**
 * Yields all of a list from an id on, in pieces: most lists are short, and a long one may be too
 * long.
 */
function* pieces<T>(
  from: number,
  read: (range: Piece) => T,
  idsOf: (piece: T) => readonly number[],
): Iterable<T> {
  let limit = IDS_PER_PIECE_MIN;
  for (let low = from; ; ) {
    const piece = read({ low, high: AFTER_LAST_ID, isReverse: false, limit });
    const ids = idsOf(piece);
    yield piece;
    if (ids.length < limit) return;
    low = (ids.at(-1) ?? low) + 1;
    limit = IDS_PER_PIECE_MAX;
  }
}

const IDS_PER_PIECE_MIN = 64;
const IDS_PER_PIECE_MAX = 4_096;

/** Returns a test for the messages of a channel that came from another one, or back from it. */
function movedInAmong(tx: Reads, channelId: number): (id: number) => boolean {
  let hasMovedIn: boolean | undefined;
  return (id) => {
    hasMovedIn ??= hasRows(tx.movedInMessages, channelId);
    return hasMovedIn && tx.movedInMessages.has([channelId, id]);
  };
}

/**
 * Collects messages that the user received in a channel and that were moved to another one that the
 * user is in.
 */
function collectMovedOut(
  tx: Reads,
  userId: number,
  { home, places, from, flags, found }: Collecting & { home: Read; found: UnreadLists },
): boolean {
  const { channelId: homeId } = home;
  const low = Math.max(home.readThrough + 1, from);
  for (const [, id] of tx.movedOutMessages.keys({
    start: [homeId ?? 0, low],
    end: [homeId ?? 0, AFTER_LAST_ID],
  })) {
    const row = tx.messages.get([id]);
    const place = row === undefined ? undefined : placeOf(places, row);
    if (row?.channelId == null || place === undefined) continue;
    const bits = flags.get(id) ?? 0;
    // Messages that were marked unread are found by their mark.
    if (bits & FlagBit.unread || !isUnreadIn(readStateOf(tx, userId, row), id, bits)) continue;
    const key = topicKey(row.topic);
    if (!adder(found, place)({ id, topicKey: key, bits })) return false;
    noteUnordered(found, row.channelId, key);
  }
  return true;
}

/** Returns the read state of a message; a moved one is read at the place to which it was sent. */
const stateOf = (
  tx: Reads,
  userId: number,
  { row, place }: { row: LocatedMessage; place: ReadState },
): ReadState => (row.homeChannelId === null ? place : readStateOf(tx, userId, row));

/**
 * Returns a function that adds an unread message of a place; it returns false when the list is
 * full.
 */
function adder(
  found: UnreadLists,
  { channelId, recipientId }: Pick<Read, 'channelId' | 'recipientId'>,
) {
  let list: number[] = [];
  let listedKey: string | undefined;
  return ({ id, topicKey, bits }: { id: number; topicKey: string; bits: number }): boolean => {
    if (found.total >= COLLECTED_MAX) return false;
    found.total += 1;
    if (bits & FlagBit.mentioned) found.mentions.push(id);
    if (bits & FlagBit.topic_wildcard_mentioned) found.topicWildcards.push(id);
    // Mostly it is the topic of the message before.
    if (topicKey !== listedKey) {
      list =
        channelId === null
          ? madeIn(found.conversations, recipientId, () => [])
          : madeIn(madeIn(found.channels, channelId, newTopics), topicKey, () => []);
      listedKey = topicKey;
    }
    list.push(id);
    return true;
  };
}

const newTopics = () => new Map<string, number[]>();

function madeIn<Name, Value>(map: Map<Name, Value>, name: Name, make: () => Value): Value {
  const known = map.get(name);
  if (known !== undefined) return known;
  const made = make();
  map.set(name, made);
  return made;
}

/**
 * Returns the flags of all messages that may be unread: rows are few, so one pass over them costs
 * less than a lookup for each message.
 */
function flagsOfUnread(tx: Reads, userId: number, places: Places): Map<number, number> {
  const lowest = [...everyPlace(places), ...places.homes].reduce(
    (low, { readThrough }) => Math.min(low, readThrough + 1),
    AFTER_LAST_ID,
  );
  const flags = bitsBetween(tx, userId, { low: lowest, high: AFTER_LAST_ID });
  for (const id of flaggedIds(tx, userId, FlagBit.unread, { high: lowest })) {
    flags.set(id, bitsOf(tx, userId, id));
  }
  return flags;
}

/** Returns the id at which the newest unread messages begin, as many as may be listed. */
function oldestListed(
  tx: Reads,
  userId: number,
  { places, flags }: Omit<Collecting, 'from'>,
): number {
  const iterator = maybeUnread(tx, userId, everyPlace(places))(-1);
  const mayBeMoved =
    places.homes.length > 0 ||
    [...places.channels.keys()].some((channelId) => hasRows(tx.movedInMessages, channelId));
  let oldest = 0;
  let left = UNREAD_MESSAGES_MAX;
  for (
    let id = iterator.seek(AFTER_LAST_ID);
    id !== undefined && left > 0;
    id = iterator.seek(id - 1)
  ) {
    const bits = flags.get(id) ?? 0;
    if (!isListed(tx, userId, { places, id, bits, mayBeMoved })) continue;
    oldest = id;
    left -= 1;
  }
  return oldest;
}

function isListed(
  tx: Reads,
  userId: number,
  {
    places,
    id,
    bits,
    mayBeMoved,
  }: { places: Places; id: number; bits: number; mayBeMoved: boolean },
): boolean {
  // Without either bit it came after `readThrough`, or the iterator would not have found it.
  if (!mayBeMoved && (bits & (FlagBit.read | FlagBit.unread)) === 0) return true;
  const row = tx.messages.get([id]);
  const place = row === undefined ? undefined : placeOf(places, row);
  if (row === undefined || place === undefined) return false;
  return isUnreadIn(stateOf(tx, userId, { row, place }), id, bits);
}
