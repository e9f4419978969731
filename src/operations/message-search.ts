import type { MessageRow } from '../../storage/tables/messages.ts';
import type { UserConversationRow } from '../../storage/tables/user-conversations.ts';
import type { UserRow } from '../../storage/tables/users.ts';
import * as errors from '../domain/errors.ts';
import type { NarrowTerm } from '../domain/narrow.ts';
import { EVERYTHING, type Intervals, isWithin, NOTHING } from '../domain/read-state.ts';
import type { Place } from './caller.ts';
import type { Reads } from './groups.ts';
import * as heldContents from './held-contents.ts';
import {
  type Direction,
  type IdSet,
  indexed,
  intersection,
  type Meter,
  union,
  type Walk,
  within,
} from './id-walks.ts';
import { canRead, readableIn, received } from './message-access.ts';
import type { Source } from './message-terms.ts';
import { type Narrowed, narrowed } from './narrowed.ts';
import { arrivedIn, maybeRead, maybeUnread, messagesOf, type Read } from './read-walks.ts';

/** The messages that a narrow selects for a user. */
export interface Search {
  /** Those from an id on, as many at most; in the order they are met. */
  select(options: { from: number; direction: Direction; limit: number }): Selected;
  matches(row: MessageRow): boolean;
}

export interface Selected {
  readonly rows: readonly MessageRow[];
  /** Whether the search gave up: there may be more that match. */
  readonly isCut: boolean;
}

export interface SearchRequest {
  readonly user: UserRow;
  readonly place: Place;
  readonly narrow: readonly NarrowTerm[];
  /**
   * `first_unread` looks for unread messages alone, past muted channels unless one was asked for, and past those that
   * were left. `readable` are messages by id: whatever the user may read.
   */
  readonly among?: 'searched' | 'firstUnread' | 'readable';
}

/** Sources merged straight away, since opening so many indexes costs less than looking for a better way. */
const SOURCES_MERGED_MAX = 128;
/** Rows that may fail to match before an index that leads past them is opened. */
const MISSES_BEFORE_LEAP = 128;
/** What reading an index costs, in rows. */
const ROWS_PER_INDEX_READ = 0.6;
/** Rows looked at in vain, for one search: more would hold up everyone else for longer than a search is worth. */
const MISSES_MAX = 200_000;
/** Where texts are looked through, which costs a few times as much: texts times searches in vain. */
export const TEXTS_MISSED_MAX = 50_000;
/** Rows times questions about each of them: a narrow of a hundred terms asks as many. */
export const QUESTIONS_MISSED_MAX = 1_000_000;

/**
 * Walks the index that has the fewest ids to look at, and asks of each message whether it matches; so an index decides how
 * long a search takes, never what it finds.
 */
export function openSearch(tx: Reads, request: SearchRequest): Search {
  const { user, among = 'searched' } = request;
  const terms = narrowed(tx, request, among === 'firstUnread');
  const isFullHistory = terms.isFullHistory || among === 'readable';
  const meter: Meter = { reads: 0 };
  const sources = openSources(tx, user, { terms, isFullHistory });
  const missesMax = missesAllowed(terms);

  function matches(row: MessageRow): boolean {
    const source = sources.of(row);
    if (source === undefined || !isSearched(row, source)) return false;
    let known: number | undefined;
    const bits = () => {
      known ??= tx.messageFlags.get([user.id, row.id])?.bits ?? 0;
      return known;
    };
    return terms.messageTests.every((test) => test(row, source, bits));
  }

  /** What was moved counts from when it came, and as received by those to whom it was sent. */
  function isSearched(row: MessageRow, source: Source): boolean {
    if (row.homeChannelId === null) return isWithin(source.searched, row.id);
    if (!canRead(tx, user, row)) return false;
    return isFullHistory || received(tx, user.id, row);
  }

  return {
    matches,
    select({ from, direction, limit }) {
      if (limit <= 0) return { rows: [], isCut: false };
      const plan = planOf(tx, user, { terms, sources, meter });
      const leaps = plan.leaps === null ? null : openLeaps(plan.leaps, direction, meter);
      const walk = plan.candidates(direction);
      const rows: MessageRow[] = [];
      let missed = 0;
      for (let id = walk.seek(from); id !== undefined && rows.length < limit; ) {
        const row = tx.messages.get([id]);
        let next: number | undefined = id + direction;
        if (row !== undefined && matches(row)) rows.push(row);
        else {
          missed += 1;
          // With what was found so far the client can go on from there; without, it would ask the same again.
          if (missed > missesMax && rows.length > 0) return { rows, isCut: true };
          if (missed > missesMax) throw errors.badNarrow('too many messages to look through');
          if (leaps !== null) next = leaps.past(next);
        }
        id = next === undefined ? undefined : walk.seek(next);
      }
      return { rows, isCut: false };
    },
  };
}

function missesAllowed({ messageTests, textSearchCount }: Narrowed): number {
  const questions = QUESTIONS_MISSED_MAX / Math.max(messageTests.length, 1);
  const texts = textSearchCount > 0 ? TEXTS_MISSED_MAX / textSearchCount : MISSES_MAX;
  return Math.min(MISSES_MAX, questions, texts);
}

interface Plan {
  /** A superset of what matches. */
  readonly candidates: IdSet;
  /** Another one, worth its price only when many candidates fail. */
  readonly leaps: Leaps | null;
}

interface Leaps {
  /** How many indexes it takes, or about that. */
  indexes(): number;
  open(): IdSet;
}

interface Searching {
  readonly terms: Narrowed;
  readonly sources: Sources;
  readonly meter: Meter;
}

function planOf(tx: Reads, user: UserRow, { terms, sources, meter }: Searching): Plan {
  const all = terms.sets.map((set) => set.all);
  if (terms.isUnread && terms.isRead) return { candidates: union([]), leaps: null };
  if (terms.isUnread || terms.isRead) {
    const maybe = terms.isUnread ? maybeUnread : maybeRead;
    const walks = { meter, narrowed: (place: Read) => narrower(tx, place, { terms, meter }) };
    const list = [...sources.all()];
    return { candidates: intersection([...all, maybe(tx, user.id, list, walks)]), leaps: null };
  }
  // Own marks are few, and one of them may be on a message that is in no list of sources.
  if (terms.areOwnMarks && !terms.isOnePlace) return { candidates: intersection(all), leaps: null };
  const open = (source: Source) => searchedIn(tx, source, { terms, meter });
  const arePlaced = terms.sets.some(({ inPlace }) => inPlace !== undefined);
  // All direct messages are in one list; what is listed by place is in many short ones.
  const areTogether = terms.conversations === 'all' && !arePlaced;
  const directOf = (userId: number) => indexed(tx.userDirectMessages, [userId], { meter });
  const direct = areTogether ? [intersection([user.id, ...terms.senderIds].map(directOf))] : [];
  const places = () => (areTogether ? sources.channels() : sources.all());
  const few = firstOf(places(), SOURCES_MERGED_MAX + 1);
  const areFew = few.length <= SOURCES_MERGED_MAX;
  const merged = () => union([...direct, ...Array.from(areFew ? few : places(), open)]);
  const [only] = few;
  if (few.length + direct.length <= 1 || (areFew && terms.sets.length === 0)) {
    // Where places are walked one by one, what is listed by place is part of those walks.
    const beside = terms.sets.filter(({ inPlace }) => inPlace === undefined).map((set) => set.all);
    const isOne = few.length === 1 && direct.length === 0 && only !== undefined;
    return {
      candidates: intersection([...beside, merged()]),
      leaps: isOne ? topicLeaps(tx, only, { terms, meter }) : null,
    };
  }
  return {
    candidates: all.length > 0 ? intersection(all) : indexed(tx.messages, [], { meter }),
    leaps: {
      indexes: () => direct.length + (areFew ? few.length : sources.count()),
      open: merged,
    },
  };
}

interface Walking {
  readonly terms: Narrowed;
  readonly meter: Meter;
}

/** What of one source is searched, by its most selective indexes. */
function searchedIn(tx: Reads, source: Source, { terms, meter }: Walking): IdSet {
  const set = intersection(
    narrower(tx, source, { terms, meter }) ?? [messagesOf(tx, source, { meter })],
  );
  if (source.searched === EVERYTHING) return set;
  const moved = source.channelId === null ? [] : arrivedIn(tx, source.channelId, meter);
  return union([within(set, source.searched), ...moved]);
}

/** Lists of some of the messages of a place, each of which has all that match; undefined when there is none. */
function narrower(
  tx: Reads,
  { channelId, recipientId }: Read,
  { terms, meter }: Walking,
): IdSet[] | undefined {
  const sets = terms.sets.flatMap(({ inPlace }) =>
    inPlace === undefined ? [] : [inPlace(recipientId)],
  );
  const keys = channelId === null ? null : terms.keysIn(channelId);
  // Of many places one finds others soon enough, and each would have two lists opened instead of one.
  for (const bit of terms.isOnePlace ? terms.lacking : []) {
    sets.push(heldContents.lacking(tx, bit, { place: { channelId, recipientId }, meter }));
  }
  if (keys !== null) {
    sets.push(
      union(keys.map((key) => indexed(tx.topicMessages, [channelId ?? 0, key], { meter }))),
    );
  }
  return sets.length > 0 ? sets : undefined;
}

/** Past the topics of a channel in which nothing can match. */
function topicLeaps(tx: Reads, { channelId }: Source, { terms, meter }: Walking): Leaps | null {
  if (channelId === null || terms.topicTests.length === 0) return null;
  let topics: readonly string[] | undefined;
  const all = () => {
    topics ??= Array.from(tx.topics.keysUnder([channelId]), ([, key]) => key);
    return topics;
  };
  const mayMatch = (key: string) => terms.topicTests.every((mayHold) => mayHold(channelId, key));
  const list = (key: string) => indexed(tx.topicMessages, [channelId, key], { meter });
  return { indexes: () => all().length, open: () => union(all().filter(mayMatch).map(list)) };
}

/** Leads past candidates that fail, as often as it costs no more than looking at them did. */
function openLeaps(leaps: Leaps, direction: Direction, meter: Meter) {
  let walk: Walk | undefined;
  let price = MISSES_BEFORE_LEAP;
  let isPriceKnown = false;
  let paid = 0;
  return {
    past(next: number): number | undefined {
      paid += 1;
      if (paid < price) return next;
      if (!isPriceKnown) {
        isPriceKnown = true;
        price = leaps.indexes() * ROWS_PER_INDEX_READ;
        if (paid < price) return next;
      }
      const before = meter.reads;
      walk ??= leaps.open()(direction);
      const id = walk.seek(next);
      price = 1 + (meter.reads - before) * ROWS_PER_INDEX_READ;
      paid = 0;
      return id;
    },
  };
}

interface Sources {
  /** The source of a message; undefined when the narrow or the user's rights exclude it. */
  of(row: MessageRow): Source | undefined;
  /** All that can hold a match. */
  all(): Iterable<Source>;
  channels(): Iterable<Source>;
  /** How many there are at most. */
  count(): number;
}

function openSources(
  tx: Reads,
  user: UserRow,
  { terms, isFullHistory }: { terms: Narrowed; isFullHistory: boolean },
): Sources {
  const known = new Map<number, Source | undefined>();
  const admitted = (source: Source | undefined) =>
    source !== undefined && terms.sourceTests.every((test) => test(source)) ? source : undefined;

  function channel(channelId: number): Source | undefined {
    const key = -channelId; // conversations have the other half of the numbers
    if (known.has(key)) return known.get(key);
    const source = admitted(channelSource(tx, user, { channelId, isFullHistory }));
    known.set(key, source);
    return source;
  }
  function conversation(
    recipientId: number,
    own = tx.userConversations.get([user.id, recipientId]),
  ): Source | undefined {
    if (known.has(recipientId)) return known.get(recipientId);
    const source = own === undefined ? undefined : conversationSource(tx, recipientId, own);
    known.set(recipientId, admitted(source));
    return known.get(recipientId);
  }
  function* channels() {
    for (const channelId of terms.channelIds()) {
      if (terms.topic !== undefined && !tx.topics.has([channelId, terms.topic])) continue;
      const source = channel(channelId);
      if (source !== undefined) yield source;
    }
  }
  function* conversations() {
    if (terms.conversations === 'none') return;
    if (typeof terms.conversations === 'object') {
      const source = conversation(terms.conversations.recipientId);
      if (source !== undefined) yield source;
      return;
    }
    for (const [[, recipientId], own] of tx.userConversations.under([user.id])) {
      const source = conversation(recipientId, own);
      if (source !== undefined) yield source;
    }
  }

  return {
    of: (row) => (row.channelId === null ? conversation(row.recipientId) : channel(row.channelId)),
    channels,
    *all() {
      yield* channels();
      yield* conversations();
    },
    count() {
      let count = 0;
      for (const _ of terms.channelIds()) count += 1;
      if (terms.conversations === 'none') return count;
      for (const _ of tx.userConversations.keysUnder([user.id])) count += 1;
      return count;
    },
  };
}

function channelSource(
  tx: Reads,
  user: UserRow,
  { channelId, isFullHistory }: { channelId: number; isFullHistory: boolean },
): Source | undefined {
  const channel = tx.channels.get([channelId]);
  if (channel === undefined) return undefined;
  const subscription = tx.subscriptions.get([channelId, user.id]);
  const readable = readableIn(tx, user, { channel, subscription });
  const receivedHere = subscription?.received ?? NOTHING;
  // What may be read is everything or what was received, so what is searched is one of the two as well.
  const searched: Intervals = isFullHistory || readable !== EVERYTHING ? readable : receivedHere;
  if (searched.length === 0) return undefined;
  return {
    channelId,
    recipientId: channel.recipientId,
    isPublic: !channel.isPrivate,
    isWebPublic: channel.isWebPublic,
    isSubscribed: subscription?.isActive === true,
    isMuted: subscription?.isMuted === true,
    people: () => NOBODY,
    searched,
    received: receivedHere,
    readThrough: subscription?.readThrough ?? 0,
  };
}

const NOBODY: readonly number[] = [];

function conversationSource(
  tx: Reads,
  recipientId: number,
  { readThrough }: UserConversationRow,
): Source {
  return {
    channelId: null,
    recipientId,
    isPublic: false,
    isWebPublic: false,
    isSubscribed: true,
    isMuted: false,
    people: () => tx.conversations.get([recipientId])?.userIds ?? NOBODY,
    searched: EVERYTHING,
    received: EVERYTHING,
    readThrough,
  };
}

function firstOf<T>(items: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.length >= count) break;
    first.push(item);
  }
  return first;
}
