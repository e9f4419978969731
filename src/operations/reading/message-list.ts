import { type CacheKey, cacheKeyOf } from '../../../storage/cache/row-map.ts';
import type { Key } from '../../../storage/key.ts';
import type { TableReader } from '../../../storage/table.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmReader } from '../../../storage/transaction.ts';
import { inOrder } from '../../domain/ascending.ts';
import { FETCHED_READ_BYTES_MAX, MESSAGES_PER_FETCH_MAX } from '../../domain/limits/messages.ts';
import type { NarrowTerm } from '../../domain/rules/messages/narrow.ts';
import { isSpectator } from '../../domain/rules/people/spectators.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import { refuseUnlessWebPublic } from '../access/spectators.ts';
import { bitsOf } from '../indexes/flag-reads.ts';
import { AFTER_LAST_ID } from '../indexes/ids/iterators.ts';
import { canRead, readable, received } from '../indexes/message-access.ts';
import { openSearch, type Search, type Selected } from '../search/message-search.ts';
import { type EncodedMessage, encodedMessages } from './encoded-messages.ts';
import {
  type ListRequest,
  listedMessages,
  type MessageFormat,
  matchFinder,
  messageMaker,
  type SearchMatch,
} from './listed-messages.ts';
import { openBudget, pageAround, type Sized } from './message-pages.ts';

/** The position of a list of messages, in the client's words (reference/endpoints.md 2.1). */
export type Anchor = number | 'newest' | 'oldest' | 'first_unread';

export interface Range {
  readonly user: UserRow;
  readonly site: Site;
  readonly narrow: readonly NarrowTerm[];
  readonly anchor: Anchor;
  readonly includeAnchor: boolean;
  readonly numBefore: number;
  readonly numAfter: number;
}

export interface FoundRange {
  /** Ascending. */
  readonly rows: readonly MessageRow[];
  readonly anchor: number;
  readonly isAnchorFound: boolean;
  readonly isOldestFound: boolean;
  readonly isNewestFound: boolean;
}

export interface MessageList<Message> {
  readonly messages: readonly Message[];
  readonly found_anchor: boolean;
  readonly found_oldest: boolean;
  readonly found_newest: boolean;
  readonly history_limited: boolean;
  readonly anchor?: number;
}

/** Returns the messages around an anchor. */
export const fetchMessages = (reader: RealmReader, request: RangeRequest): MessageList<object> =>
  page(reader, request, listedMessages);

/** Returns the same messages, each as JSON. */
export const fetchEncoded = (
  reader: RealmReader,
  request: RangeRequest,
): MessageList<EncodedMessage> => page(reader, request, encodedMessages);

type RangeRequest = Range & MessageFormat;

/** Opens what makes the messages of a list, of which these are the rows, in order. */
type Maker<Message> = (
  tx: Reads,
  rows: readonly MessageRow[],
  request: ListRequest & { readonly narrow: readonly NarrowTerm[] },
) => (row: MessageRow) => Message;

function page<Message extends Sized>(
  reader: RealmReader,
  request: RangeRequest,
  maker: Maker<Message>,
): MessageList<Message> {
  if (isSpectator(request.user)) refuseUnlessWebPublic(reader, request.narrow);
  refuseTooMany(request.numBefore + request.numAfter);
  const tx = remembering(reader);
  const found = findRange(tx, request);
  const { messages, isCutBefore, isCutAfter } = pageAround(maker(tx, found.rows, request), found);
  return {
    messages,
    found_anchor: found.isAnchorFound,
    found_oldest: found.isOldestFound && !isCutBefore,
    found_newest: found.isNewestFound && !isCutAfter,
    history_limited: false,
    anchor: found.anchor,
  };
}

export interface ById extends ListRequest {
  readonly narrow: readonly NarrowTerm[];
  readonly messageIds: readonly number[];
}

/**
 * Returns those of the named messages that the user may read and that the narrow selects. Too many
 * bytes for one answer are refused: messages left out would seem not to be readable.
 */
export const fetchMessagesById = (reader: RealmReader, request: ById): MessageList<object> =>
  named(reader, request, listedMessages);

/** Returns the same messages, each as JSON. */
export const fetchEncodedById = (reader: RealmReader, request: ById): MessageList<EncodedMessage> =>
  named(reader, request, encodedMessages);

function named<Message extends Sized>(
  reader: RealmReader,
  request: ById,
  maker: Maker<Message>,
): MessageList<Message> {
  if (isSpectator(request.user)) refuseUnlessWebPublic(reader, request.narrow);
  refuseTooMany(request.messageIds.length);
  const tx = remembering(reader);
  const search = openSearch(tx, { ...request, among: 'readable' });
  const budget = openBudget();
  const rows: MessageRow[] = [];
  for (const id of inOrder(request.messageIds)) {
    const row = tx.messages.get([id]);
    if (row === undefined) continue;
    budget.read(search.costOf(row));
    if (canRead(tx, request.user, row) && search.matches(row)) rows.push(row);
  }
  const make = maker(tx, rows, request);
  return {
    messages: rows.map((row) => budget.written(make(row))),
    found_anchor: false,
    found_oldest: false,
    found_newest: false,
    history_limited: false,
  };
}

interface One extends ListRequest {
  readonly messageId: number;
}

/** Returns one message, and its source. */
export function fetchMessage(reader: RealmReader, request: One) {
  const row = readableByCaller(reader, request);
  return { message: messageMaker(reader, request)(row), raw_content: row.content };
}

function readableByCaller(reader: RealmReader, { user, messageId }: One): MessageRow {
  const row = reader.messages.get([messageId]);
  // A spectator may be able to see it after logging in.
  if (isSpectator(user) && (row === undefined || !canRead(reader, user, row))) {
    throw errors.unauthorized();
  }
  return readable(reader, user, messageId);
}

/** Finds the rows of a range. It only reads, so that a change of flags can use it too. */
export function findRange(tx: Reads, request: Range): FoundRange {
  const { includeAnchor, numBefore, numAfter } = request;
  if (!includeAnchor && numBefore > 0 && numAfter > 0) {
    throw errors.badRequest('The anchor can only be excluded at an end of the range');
  }
  const search = openSearch(tx, request);
  const anchor = anchorOf(tx, request);
  const isAtOldest = anchor <= 0;
  const isAtNewest = anchor >= AFTER_LAST_ID;
  const isAround = !isAtOldest && !isAtNewest && numBefore > 0 && numAfter > 0;
  const before = isAtOldest
    ? NONE
    : search.select({
        from: anchor - 1,
        direction: -1,
        limit: numBefore,
        bytesMax: isAround ? FETCHED_READ_BYTES_MAX / 2 : FETCHED_READ_BYTES_MAX,
      });
  const after = isAtNewest
    ? NONE
    : search.select({
        from: anchor + 1,
        direction: 1,
        limit: numAfter,
        bytesMax: FETCHED_READ_BYTES_MAX - before.bytesRead,
      });
  const middle = includeAnchor ? atAnchor(tx, search, anchor) : [];
  return {
    rows: [...before.rows.toReversed(), ...middle, ...after.rows],
    anchor,
    isAnchorFound: middle.length > 0,
    isOldestFound: isAtOldest || (!before.isCut && before.rows.length < numBefore),
    isNewestFound: isAtNewest || (!after.isCut && after.rows.length < numAfter),
  };
}

const NONE: Selected = { rows: [], isCut: false, bytesRead: 0 };

function anchorOf(tx: Reads, { anchor, ...request }: Range): number {
  if (anchor === 'oldest') return 0;
  if (anchor === 'newest') return AFTER_LAST_ID;
  if (anchor !== 'first_unread') return Math.min(Math.max(anchor, 0), AFTER_LAST_ID);
  const unread = openSearch(tx, { ...request, among: 'firstUnread' });
  const { rows } = unread.select({ from: 0, direction: 1, limit: 1 });
  return rows[0]?.id ?? AFTER_LAST_ID;
}

function atAnchor(tx: Reads, search: Search, anchor: number): MessageRow[] {
  const row = tx.messages.get([anchor]);
  return row !== undefined && search.matches(row) ? [row] : [];
}

export interface MatchingIds {
  readonly user: UserRow;
  readonly site: Site;
  readonly narrow: readonly NarrowTerm[];
  readonly messageIds: readonly number[];
}

/**
 * Returns the matches of a narrow among messages that the user received or marked
 * (reference/endpoints.md 1.7). A client asks whether to show messages that it just got, so too
 * many bytes for one answer are refused, and not left out.
 */
export function matchesOf(reader: RealmReader, request: MatchingIds): Record<string, SearchMatch> {
  const { user, messageIds } = request;
  refuseTooMany(messageIds.length);
  const tx = remembering(reader);
  const search = openSearch(tx, { ...request, among: 'readable' });
  const match = matchFinder({ narrow: request.narrow, allowEmptyTopicName: false });
  const budget = openBudget();
  const matches: Record<string, SearchMatch> = {};
  for (const id of new Set(messageIds)) {
    const row = tx.messages.get([id]);
    if (row === undefined || !hasCopy(tx, user.id, row)) continue;
    budget.read(search.costOf(row));
    if (canRead(tx, user, row) && search.matches(row)) matches[id] = budget.written(match(row));
  }
  return matches;
}

/** Tests for a message that was "received or starred": a marked one has flags of its own. */
const hasCopy = (tx: Reads, userId: number, row: MessageRow) =>
  received(tx, userId, row) || bitsOf(tx, userId, row.id) !== 0;

function refuseTooMany(count: number) {
  if (count > MESSAGES_PER_FETCH_MAX) {
    throw errors.badRequest(`Too many messages requested (maximum ${MESSAGES_PER_FETCH_MAX}).`);
  }
}

/**
 * Returns a reader that caches the rows which every message of a list needs (its sender, its
 * channel, the realm). It is valid within one synchronous step that writes none of them.
 */
export const remembering = (tx: Reads): Reads => ({
  ...tx,
  users: remembered(tx.users),
  channels: remembered(tx.channels),
  subscriptions: remembered(tx.subscriptions),
  conversations: remembered(tx.conversations),
  userConversations: remembered(tx.userConversations),
  realm: remembered(tx.realm),
  sequences: remembered(tx.sequences),
});

function remembered<K extends Key, R extends object>(table: TableReader<K, R>): TableReader<K, R> {
  const rows = new Map<CacheKey, R | null>();
  return {
    ...table,
    get(key) {
      const cacheKey = cacheKeyOf(key);
      let row = rows.get(cacheKey);
      if (row === undefined) {
        row = table.get(key) ?? null;
        rows.set(cacheKey, row);
      }
      return row ?? undefined;
    },
  };
}
