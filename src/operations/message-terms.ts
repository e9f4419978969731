import type { ChannelRow } from '../../storage/tables/channels.ts';
import type { MessageRow } from '../../storage/tables/messages.ts';
import type { UserRow } from '../../storage/tables/users.ts';
import * as errors from '../domain/errors.ts';
import { FlagBit } from '../domain/flags.ts';
import { hasAttachment, hasImage, hasLink } from '../domain/message-contents.ts';
import { type NarrowTerm, type NarrowTermOf, termsOf } from '../domain/narrow.ts';
import { type Intervals, isUnreadIn } from '../domain/read-state.ts';
import { isGuest } from '../domain/roles.ts';
import { isSpectator } from '../domain/spectators.ts';
import { textSearch } from '../domain/text-search.ts';
import { isResolvedTopic, normalizeTopic, topicKey } from '../domain/topic.ts';
import type { Place } from './caller.ts';
import { byName, hasMetadataAccess } from './channel-access.ts';
import * as conversations from './conversations.ts';
import type { Reads } from './groups.ts';
import { type IdSet, indexed, listed, union } from './id-walks.ts';
import { canRead, readStateOf, received, WILDCARD_INDEX } from './message-access.ts';
import type { Read } from './read-walks.ts';
import { maybeMatching } from './search-walks.ts';
import * as userAccess from './user-access.ts';
import { type Decisions, decisionsOf, followedTopics, Policy, policyOf } from './user-topics.ts';

/** A channel or a direct conversation that is searched. */
export interface Source extends Read {
  readonly isPublic: boolean;
  readonly isWebPublic: boolean;
  readonly isSubscribed: boolean;
  readonly isMuted: boolean;
  /** The people of a conversation. */
  readonly userIds: readonly number[];
  /** Which of its messages are searched. */
  readonly searched: Intervals;
}

export type SourceTest = (source: Source) => boolean;
export type MessageTest = (row: MessageRow, source: Source, bits: () => number) => boolean;

/** A narrow with its names resolved: every message that passes all tests matches. The rest says where to look. */
export interface Narrowed {
  readonly sourceTests: readonly SourceTest[];
  readonly messageTests: readonly MessageTest[];
  /** Whether messages count that the user may read and never received (reference/endpoints.md 2.1). */
  readonly isFullHistory: boolean;
  /** Each holds every match, by an index of its own. */
  readonly sets: readonly IdSet[];
  /** `sets` has the user's own marks, which may be on messages outside what is listed below. */
  readonly areOwnMarks: boolean;
  readonly isUnread: boolean;
  readonly isRead: boolean;
  /** Key of the only topic that matches. */
  readonly topic: string | undefined;
  readonly isResolved: boolean;
  /** How often each text is looked through. */
  readonly textSearchCount: number;
  /** The channels and conversations that can hold a match. */
  channelIds(): Iterable<number>;
  recipientIds(): Iterable<number>;
}

interface Asker {
  readonly user: UserRow;
  readonly place: Place;
  readonly narrow: readonly NarrowTerm[];
}

/** An asker, with what was decided about topics. */
interface Asking extends Asker {
  readonly decisions: Decisions;
}

/** Resolved topics of a channel that are walked one by one; where there are more, the whole channel is. */
const RESOLVED_TOPICS_MAX = 64;
/** Followed topics that are walked one by one; where there are more, everything is. */
const FOLLOWED_TOPICS_MAX = 128;

/** Resolves the terms. Refuses a channel or user that does not exist, or that the user may not know of. */
export function narrowed(tx: Reads, asker: Asker, isForFirstUnread: boolean): Narrowed {
  const asking = { ...asker, decisions: decisionsOf(tx, asker.user.id) };
  const terms = [
    ...replacedByWith(tx, asker).map((term) => resolved(tx, asking, term)),
    ...(isForFirstUnread ? firstUnreadTerms(tx, asking) : []),
  ];
  const wanted = terms.filter((term) => !term.isNegated);
  const only = <Name extends 'channelId' | 'recipientId' | 'topic'>(name: Name) =>
    wanted.find((term) => term[name] !== undefined)?.[name];
  const channelId = only('channelId');
  const recipientId = only('recipientId');
  const isOwn = isForFirstUnread || asker.narrow.some(asksForOwn);
  const areAllPublic =
    wanted.some((term) => term.isAllPublic) &&
    (!isGuest(asker.user.role) || isSpectator(asker.user));
  const areOwnMarks = wanted.some((term) => term.isOwnMark);
  const isFullHistory = areOwnMarks || (!isOwn && (channelId !== undefined || areAllPublic));
  const userId = asker.user.id;
  return {
    sourceTests: terms.flatMap(({ source, sourceHint, isNegated }) => [
      ...(source === undefined ? [] : [isNegated ? not(source) : source]),
      ...(sourceHint === undefined || isNegated ? [] : [sourceHint]),
    ]),
    messageTests: terms.flatMap(({ message, isNegated }) =>
      message === undefined ? [] : [isNegated ? not(message) : message],
    ),
    isFullHistory,
    sets: [
      ...wanted.flatMap(({ set }) => (set === undefined ? [] : [set])),
      ...textSets(tx, asker.narrow),
    ],
    areOwnMarks,
    isUnread: wanted.some((term) => term.isUnread),
    isRead: terms.some((term) => term.isUnread && term.isNegated),
    topic: only('topic'),
    isResolved: wanted.some((term) => term.isResolved),
    textSearchCount: termsOf(asker.narrow, 'search').length,
    *channelIds() {
      if (wanted.some((term) => term.isDirect)) return;
      if (channelId !== undefined) yield channelId;
      else if (areAllPublic && isFullHistory) for (const [id] of tx.channels.keys({})) yield id;
      else for (const [, id] of tx.userChannels.keysUnder([userId])) yield id;
    },
    *recipientIds() {
      if (wanted.some((term) => term.isInChannel)) return;
      if (recipientId !== undefined) yield recipientId;
      else for (const [, id] of tx.userConversations.keysUnder([userId])) yield id;
    },
  };
}

/** All that is searched for at once, as one message has to have it. */
function textSets(tx: Reads, narrow: readonly NarrowTerm[]): IdSet[] {
  const searches = termsOf(narrow, 'search').filter(({ negated }) => !negated);
  const { termTests } = textSearch(searches.map(({ operand }) => operand));
  return termTests.length === 0 ? [] : [maybeMatching(tx, termTests)];
}

/** The topics of a channel that hold every match in it; null when the channel has to be walked. */
export function topicIndex(
  tx: Reads,
  channelId: number,
  { topic, isResolved }: Pick<Narrowed, 'topic' | 'isResolved'>,
): string[] | null {
  if (topic !== undefined) return [topic];
  if (!isResolved) return null;
  const range = { start: [channelId, RESOLVED_FIRST], end: [channelId, RESOLVED_END] };
  const keys = Array.from(
    tx.topics.keys({ ...range, limit: RESOLVED_TOPICS_MAX + 1 }),
    ([, key]) => key,
  );
  return keys.length > RESOLVED_TOPICS_MAX ? null : keys;
}

const RESOLVED_FIRST = '✔ ';
/** The character after the space. */
const RESOLVED_END = '✔!';

/** A term is about where messages are, or about each message; never both. */
interface Term {
  readonly isNegated: boolean;
  readonly source?: SourceTest;
  readonly message?: MessageTest;
  /** Of a term about messages: false where none of them can be, so that a whole channel is passed over. */
  readonly sourceHint?: SourceTest;
  readonly set?: IdSet;
  readonly channelId?: number;
  readonly recipientId?: number;
  readonly topic?: string;
  readonly isInChannel?: boolean;
  readonly isDirect?: boolean;
  readonly isAllPublic?: boolean;
  readonly isOwnMark?: boolean;
  readonly isUnread?: boolean;
  readonly isResolved?: boolean;
}

const not =
  <Values extends unknown[]>(test: (...values: Values) => boolean) =>
  (...values: Values) =>
    !test(...values);

/** "Any `is:` term other than `resolved`/`followed` returns to own messages." */
const asksForOwn = ({ operator, operand }: NarrowTerm) =>
  operator === 'is' && operand !== 'resolved' && operand !== 'followed';

function firstUnreadTerms(tx: Reads, asker: Asking): Term[] {
  const { user, narrow } = asker;
  const names = (name: NarrowTerm['operator']) =>
    narrow.some(({ operator, negated }) => operator === name && !negated);
  const unread: Term = { isNegated: false, message: isUnreadFor(tx, user), isUnread: true };
  const subscribed: Term = { isNegated: false, source: ({ isSubscribed }) => isSubscribed };
  // Who asks for one topic wants to read it, muted or not.
  if (names('topic')) return [unread, subscribed];
  if (!names('channel')) return [unread, subscribed, { isNegated: false, ...heard(tx, asker) }];
  // Who asks for one channel may have muted it, but not for the sake of the topics that were muted in it.
  const message: MessageTest = ({ channelId, topic }) =>
    channelId === null || policyOf(tx, user.id, { channelId, topic }) !== Policy.muted;
  return [unread, subscribed, { isNegated: false, message }];
}

/** What is muted neither by its topic nor by its channel. */
function heard(tx: Reads, { user, decisions }: Asking): Meaning {
  const message: MessageTest = ({ channelId, topic }) =>
    channelId === null || !decisions.isMuted(channelId, topicKey(topic));
  const sourceHint: SourceTest = ({ channelId, isMuted }) =>
    !isMuted || channelId === null || hasHeardTopics(tx, user.id, channelId);
  return { message, sourceHint };
}

/** Whether something counts although its channel is muted. */
function hasHeardTopics(tx: Reads, userId: number, channelId: number): boolean {
  for (const [, { policy }] of tx.userTopics.under([userId, channelId])) {
    if (policy !== Policy.muted) return true;
  }
  return false;
}

/** "`with` replaces channel/topic/dm terms by the conversation holding that message; no effect when inaccessible." */
function replacedByWith(tx: Reads, { user, narrow }: Asker): readonly NarrowTerm[] {
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

function resolved(tx: Reads, asker: Asking, term: NarrowTerm): Term {
  const isNegated = term.negated;
  switch (term.operator) {
    case 'channel': {
      const { id } = channelNamed(tx, asker, term.operand);
      const source: SourceTest = ({ channelId }) => channelId === id;
      return { isNegated, source, channelId: id, isInChannel: true };
    }
    case 'channels': {
      const isPublic = term.operand === 'public';
      const source: SourceTest = (it) => (isPublic ? it.isPublic : it.isWebPublic);
      // Those who are not logged in received nothing: all that they may read is searched.
      return {
        isNegated,
        source,
        isInChannel: true,
        isAllPublic: isPublic || isSpectator(asker.user),
      };
    }
    case 'topic': {
      const key = topicKey(normalizeTopic(term.operand));
      const message: MessageTest = (row) => row.channelId !== null && topicKey(row.topic) === key;
      return { isNegated, message, topic: key, isInChannel: true };
    }
    case 'dm':
      return { isNegated, ...withExactly(tx, asker, term.operand) };
    case 'dm-including':
      return { isNegated, ...withSomeone(userNamed(tx, asker, term.operand)) };
    case 'group-pm-with':
      return { isNegated, ...inGroupWith(userNamed(tx, asker, term.operand)) };
    case 'sender': {
      const { id } = userNamed(tx, asker, term.operand);
      const set = indexed(tx.senderMessages, [id]);
      return { isNegated, message: (row) => row.senderId === id, set };
    }
    case 'id': {
      const id = term.operand;
      return { isNegated, message: (row) => row.id === id, set: listed([id]) };
    }
    case 'in':
      return { isNegated, ...(term.operand === 'all' ? ANYTHING : heard(tx, asker)) };
    case 'with':
      return { isNegated, message: sameConversation(tx, asker, term.operand) };
    case 'near':
      return { isNegated };
    case 'is':
      return { isNegated, ...marked(tx, asker, term) };
    case 'has':
      return { isNegated, message: HOLDING[term.operand] };
    case 'search': {
      const search = textSearch([term.operand]);
      return { isNegated, message: (row) => search.matches(row) };
    }
  }
}

const ANYTHING: Meaning = { message: () => true };

const HOLDING: Readonly<Record<NarrowTermOf<'has'>['operand'], MessageTest>> = {
  attachment: ({ renderedContent }) => hasAttachment(renderedContent),
  image: ({ renderedContent }) => hasImage(renderedContent),
  link: ({ renderedContent }) => hasLink(renderedContent),
  reaction: ({ hasReactions }) => hasReactions,
};

type Meaning = Omit<Term, 'isNegated'>;

function marked(tx: Reads, asker: Asking, { operand }: NarrowTermOf<'is'>): Meaning {
  const { user } = asker;
  const has =
    (bit: number): MessageTest =>
    (_row, _source, bits) =>
      (bits() & bit) !== 0;
  switch (operand) {
    case 'dm':
      return { source: ({ channelId }) => channelId === null, isDirect: true };
    case 'starred': {
      const set = indexed(tx.flaggedMessages, [user.id, FlagBit.starred]);
      return { message: has(FlagBit.starred), set, isOwnMark: true };
    }
    case 'unread':
      return { message: isUnreadFor(tx, user), isUnread: true };
    case 'mentioned':
      return {
        message: isMentioned(tx, user),
        set: union([
          indexed(tx.flaggedMessages, [user.id, FlagBit.mentioned]),
          indexed(tx.flaggedMessages, [user.id, FlagBit.topic_wildcard_mentioned]),
          indexed(tx.flaggedMessages, WILDCARD_INDEX),
        ]),
      };
    case 'alerted':
      return {
        message: has(FlagBit.has_alert_word),
        set: indexed(tx.flaggedMessages, [user.id, FlagBit.has_alert_word]),
      };
    case 'resolved': {
      const message: MessageTest = (row) => row.channelId !== null && isResolvedTopic(row.topic);
      return { message, isInChannel: true, isResolved: true };
    }
    case 'followed':
      return followed(tx, asker);
    case 'muted':
      return {
        message: ({ channelId, topic }) =>
          channelId !== null && asker.decisions.isMuted(channelId, topicKey(topic)),
      };
  }
}

function followed(tx: Reads, { user, decisions }: Asking): Meaning {
  const topics = [...followedTopics(tx, user.id)];
  const message: MessageTest = ({ channelId, topic }) =>
    channelId !== null && decisions.isFollowed(channelId, topicKey(topic));
  if (topics.length > FOLLOWED_TOPICS_MAX) return { message, isInChannel: true };
  const set = union(topics.map((topic) => indexed(tx.topicMessages, topic)));
  return { message, set, isInChannel: true };
}

const isUnreadFor =
  (tx: Reads, user: UserRow): MessageTest =>
  (row, source, bits) =>
    isUnreadIn(row.homeChannelId === null ? source : readStateOf(tx, user.id, row), row.id, bits());

/** "`mentioned` (any kind)". */
const isMentioned =
  (tx: Reads, user: UserRow): MessageTest =>
  (row, _source, bits) =>
    (bits() & (FlagBit.mentioned | FlagBit.topic_wildcard_mentioned)) !== 0 ||
    (row.hasChannelWildcard && received(tx, user.id, row));

/** A channel that the user may know of; any other one is as good as none. */
function channelNamed(tx: Reads, { user }: Asker, operand: string | number): ChannelRow {
  const channel = typeof operand === 'number' ? tx.channels.get([operand]) : byName(tx, operand);
  const subscription =
    channel === undefined ? undefined : tx.subscriptions.get([channel.id, user.id]);
  if (channel === undefined || !hasMetadataAccess(tx, { user, channel, subscription })) {
    throw errors.badNarrow(`unknown channel ${operand}`);
  }
  return channel;
}

/** A user whom the asker may name like this; any other one is as good as none. */
function userNamed(tx: Reads, { user: asker, place }: Asker, operand: string | number): UserRow {
  const user = userAccess.named(tx, { user: asker, place }, operand);
  if (user === undefined) throw errors.badNarrow(`unknown user ${operand}`);
  return user;
}

/** The conversation of exactly these people; whoever asks need not be named. */
function withExactly(
  tx: Reads,
  asker: Asker,
  operand: readonly number[] | readonly string[],
): Meaning {
  const people = operand.map((name) => userNamed(tx, asker, name).id);
  const recipientId = conversations.find(tx, [asker.user.id, ...people]) ?? NO_CONVERSATION;
  const source: SourceTest = (it) => it.channelId === null && it.recipientId === recipientId;
  return { source, recipientId, isDirect: true };
}

/** They have not written to each other yet. */
const NO_CONVERSATION = 0;

const withSomeone = ({ id }: UserRow): Meaning => ({
  source: ({ channelId, userIds }) => channelId === null && userIds.includes(id),
  isDirect: true,
});

const inGroupWith = ({ id }: UserRow): Meaning => ({
  source: ({ channelId, userIds }) =>
    channelId === null && userIds.length > GROUP_LENGTH_MIN - 1 && userIds.includes(id),
  isDirect: true,
});

/** Two people write to each other alone. */
const GROUP_LENGTH_MIN = 3;

/** What a negated `with` leaves out; nothing when its message cannot be read. */
function sameConversation(tx: Reads, { user }: Asker, messageId: number): MessageTest {
  const named = tx.messages.get([messageId]);
  if (named === undefined || !canRead(tx, user, named)) return () => false;
  return (row) =>
    row.recipientId === named.recipientId && topicKey(row.topic) === topicKey(named.topic);
}
