import type { UserRow } from '../../../storage/tables/people/users.ts';
import { EVERYTHING, type Intervals, NOTHING } from '../../domain/rules/messages/read-state.ts';
import type { Reads } from '../access/groups.ts';
import * as contentIndex from '../indexes/content-index.ts';
import { type FallbackIndex, intersection } from '../indexes/ids/intersections.ts';
import { type IdSet, indexed, type ReadCounter, within } from '../indexes/ids/iterators.ts';
import { union } from '../indexes/ids/unions.ts';
import {
  hasAnyRow,
  maybeRead,
  maybeUnread,
  messagesOf,
  movedInto,
  type Read,
} from '../indexes/read-sets.ts';
import type { CompiledNarrow } from './compiled-narrow.ts';
import type { Sources } from './sources.ts';
import type { Source } from './term.ts';

/**
 * Sources that are merged at once, since opening so many indexes costs less than looking for a
 * better way.
 */
const SOURCES_MERGED_MAX = 128;

/** The indexes in which a search looks for messages. */
export interface Plan {
  /** A superset of the matches. */
  readonly candidates: IdSet;
  /** Another superset, worth its cost only if many candidates fail. */
  readonly leaps: Leaps | null;
  /** The candidates of all places give way to these if too many of them are elsewhere. */
  readonly places?: Places;
}

/** The lists of the channels and conversations that a search leaves. */
export interface Places {
  /** Returns how many lists are opened; null for so many that it never pays. */
  count(): number | null;
  open(): IdSet;
}

export interface Leaps {
  /** Returns about how many indexes it opens. */
  indexes(): number;
  open(): IdSet;
}

export interface Searching {
  readonly terms: CompiledNarrow;
  readonly sources: Sources;
  readonly counter: ReadCounter;
  /** The matches that are looked for. */
  readonly limit: number;
}

/** Chooses the indexes with the fewest messages. */
export function planOf(tx: Reads, user: UserRow, searching: Searching): Plan {
  const { terms, sources, counter, limit } = searching;
  const all = terms.sets.map((set) => set.all);
  if (terms.isUnread && terms.isRead) return { candidates: union([]), leaps: null };
  if (terms.isUnread || terms.isRead) return readPlan(tx, user, searching);
  // The user's own marks are few, and one of them may be on a message that is not in any source.
  if (terms.areOwnMarks && !terms.isOnePlace) return { candidates: intersection(all), leaps: null };
  if (all.length === 0 && !terms.isOnePlace && firstOf(terms.channelIds(), 2).length > 1) {
    return walkPlan(tx, user, searching);
  }
  const direct = directTogether(tx, user, searching);
  const places = () => (direct.length > 0 ? sources.channels() : sources.all());
  const areAllPlaced = terms.sets.every(({ inPlace }) => inPlace !== undefined);
  const few = firstOf(places(), SOURCES_MERGED_MAX + 1);
  const areFew = few.length <= SOURCES_MERGED_MAX;
  const isOneList = few.length + direct.length === 1 && all.length === 0;
  const first = isOneList && terms.messageTests.length === 0 ? limit : undefined;
  const open = (source: Source) => searchedIn(tx, source, { terms, counter, first });
  const merged = () => union([...direct, ...Array.from(areFew ? few : places(), open)]);
  const [only] = few;
  if (few.length + direct.length <= 1 || (areFew && areAllPlaced)) {
    // Places that are iterated one by one use the lists by place, which are left out here.
    const beside = terms.sets.filter(({ inPlace }) => inPlace === undefined).map((set) => set.all);
    const one = few.length === 1 && direct.length === 0 ? only : undefined;
    if (one === undefined) return { candidates: intersection([...beside, merged()]), leaps: null };
    return {
      candidates: intersection([...beside, merged()], topicFallback(tx, one, { terms, counter })),
      leaps: topicLeaps(tx, one, { terms, counter }),
    };
  }
  return {
    candidates: all.length > 0 ? intersection(all) : indexed(tx.messages, [], { counter }),
    leaps: {
      indexes: () => direct.length + (areFew ? few.length : sources.count()),
      open: merged,
    },
  };
}

/**
 * Plans a search in many places by nothing but these: it looks at all messages in turn. Most people
 * read most of what is said, and to look at a message of another channel costs less than a tenth of
 * what it costs to find and open the lists of one channel.
 */
function walkPlan(tx: Reads, user: UserRow, searching: Searching): Plan {
  const { terms, sources, counter, limit } = searching;
  const direct = directTogether(tx, user, searching);
  const places = () => (direct.length > 0 ? sources.channels() : sources.all());
  const merged = () =>
    union([
      ...direct,
      ...Array.from(places(), (source) => searchedIn(tx, source, { terms, counter })),
    ]);
  return {
    candidates: indexed(tx.messages, [], { counter, first: limit + LOOKED_AT_BESIDE }),
    leaps: { indexes: () => direct.length + sources.count(), open: merged },
    places: {
      count() {
        const { length } = firstOf(terms.channelIds(), SOURCES_MERGED_MAX + 1);
        return length > SOURCES_MERGED_MAX ? null : length + direct.length;
      },
      open: merged,
    },
  };
}

/** Ids that are read in one go beyond those that are wanted, as some messages are elsewhere. */
const LOOKED_AT_BESIDE = 32;

interface Iterating {
  readonly terms: CompiledNarrow;
  readonly counter: ReadCounter;
  /** Ids that are read in one go at first, where they are in one list. */
  readonly first?: number | undefined;
}

/**
 * Returns the user's direct messages as one list, intersected with the terms that are listed by
 * place; or each conversation, once the lists have cost more than that.
 */
function directTogether(
  tx: Reads,
  user: UserRow,
  { terms, sources, counter }: Searching,
): readonly IdSet[] {
  if (terms.conversations !== 'all') return [];
  const directOf = (userId: number) => indexed(tx.userDirectMessages, [userId], { counter });
  const placed = terms.sets.filter(({ inPlace }) => inPlace !== undefined).map((set) => set.all);
  let conversations: readonly Source[] | undefined;
  const fallback: FallbackIndex = {
    counter,
    open(reads) {
      conversations ??= [...sources.conversations()];
      if (conversations.length > reads) return null;
      return union(conversations.map((source) => searchedIn(tx, source, { terms, counter })));
    },
  };
  return [intersection([...[user.id, ...terms.senderIds].map(directOf), ...placed], fallback)];
}

/**
 * Plans a search for unread or for read messages. A user with hundreds of conversations mostly has
 * enough matches in the list of all their direct messages, so that not each one is opened; and with
 * hundreds of channels, among all messages.
 */
function readPlan(tx: Reads, user: UserRow, searching: Searching): Plan {
  const { terms, sources, counter } = searching;
  const all = terms.sets.map((set) => set.all);
  const maybe = terms.isUnread ? maybeUnread : maybeRead;
  const options = { counter, listsOf: (place: Read) => narrower(tx, place, { terms, counter }) };
  const exact = (places: readonly Read[]) => maybe(tx, user.id, places, options);
  const direct = directTogether(tx, user, searching);
  const channels = [...sources.channels()];
  const conversations = [...sources.conversations()];
  const places = [...channels, ...conversations];
  const isDirectOpened = direct.length === 0 || conversations.length <= CONVERSATIONS_OPENED_MAX;
  if (isDirectOpened && channels.length <= SOURCES_MERGED_MAX) {
    return { candidates: intersection([...all, exact(places)]), leaps: null };
  }
  const areMany = channels.length > SOURCES_MERGED_MAX;
  const together = areMany
    ? [within(indexed(tx.messages, [], { counter }), spanOf(tx, terms, places))]
    : direct.map((set) => within(set, spanOf(tx, terms, conversations)));
  return {
    candidates: intersection([...all, union([exact(areMany ? [] : channels), ...together])]),
    leaps: {
      indexes: () => places.length,
      open: () => intersection([...all, exact(places)]),
    },
  };
}

/** Opening so many costs less than reading the other messages in the list of all. */
const CONVERSATIONS_OPENED_MAX = 4;

/**
 * Returns the ids between the first and the last message that is read, or unread, in one of the
 * places.
 */
function spanOf(tx: Reads, { isUnread }: CompiledNarrow, places: readonly Read[]): Intervals {
  const ends = places.map(({ readThrough }) => readThrough);
  if (ends.length === 0) return NOTHING;
  if (isUnread) return [ends.reduce((one, other) => Math.min(one, other)) + 1, null];
  // A moved message may be read wherever it is.
  if (hasAnyRow(tx.movedInMessages)) return EVERYTHING;
  return [0, ends.reduce((one, other) => Math.max(one, other))];
}

/** Returns the searched messages of one source, from its most selective indexes. */
function searchedIn(tx: Reads, source: Source, iterating: Iterating): IdSet {
  const { counter, first } = iterating;
  const set = intersection(
    narrower(tx, source, iterating) ?? [messagesOf(tx, source, { counter, first })],
  );
  if (source.searched === EVERYTHING) return set;
  const moved = source.channelId === null ? [] : movedInto(tx, source.channelId, counter);
  return union([within(set, source.searched), ...moved]);
}

/**
 * Returns lists of messages of a place, each with all matches there; undefined if there is none.
 */
function narrower(
  tx: Reads,
  { channelId, recipientId }: Read,
  { terms, counter, first }: Iterating,
): IdSet[] | undefined {
  const sets = terms.sets.flatMap(({ inPlace }) =>
    inPlace === undefined ? [] : [inPlace(recipientId)],
  );
  const keys = channelId === null ? null : terms.keysIn(channelId);
  // With many places other matches are found soon enough, and each place would open two lists
  // instead of one.
  for (const bit of terms.isOnePlace ? terms.lacking : []) {
    sets.push(contentIndex.lacking(tx, bit, { place: { channelId, recipientId }, counter }));
  }
  if (keys !== null) {
    const options = { counter, first: keys.length === 1 && sets.length === 0 ? first : undefined };
    sets.push(union(keys.map((key) => indexed(tx.topicMessages, [channelId ?? 0, key], options))));
  }
  return sets.length > 0 ? sets : undefined;
}

/**
 * Lists the topics that can have a match, once the lists of a channel have cost more than to list
 * them.
 */
function topicFallback(
  tx: Reads,
  { channelId }: Source,
  { terms, counter }: Iterating,
): FallbackIndex | undefined {
  if (channelId === null || terms.topicTests.length === 0) return undefined;
  return {
    counter,
    open(reads) {
      const keys = keysOf(tx, channelId, { limit: reads + 1 });
      return keys.length > reads
        ? null
        : matchingTopics(tx, { channelId, keys }, { terms, counter });
    },
  };
}

/** Skips the topics of a channel that cannot have a match. */
function topicLeaps(tx: Reads, { channelId }: Source, { terms, counter }: Iterating): Leaps | null {
  if (channelId === null || terms.topicTests.length === 0) return null;
  let keys: readonly string[] | undefined;
  const all = () => {
    keys ??= keysOf(tx, channelId);
    return keys;
  };
  return {
    indexes: () => all().length,
    open: () => matchingTopics(tx, { channelId, keys: all() }, { terms, counter }),
  };
}

const keysOf = (tx: Reads, channelId: number, options?: { readonly limit: number }): string[] =>
  Array.from(tx.topics.keysUnder([channelId], options), ([, key]) => key);

function matchingTopics(
  tx: Reads,
  { channelId, keys }: { readonly channelId: number; readonly keys: readonly string[] },
  { terms, counter }: Iterating,
): IdSet {
  const mayMatch = (key: string) => terms.topicTests.every((mayHold) => mayHold(channelId, key));
  const list = (key: string) => indexed(tx.topicMessages, [channelId, key], { counter });
  return union(keys.filter(mayMatch).map(list));
}

function firstOf<T>(items: Iterable<T>, count: number): T[] {
  const first: T[] = [];
  for (const item of items) {
    if (first.length >= count) break;
    first.push(item);
  }
  return first;
}
