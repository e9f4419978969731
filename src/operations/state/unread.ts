import type { SubscriptionRow } from '../../../storage/tables/subscriptions.ts';
import type { UserRow } from '../../../storage/tables/users.ts';
import { FlagBit } from '../../domain/flags.ts';
import { UNREAD_MESSAGES_MAX } from '../../domain/limits.ts';
import { EVERYTHING, isUnreadIn, type ReadState } from '../../domain/read-state.ts';
import { topicKey } from '../../domain/topic.ts';
import type { Reads } from '../groups.ts';
import { AFTER_LAST_ID } from '../id-walks.ts';
import { type MessagePlace, readStateOf, WILDCARD_INDEX } from '../message-access.ts';
import { hasAnyRow, hasRows, maybeUnread, type Read } from '../read-walks.ts';
import { decisionsOf } from '../user-topics.ts';

export interface UnreadMessages {
  readonly count: number;
  readonly pms: readonly {
    readonly other_user_id: number;
    readonly sender_id: number;
    readonly unread_message_ids: readonly number[];
  }[];
  readonly streams: readonly {
    readonly stream_id: number;
    readonly topic: string;
    readonly unread_message_ids: readonly number[];
  }[];
  readonly huddles: readonly {
    readonly user_ids_string: string;
    readonly unread_message_ids: readonly number[];
  }[];
  readonly mentions: readonly number[];
  readonly old_unreads_missing: boolean;
}

/** `unread_msgs` of the snapshot (reference/events-and-register.md 5.5): the newest, by topic and conversation. */
export function unreadMessages(tx: Reads, user: UserRow): UnreadMessages {
  const places = placesOf(tx, user.id);
  const flags = flagsOfUnread(tx, user.id, places);
  const found =
    collect(tx, user.id, { places, flags, from: 0 }) ??
    collect(tx, user.id, { places, flags, from: oldestListed(tx, user.id, { places, flags }) });
  return found === undefined ? NO_UNREAD : inWireForm(tx, user.id, newestOf(found));
}

/** Collected at once: to leave some out later costs less than to look for where the newest begin. */
const COLLECTED_MAX = 2 * UNREAD_MESSAGES_MAX;

interface Places {
  readonly channels: ReadonlyMap<number, Read>;
  /** Channels that messages were moved away from, the user's former ones as well. */
  readonly homes: readonly Read[];
  readonly conversations: ReadonlyMap<number, Read>;
}

/** The channels the user is subscribed to, and the conversations. */
function placesOf(tx: Reads, userId: number): Places {
  const channels = new Map<number, Read>();
  const homes: Read[] = [];
  const mayBeHomes = hasAnyRow(tx.departedMessages);
  for (const [[, channelId], { isActive }] of tx.userChannels.under([userId])) {
    const isHome = mayBeHomes && hasRows(tx.departedMessages, channelId);
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
  return { channels, homes, conversations };
}

const placeOf = (
  places: Places,
  { channelId, recipientId }: Pick<MessagePlace, 'channelId' | 'recipientId'>,
): Read | undefined =>
  channelId === null ? places.conversations.get(recipientId) : places.channels.get(channelId);

const channelRead = (channelId: number, subscription: SubscriptionRow) => ({
  channelId,
  recipientId: 0, // a channel's messages are found by its own id
  received: subscription.received,
  readThrough: subscription.readThrough,
});

interface Found {
  total: number;
  /** Ids by topic key, by channel. */
  readonly channels: Map<number, Map<string, number[]>>;
  readonly conversations: Map<number, number[]>;
  /** Directly mentioned in, anywhere. */
  readonly mentions: number[];
  /** With a topic wildcard for the user. */
  readonly topicWildcards: number[];
  /** Lists with messages that were moved, whose place among the others is not known when they are met. */
  readonly unordered: Set<number[]>;
}

interface Collecting {
  readonly places: Places;
  readonly flags: ReadonlyMap<number, number>;
  /** Older ones are left out. */
  readonly from: number;
}

/** The unread messages from an id on, each list in order; undefined when there are far more than may be listed. */
function collect(tx: Reads, userId: number, collecting: Collecting): Found | undefined {
  const found: Found = {
    total: 0,
    channels: new Map(),
    conversations: new Map(),
    mentions: [],
    topicWildcards: [],
    unordered: new Set(),
  };
  // What was marked unread lies before everything else of its place, so that ids stay in order; unless it was moved.
  if (!collectMarked(tx, userId, { ...collecting, found })) return undefined;
  for (const place of everyPlace(collecting.places)) {
    if (!collectPlace(tx, place, { ...collecting, found })) return undefined;
  }
  for (const home of collecting.places.homes) {
    if (!collectDeparted(tx, userId, { ...collecting, home, found })) return undefined;
  }
  for (const list of found.unordered) list.sort((one, other) => one - other);
  return found;
}

/** Without the oldest of what may not be listed. */
function newestOf(found: Found): Found {
  if (found.total <= UNREAD_MESSAGES_MAX) return found;
  const ids = new Float64Array(found.total);
  let length = 0;
  const conversations = [...found.conversations];
  const channels = [...found.channels].map(([id, topics]) => [id, [...topics]] as const);
  for (const [, list] of [...conversations, ...channels.flatMap(([, topics]) => topics)]) {
    ids.set(list, length);
    length += list.length;
  }
  const first = ids.sort().at(-UNREAD_MESSAGES_MAX) ?? 0;
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

const everyPlace = ({ channels, conversations }: Places): Read[] => [
  ...channels.values(),
  ...conversations.values(),
];

function collectMarked(
  tx: Reads,
  userId: number,
  { places, flags, from, found }: Collecting & { found: Found },
): boolean {
  const marked = [userId, FlagBit.unread];
  const range = { start: [...marked, from], end: [...marked, AFTER_LAST_ID] };
  for (const [, , id] of tx.flaggedMessages.keys(range)) {
    const row = tx.messages.get([id]);
    if (row === undefined) continue;
    const { channelId } = row;
    const place = placeOf(places, row);
    const bits = flags.get(id) ?? 0;
    if (place === undefined || !isUnreadIn(stateOf(tx, userId, { row, place }), id, bits)) continue;
    const topicKey =
      channelId === null ? '' : (tx.channelMessages.get([channelId, id])?.topicKey ?? '');
    if (!add(found, place, { id, topicKey, bits })) return false;
    if (row.homeChannelId !== null) noteUnordered(found, channelId ?? 0, topicKey);
  }
  return true;
}

function noteUnordered(found: Found, channelId: number, topicKey: string) {
  const list = found.channels.get(channelId)?.get(topicKey);
  if (list !== undefined) found.unordered.add(list);
}

function collectPlace(
  tx: Reads,
  place: Read,
  { from, flags, found }: Collecting & { found: Found },
): boolean {
  const low = Math.max(place.readThrough + 1, from);
  const take = (id: number, topicKey: string) => {
    const bits = flags.get(id) ?? 0;
    return !isUnreadIn(place, id, bits) || add(found, place, { id, topicKey, bits });
  };
  if (place.channelId === null) {
    const { recipientId } = place;
    const range = { start: [recipientId, low], end: [recipientId, AFTER_LAST_ID] };
    for (const [, id] of tx.directMessages.keys(range)) if (!take(id, '')) return false;
    return true;
  }
  const range = { start: [place.channelId, low], end: [place.channelId, AFTER_LAST_ID] };
  const isGuest = guestsAmong(tx, place.channelId);
  for (const [[, id], { topicKey }] of tx.channelMessages.range(range)) {
    if (!isGuest(id) && !take(id, topicKey)) return false;
  }
  return true;
}

/** Tells the messages of a channel that came from another one, or back from it. */
function guestsAmong(tx: Reads, channelId: number): (id: number) => boolean {
  let hasGuests: boolean | undefined;
  return (id) => {
    hasGuests ??= hasRows(tx.arrivedMessages, channelId);
    return hasGuests && tx.arrivedMessages.has([channelId, id]);
  };
}

/** What came to the user in a channel and was moved to another one that the user is in. */
function collectDeparted(
  tx: Reads,
  userId: number,
  { home, places, from, flags, found }: Collecting & { home: Read; found: Found },
): boolean {
  const { channelId: homeId } = home;
  const low = Math.max(home.readThrough + 1, from);
  for (const [, id] of tx.departedMessages.keys({
    start: [homeId ?? 0, low],
    end: [homeId ?? 0, AFTER_LAST_ID],
  })) {
    const row = tx.messages.get([id]);
    const place = row === undefined ? undefined : placeOf(places, row);
    if (row?.channelId == null || place === undefined) continue;
    const bits = flags.get(id) ?? 0;
    // What was marked unread is found by its mark.
    if (bits & FlagBit.unread || !isUnreadIn(readStateOf(tx, userId, row), id, bits)) continue;
    const key = topicKey(row.topic);
    if (!add(found, place, { id, topicKey: key, bits })) return false;
    noteUnordered(found, row.channelId, key);
  }
  return true;
}

/** A message that was moved is read where it was sent to. */
const stateOf = (
  tx: Reads,
  userId: number,
  { row, place }: { row: MessagePlace; place: ReadState },
): ReadState => (row.homeChannelId === null ? place : readStateOf(tx, userId, row));

/** False when the list is full. */
function add(
  found: Found,
  { channelId, recipientId }: Read,
  { id, topicKey, bits }: { id: number; topicKey: string; bits: number },
): boolean {
  if (found.total >= COLLECTED_MAX) return false;
  found.total += 1;
  if (bits & FlagBit.mentioned) found.mentions.push(id);
  if (bits & FlagBit.topic_wildcard_mentioned) found.topicWildcards.push(id);
  if (channelId === null) append(found.conversations, recipientId, id);
  else {
    const known = found.channels.get(channelId);
    const topics = known ?? new Map<string, number[]>();
    if (known === undefined) found.channels.set(channelId, topics);
    append(topics, topicKey, id);
  }
  return true;
}

function append<Name>(lists: Map<Name, number[]>, name: Name, id: number) {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [id]);
  else list.push(id);
}

/** The flags of all that may be unread: rows are few, so one walk over them costs less than a look at each message. */
function flagsOfUnread(tx: Reads, userId: number, places: Places): Map<number, number> {
  const lowest = [...everyPlace(places), ...places.homes].reduce(
    (low, { readThrough }) => Math.min(low, readThrough + 1),
    AFTER_LAST_ID,
  );
  const flags = new Map<number, number>();
  const range = { start: [userId, lowest], end: [userId, AFTER_LAST_ID] };
  for (const [[, id], { bits }] of tx.messageFlags.range(range)) flags.set(id, bits);
  const marked = [userId, FlagBit.unread];
  for (const [, , id] of tx.flaggedMessages.keys({ start: marked, end: [...marked, lowest] })) {
    flags.set(id, tx.messageFlags.get([userId, id])?.bits ?? 0);
  }
  return flags;
}

/** Where the newest unread messages begin, as many as may be listed. */
function oldestListed(
  tx: Reads,
  userId: number,
  { places, flags }: Omit<Collecting, 'from'>,
): number {
  const walk = maybeUnread(tx, userId, everyPlace(places))(-1);
  const mayBeMoved =
    places.homes.length > 0 ||
    [...places.channels.keys()].some((channelId) => hasRows(tx.arrivedMessages, channelId));
  let oldest = 0;
  let left = UNREAD_MESSAGES_MAX;
  for (let id = walk.seek(AFTER_LAST_ID); id !== undefined && left > 0; id = walk.seek(id - 1)) {
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
  // Without either bit it came after `readThrough`, or the walk would not have met it.
  if (!mayBeMoved && (bits & (FlagBit.read | FlagBit.unread)) === 0) return true;
  const row = tx.messages.get([id]);
  const place = row === undefined ? undefined : placeOf(places, row);
  if (row === undefined || place === undefined) return false;
  return isUnreadIn(stateOf(tx, userId, { row, place }), id, bits);
}

function inWireForm(tx: Reads, userId: number, found: Found): UnreadMessages {
  let count = 0;
  const heard: number[] = [];
  const decisions = decisionsOf(tx, userId);
  const streams: UnreadMessages['streams'][number][] = [];
  const pms: UnreadMessages['pms'][number][] = [];
  const huddles: UnreadMessages['huddles'][number][] = [];
  for (const [channelId, topics] of found.channels) {
    for (const [topicKey, ids] of topics) {
      const topic = tx.topics.get([channelId, topicKey])?.name ?? topicKey;
      streams.push({ stream_id: channelId, topic, unread_message_ids: ids });
      if (decisions.isMuted(channelId, topicKey)) continue;
      count += ids.length;
      for (const id of ids) heard.push(id);
    }
  }
  for (const [recipientId, ids] of found.conversations) {
    count += ids.length;
    for (const id of ids) heard.push(id);
    const userIds = tx.conversations.get([recipientId])?.userIds ?? [];
    if (userIds.length > 2) {
      huddles.push({ user_ids_string: userIds.join(','), unread_message_ids: ids });
    } else {
      const other = userIds.find((id) => id !== userId) ?? userId;
      pms.push({ other_user_id: other, sender_id: other, unread_message_ids: ids });
    }
  }
  return {
    count,
    pms,
    streams,
    huddles,
    mentions: [...new Set([...found.mentions, ...wildcardsAmong(tx, found, heard)])],
    old_unreads_missing: found.total >= UNREAD_MESSAGES_MAX,
  };
}

/** "Wildcard mentions only if unmuted." */
function wildcardsAmong(
  tx: Reads,
  { topicWildcards }: Found,
  heard: readonly number[],
): Iterable<number> {
  const lowest = heard.reduce((low, id) => Math.min(low, id), AFTER_LAST_ID);
  const range = { start: [...WILDCARD_INDEX, lowest], end: [...WILDCARD_INDEX, AFTER_LAST_ID] };
  const wildcards = Array.from(tx.flaggedMessages.keys(range), ([, , id]) => id);
  if (wildcards.length + topicWildcards.length === 0) return [];
  const all = [...wildcards, ...topicWildcards];
  const mentioning = new Set(all);
  const among = new Set(heard.filter((id) => mentioning.has(id)));
  return all.filter((id) => among.has(id));
}

const NO_UNREAD: UnreadMessages = {
  count: 0,
  pms: [],
  streams: [],
  huddles: [],
  mentions: [],
  old_unreads_missing: false,
};
