import type { RealmReader } from '../../storage/realm-store.ts';
import type { Key, TableReader } from '../../storage/table.ts';
import type { MessageRow } from '../../storage/tables/messages.ts';
import type { UserRow } from '../../storage/tables/users.ts';
import * as errors from '../domain/errors.ts';
import { flagNames } from '../domain/flags.ts';
import { MESSAGES_PER_FETCH_MAX } from '../domain/limits.ts';
import type { NarrowTerm } from '../domain/narrow.ts';
import { formOf, messageInForm } from '../events/for-client.ts';
import type { Place } from './caller.ts';
import type { Reads } from './groups.ts';
import { AFTER_LAST_ID } from './id-walks.ts';
import { canRead, flagsOf, readable } from './message-access.ts';
import { openSearch, type Search } from './message-search.ts';
import { richMessage } from './messages.ts';

/** Where a list of messages is, as a client says it (reference/endpoints.md 2.1). */
export type Anchor = number | 'newest' | 'oldest' | 'first_unread';

export interface Range {
  readonly user: UserRow;
  readonly place: Place;
  readonly narrow: readonly NarrowTerm[];
  readonly anchor: Anchor;
  readonly includeAnchor: boolean;
  readonly numBefore: number;
  readonly numAfter: number;
}

/** How the client wants its messages. */
export interface MessageForm {
  readonly applyMarkdown: boolean;
  readonly clientGravatar: boolean;
  readonly allowEmptyTopicName: boolean;
}

export interface FoundRange {
  /** Ascending. */
  readonly rows: readonly MessageRow[];
  readonly anchor: number;
  readonly isAnchorFound: boolean;
  readonly isOldestFound: boolean;
  readonly isNewestFound: boolean;
}

export interface MessageList {
  readonly messages: readonly object[];
  readonly found_anchor: boolean;
  readonly found_oldest: boolean;
  readonly found_newest: boolean;
  readonly history_limited: boolean;
  readonly anchor?: number;
}

/** The messages around an anchor. */
export function fetchMessages(reader: RealmReader, request: Range & MessageForm): MessageList {
  if (request.numBefore + request.numAfter > MESSAGES_PER_FETCH_MAX) {
    throw errors.badRequest(`Too many messages requested (maximum ${MESSAGES_PER_FETCH_MAX}).`);
  }
  const tx = remembering(reader);
  const found = findRange(tx, request);
  return {
    messages: found.rows.map((row) => messageObject(tx, row, request)),
    found_anchor: found.isAnchorFound,
    found_oldest: found.isOldestFound,
    found_newest: found.isNewestFound,
    history_limited: false,
    anchor: found.anchor,
  };
}

export interface ById extends MessageForm {
  readonly user: UserRow;
  readonly place: Place;
  readonly narrow: readonly NarrowTerm[];
  readonly messageIds: readonly number[];
}

/** Those of the named messages that the user may read and that the narrow selects. */
export function fetchMessagesById(reader: RealmReader, request: ById): MessageList {
  if (request.messageIds.length > MESSAGES_PER_FETCH_MAX) {
    throw errors.badRequest(`Too many messages requested (maximum ${MESSAGES_PER_FETCH_MAX}).`);
  }
  const tx = remembering(reader);
  const search = openSearch(tx, { ...request, among: 'readable' });
  const ids = [...new Set(request.messageIds)].sort((one, other) => one - other);
  const rows = ids
    .map((id) => tx.messages.get([id]))
    .filter((row) => row !== undefined)
    .filter((row) => canRead(tx, request.user, row) && search.matches(row));
  return {
    messages: rows.map((row) => messageObject(tx, row, request)),
    found_anchor: false,
    found_oldest: false,
    found_newest: false,
    history_limited: false,
  };
}

interface One extends MessageForm {
  readonly user: UserRow;
  readonly place: Place;
  readonly messageId: number;
}

/** One message, and its text as it was written. */
export function fetchMessage(reader: RealmReader, request: One) {
  const row = readable(reader, request.user, request.messageId);
  return { message: messageObject(reader, row, request), raw_content: row.content };
}

/** Finds the rows of a range. Reads only, so a change of flags finds its messages the same way. */
export function findRange(tx: Reads, request: Range): FoundRange {
  const { includeAnchor, numBefore, numAfter } = request;
  if (!includeAnchor && numBefore > 0 && numAfter > 0) {
    throw errors.badRequest('The anchor can only be excluded at an end of the range');
  }
  const search = openSearch(tx, request);
  const anchor = anchorOf(tx, request);
  const isAtOldest = anchor <= 0;
  const isAtNewest = anchor >= AFTER_LAST_ID;
  const before = isAtOldest
    ? []
    : search.select({ from: anchor - 1, direction: -1, limit: numBefore });
  const after = isAtNewest
    ? []
    : search.select({ from: anchor + 1, direction: 1, limit: numAfter });
  const middle = includeAnchor ? atAnchor(tx, search, anchor) : [];
  return {
    rows: [...before.reverse(), ...middle, ...after],
    anchor,
    isAnchorFound: middle.length > 0,
    isOldestFound: isAtOldest || before.length < numBefore,
    isNewestFound: isAtNewest || after.length < numAfter,
  };
}

function anchorOf(tx: Reads, { anchor, ...request }: Range): number {
  if (anchor === 'oldest') return 0;
  if (anchor === 'newest') return AFTER_LAST_ID;
  if (anchor !== 'first_unread') return Math.min(Math.max(anchor, 0), AFTER_LAST_ID);
  const unread = openSearch(tx, { ...request, among: 'firstUnread' });
  const [first] = unread.select({ from: 0, direction: 1, limit: 1 });
  return first?.id ?? AFTER_LAST_ID;
}

function atAnchor(tx: Reads, search: Search, anchor: number): MessageRow[] {
  const row = tx.messages.get([anchor]);
  return row !== undefined && search.matches(row) ? [row] : [];
}

/** A message as a list gives it: as in events, and with the flags of who asks. */
function messageObject(
  tx: Reads,
  row: MessageRow,
  { user, place, ...form }: MessageForm & { user: UserRow; place: Place },
): object {
  const rich = richMessage(tx, row, place);
  const people = rich.display_recipient;
  return {
    ...messageInForm(rich, formBits(form)),
    ...(Array.isArray(people) ? { display_recipient: inListOrder(people) } : {}),
    flags: flagNames(flagsOf(tx, user.id, row)),
  };
}

/** "1:1: sorted by email." */
function inListOrder(people: readonly { readonly email: string }[]) {
  return people.length === 2
    ? people.toSorted((one, other) => (one.email < other.email ? -1 : 1))
    : people;
}

const formBits = ({ applyMarkdown, clientGravatar, allowEmptyTopicName }: MessageForm) =>
  formOf({
    applyMarkdown,
    clientGravatar,
    capabilities: { empty_topic_name: allowEmptyTopicName },
  });

/**
 * Reads the rows that every message of a list needs (its sender, its channel, the realm) once. For one synchronous step
 * that writes none of them.
 */
export const remembering = (tx: Reads): Reads => ({
  ...tx,
  users: remembered(tx.users),
  channels: remembered(tx.channels),
  subscriptions: remembered(tx.subscriptions),
  conversations: remembered(tx.conversations),
  userConversations: remembered(tx.userConversations),
  realm: remembered(tx.realm),
});

function remembered<K extends Key, R extends object>(table: TableReader<K, R>): TableReader<K, R> {
  const rows = new Map<string, R | undefined>();
  return {
    ...table,
    get(key) {
      const name = key.join();
      if (!rows.has(name)) rows.set(name, table.get(key));
      return rows.get(name);
    },
  };
}
