import { type MessageRow, messages } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import {
  FETCHED_READ_BYTES_MAX,
  MISSED_READ_BYTES_MAX,
  SEARCHED_COST,
} from '../../domain/limits/messages.ts';
import type { NarrowTerm } from '../../domain/rules/messages/narrow.ts';
import { isWithin } from '../../domain/rules/messages/read-state.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import { bitsOf } from '../indexes/flag-reads.ts';
import type { Direction, IdIterator, IdSet, ReadCounter } from '../indexes/ids/iterators.ts';
import { canRead, received } from '../indexes/message-access.ts';
import { type CompiledNarrow, compileNarrow } from './compiled-narrow.ts';
import { type Leaps, type Places, planOf } from './plans.ts';
import { openSources } from './sources.ts';
import type { Source } from './term.ts';

/** The messages that a narrow selects for a user. */
export interface Search {
  /** Returns the messages from an id on, up to the limit, in this direction. */
  select(options: Selecting): Selected;
  /** Returns the cost of reading and testing a message, in bytes. */
  costOf(row: MessageRow): number;
  matches(row: MessageRow): boolean;
}

export interface Selecting {
  readonly from: number;
  readonly direction: Direction;
  readonly limit: number;
  /** Bytes that may be read after the first match. */
  readonly bytesMax?: number;
}

export interface Selected {
  readonly rows: readonly MessageRow[];
  /** True if the search gave up: there may be more matches. */
  readonly isCut: boolean;
  /** Bytes that were read. */
  readonly bytesRead: number;
}

export interface SearchRequest {
  readonly user: UserRow;
  readonly site: Site;
  readonly narrow: readonly NarrowTerm[];
  /**
   * `firstUnread` searches only unread messages, without muted channels unless one was asked for,
   * and without those that were left. `readable` searches all messages that the user may read, by
   * id.
   */
  readonly among?: 'searched' | 'firstUnread' | 'readable';
}

/** Rows that may fail to match before an index that skips such rows is opened. */
const MISSES_BEFORE_LEAP = 128;
/** The cost of reading an index, in rows. */
const ROWS_PER_INDEX_READ = 0.6;
/**
 * Rows that one search reads in vain: more would hold up all other requests for longer than a
 * search is worth.
 */
const MISSES_MAX = 200_000;
/** Texts times searches that one search reads in vain; they cost a few times as much as rows. */
export const TEXTS_MISSED_MAX = 50_000;
/**
 * Rows times tests that one search makes in vain: a narrow of a hundred terms makes as many for
 * each.
 */
export const QUESTIONS_MISSED_MAX = 1_000_000;
/**
 * The part of these limits after which a search with some matches returns them: the client goes on
 * from there.
 */
const MISSED_PART_WHEN_FOUND = 0.1;

/**
 * Opens a search. It iterates the index that has the fewest ids, and tests each message; so an
 * index decides how long a search takes, never what it finds.
 */
export function openSearch(tx: Reads, request: SearchRequest): Search {
  const { user, among = 'searched' } = request;
  const terms = compileNarrow(tx, request, among === 'firstUnread');
  const isFullHistory = terms.isFullHistory || among === 'readable';
  const counter: ReadCounter = { reads: 0 };
  const sources = openSources(tx, user, { terms, isFullHistory });
  const missesMax = missesAllowed(terms);

  function matches(row: MessageRow): boolean {
    const source = sources.of(row);
    if (source === undefined || !isSearched(row, source)) return false;
    let known: number | undefined;
    const bits = () => {
      known ??= bitsOf(tx, user.id, row.id);
      return known;
    };
    return terms.messageTests.every((test) => test(row, source, bits));
  }

  function isInSource(id: number): boolean {
    const columns = tx.messages.leading([id], PLACE_COLUMNS);
    if (columns === undefined) return false;
    const place = { recipientId: columns[RECIPIENT] ?? 0, channelId: columns[CHANNEL] ?? null };
    return sources.of(place) !== undefined;
  }

  /**
   * Tests whether a message is searched. A moved message counts from its arrival, and as received
   * by those to whom it was sent.
   */
  function isSearched(row: MessageRow, source: Source): boolean {
    if (row.homeChannelId === null) return isWithin(source.searched, row.id);
    if (!canRead(tx, user, row)) return false;
    return isFullHistory || received(tx, user.id, row);
  }

  const cost = terms.textSearchCount > 0 ? SEARCHED_COST : 1;
  const costOf = ({ content, renderedContent }: MessageRow) =>
    (Buffer.byteLength(content) + Buffer.byteLength(renderedContent)) * cost;

  return {
    matches,
    costOf,
    select({ from, direction, limit, bytesMax = FETCHED_READ_BYTES_MAX }) {
      if (limit <= 0) return { rows: [], isCut: false, bytesRead: 0 };
      const plan = planOf(tx, user, { terms, sources, counter, limit });
      const leaps = plan.leaps === null ? null : openLeaps(plan.leaps, direction, counter);
      const places = plan.places === undefined ? null : openPlaces(plan.places, limit);
      let iterator = plan.candidates(direction);
      const rows: MessageRow[] = [];
      let missed = 0;
      let bytesRead = 0;
      let hasMissed = false;
      for (let id = iterator.seek(from); id !== undefined && rows.length < limit; ) {
        // After a row that failed, or where nearly half do, the next one is likely to be
        // elsewhere as well, which its first columns tell.
        const isDoubtful: boolean = hasMissed || missed * 3 > rows.length * 2;
        const row: MessageRow | undefined =
          isDoubtful && !isInSource(id) ? undefined : tx.messages.get([id]);
        let next: number | undefined = id + direction;
        if (row !== undefined) bytesRead += costOf(row);
        hasMissed = row === undefined || !matches(row);
        if (row !== undefined && !hasMissed) rows.push(row);
        else {
          missed += 1;
          // Without any match the client would repeat the same request, so it is refused.
          if (rows.length === 0 && (missed > missesMax || bytesRead > MISSED_READ_BYTES_MAX)) {
            throw errors.badNarrow('too many messages to look through');
          }
          const listed = places?.after(missed, rows.length);
          if (listed !== undefined) iterator = listed(direction);
          else if (leaps !== null && places?.areFew !== true) next = leaps.past(next);
        }
        id = next === undefined ? undefined : iterator.seek(next);
        if (id === undefined || rows.length === 0) continue;
        // The client can go on from the matches found so far.
        if (bytesRead > bytesMax || missed > missesMax * MISSED_PART_WHEN_FOUND) {
          return { rows, isCut: true, bytesRead };
        }
      }
      return { rows, isCut: false, bytesRead };
    },
  };
}

/**
 * Indices of the columns with the place of a message: they are among the first, which are read
 * without the rest.
 */
const RECIPIENT = messages.columns.indexOf('recipientId');
const CHANNEL = messages.columns.indexOf('channelId');
const PLACE_COLUMNS = Math.max(RECIPIENT, CHANNEL) + 1;

function missesAllowed({ messageTests, textSearchCount }: CompiledNarrow): number {
  const questions = QUESTIONS_MISSED_MAX / Math.max(messageTests.length, 1);
  const texts = textSearchCount > 0 ? TEXTS_MISSED_MAX / textSearchCount : MISSES_MAX;
  return Math.min(MISSES_MAX, questions, texts);
}

/**
 * Decides when the lists of places are cheaper than to go on among all messages, by how many of
 * these were elsewhere so far.
 */
function openPlaces(places: Places, limit: number) {
  let asksAt = MISSES_BEFORE_PLACES;
  let count: number | null | undefined;
  const giveWay = {
    /** True if the lists are so few that they are what is skipped by. */
    areFew: false,
    /** Returns the lists to go on with, once. */
    after(missed: number, found: number): IdSet | undefined {
      if (missed < asksAt) return undefined;
      if (count === undefined) count = places.count();
      giveWay.areFew = count !== null;
      const missesToCome = ((limit - found) * missed) / Math.max(found, 1);
      const isDue = count !== null && missesToCome >= count * MISSES_PER_PLACE;
      asksAt = isDue || count === null ? Number.POSITIVE_INFINITY : asksAt * 2;
      return isDue ? places.open() : undefined;
    },
  };
  return giveWay;
}

/** The price of the lists is asked for after so many misses, and then after twice as many. */
const MISSES_BEFORE_PLACES = 16;
/** To find and to open the lists of one place costs as much as so many messages of other places. */
const MISSES_PER_PLACE = 8;

/**
 * Opens the leaps past candidates that fail. They are used as often as they cost no more than
 * reading those did, and less often while they skip fewer rows than they cost, judging by the last
 * ones.
 */
function openLeaps(leaps: Leaps, direction: Direction, counter: ReadCounter) {
  let iterator: IdIterator | undefined;
  let price = MISSES_BEFORE_LEAP;
  let isPriceKnown = false;
  let patience = 1;
  let paid = 0;
  let since: number | undefined;
  return {
    past(next: number): number | undefined {
      paid += 1;
      since ??= next;
      if (paid < price) return next;
      if (!isPriceKnown) {
        isPriceKnown = true;
        price = leaps.indexes() * ROWS_PER_INDEX_READ;
        if (paid < price) return next;
      }
      const before = counter.reads;
      iterator ??= leaps.open()(direction);
      const id = iterator.seek(next);
      const cost = 1 + (counter.reads - before) * ROWS_PER_INDEX_READ;
      const span = Math.max(Math.abs(next - since), 1);
      const passed = id === undefined ? 0 : (paid * Math.abs(id - next)) / span;
      patience = passed < cost ? Math.min(patience * 2, PATIENCE_MAX) : 1;
      price = cost * patience;
      paid = 0;
      since = id;
      return id;
    },
  };
}

const PATIENCE_MAX = 16;
