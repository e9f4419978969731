import { type NarrowTerm, termsOf } from '../../domain/rules/messages/narrow.ts';
import { isSpectator } from '../../domain/rules/people/spectators.ts';
import type { ContentBit } from '../../domain/rules/search/message-contents.ts';
import { textSearch } from '../../domain/rules/search/text-search.ts';
import { isGuest } from '../../domain/wire/roles.ts';
import type { Reads } from '../access/groups.ts';
import { canRead } from '../indexes/message-access.ts';
import { decisionsOf } from '../indexes/user-topics.ts';
import { maybeMatching } from './candidates.ts';
import { firstUnreadTerms, not, resolved } from './narrow-terms.ts';
import type { MatchSet, MessageTest, NarrowRequest, SourceTest, Term, TopicTest } from './term.ts';

/** The conversations that can have a match: one, those that pass the tests, or any. */
export type SearchedConversations = { readonly recipientId: number } | 'tested' | 'all' | 'none';

/**
 * A narrow, compiled: its names are resolved, and every message that passes all tests matches. The
 * other fields narrow the search.
 */
export interface CompiledNarrow {
  readonly sourceTests: readonly SourceTest[];
  readonly messageTests: readonly MessageTest[];
  /**
   * True if it includes messages that the user may read and never received (reference/endpoints.md
   * 2.1).
   */
  readonly isFullHistory: boolean;
  /** Each of these sets has every match, by an index of its own. */
  readonly sets: readonly MatchSet[];
  /** Contents that no match has. */
  readonly lacking: readonly ContentBit[];
  /**
   * True if `sets` has the user's own marks, which may be on messages outside of the places below.
   */
  readonly areOwnMarks: boolean;
  readonly isUnread: boolean;
  readonly isRead: boolean;
  /** True if a channel or conversation is named: everything else is excluded. */
  readonly isOnePlace: boolean;
  /** Key of the only topic that matches. */
  readonly topic: string | undefined;
  /**
   * Returns the topics of a channel that have every match in it; null if the channel has to be read
   * as a whole.
   */
  keysIn(channelId: number): readonly string[] | null;
  /** Test whether a topic may have a match, for when all topics of a channel are listed. */
  readonly topicTests: readonly TopicTest[];
  /** The number of searches of each text. */
  readonly textSearchCount: number;
  /** Returns the channels that can have a match. */
  channelIds(): Iterable<number>;
  readonly conversations: SearchedConversations;
  /** The senders of all matches. */
  readonly senderIds: readonly number[];
}

/**
 * Resolves the terms. Refuses a channel or user that does not exist, or that the user may not know
 * of.
 */
export function compileNarrow(
  tx: Reads,
  request: NarrowRequest,
  isForFirstUnread: boolean,
): CompiledNarrow {
  const context = { ...request, decisions: decisionsOf(tx, request.user.id) };
  const terms = [
    ...replacedByWith(tx, request).map((term) => resolved(tx, context, term)),
    ...(isForFirstUnread ? firstUnreadTerms(tx, context) : []),
  ];
  const positive = terms.filter((term) => !term.isNegated);
  const only = <Name extends 'channelId' | 'recipientId' | 'topic'>(name: Name) =>
    positive.find((term) => term[name] !== undefined)?.[name];
  const channelId = only('channelId');
  const recipientId = only('recipientId');
  const isOwn = isForFirstUnread || request.narrow.some(asksForOwn);
  const areAllPublic =
    positive.some((term) => term.isAllPublic) &&
    (!isGuest(request.user.role) || isSpectator(request.user));
  const areOwnMarks = positive.some((term) => term.isOwnMark);
  const isFullHistory = areOwnMarks || (!isOwn && (channelId !== undefined || areAllPublic));
  const userId = request.user.id;
  const keysIn = keysOf(terms);
  return {
    sourceTests: [
      ...terms.flatMap(({ source, isNegated }) =>
        source === undefined ? [] : [isNegated ? not(source) : source],
      ),
      ({ channelId: id }) => id === null || keysIn(id)?.length !== 0,
    ],
    messageTests: terms.flatMap(({ message, isNegated }) =>
      message === undefined ? [] : [isNegated ? not(message) : message],
    ),
    isFullHistory,
    sets: [
      ...positive.flatMap(({ set }) => (set === undefined ? [] : [set])),
      ...textSets(tx, request.narrow),
    ],
    lacking: terms.flatMap(({ content, isNegated }) =>
      content === undefined || !isNegated ? [] : [content],
    ),
    areOwnMarks,
    isUnread: positive.some((term) => term.isUnread),
    isRead: terms.some((term) => term.isUnread && term.isNegated),
    isOnePlace: channelId !== undefined || recipientId !== undefined,
    topic: only('topic'),
    keysIn,
    topicTests: terms.flatMap(({ mayHold }) => (mayHold === undefined ? [] : [mayHold])),
    textSearchCount: termsOf(request.narrow, 'search').length,
    *channelIds() {
      if (positive.some((term) => term.isDirect)) return;
      if (channelId !== undefined) yield channelId;
      else if (areAllPublic && isFullHistory) for (const [id] of tx.channels.keys({})) yield id;
      else for (const [, id] of tx.userChannels.keysUnder([userId])) yield id;
    },
    conversations: conversationsOf(terms, recipientId),
    senderIds: positive.flatMap(({ senderId }) => (senderId === undefined ? [] : [senderId])),
  };
}

function conversationsOf(
  terms: readonly Term[],
  recipientId: number | undefined,
): SearchedConversations {
  const isNone = ({ isNegated, isInChannel, isAnyDirect }: Term) =>
    isNegated ? isAnyDirect : isInChannel;
  if (terms.some(isNone)) return 'none';
  if (recipientId !== undefined) return { recipientId };
  const isTested = ({ isNegated, isDirect, isAnyDirect }: Term) =>
    !isNegated && isDirect && !isAnyDirect;
  return terms.some(isTested) ? 'tested' : 'all';
}

/**
 * Returns the set of messages that may match all searches at once, since one message has to match
 * them.
 */
function textSets(tx: Reads, narrow: readonly NarrowTerm[]): MatchSet[] {
  const searches = termsOf(narrow, 'search').filter(({ negated }) => !negated);
  if (searches.length === 0) return [];
  const { termTests } = textSearch(searches.map(({ operand }) => operand));
  return termTests.length === 0 ? [] : [{ all: maybeMatching(tx, termTests) }];
}

/** Intersects the topics that the terms leave of a channel, as far as they know them. */
function keysOf(terms: readonly Term[]): CompiledNarrow['keysIn'] {
  const known = new Map<number, readonly string[] | null>();
  return (channelId) => {
    const before = known.get(channelId);
    if (before !== undefined) return before;
    let keys: readonly string[] | null = null;
    for (const { keysIn } of terms) {
      const own = keysIn?.(channelId) ?? null;
      if (own !== null) keys = keys === null ? own : keys.filter((key) => own.includes(key));
    }
    // Negated terms are not tested here: to find out who else wrote in a topic takes longer than to
    // open it.
    for (const { mayHold, isNegated } of terms) {
      if (!isNegated && mayHold !== undefined)
        keys = keys?.filter((key) => mayHold(channelId, key)) ?? null;
    }
    known.set(channelId, keys);
    return keys;
  };
}

/**
 * "`with` replaces channel/topic/dm terms by the conversation holding that message; no effect when
 * inaccessible."
 */
function replacedByWith(tx: Reads, { user, narrow }: NarrowRequest): readonly NarrowTerm[] {
  const term = narrow.find(({ operator }) => operator === 'with');
  if (term?.operator !== 'with' || term.negated) return narrow;
  const others = narrow.filter(({ operator }) => operator !== 'with');
  const row = tx.messages.get([term.operand]);
  if (row === undefined || !canRead(tx, user, row)) return others;
  const kept = others.filter(({ operator }) => !REPLACED.has(operator));
  if (row.channelId === null) {
    const operand = tx.conversations.get([row.recipientId])?.userIds ?? [];
    return [...kept, { operator: 'dm', operand, negated: false }];
  }
  return [
    ...kept,
    { operator: 'channel', operand: row.channelId, negated: false },
    { operator: 'topic', operand: row.topic, negated: false },
  ];
}

const REPLACED: ReadonlySet<string> = new Set(['channel', 'topic', 'dm']);

/** "Any `is:` term other than `resolved`/`followed` returns to own messages." */
const asksForOwn = ({ operator, operand }: NarrowTerm) =>
  operator === 'is' && operand !== 'resolved' && operand !== 'followed';
