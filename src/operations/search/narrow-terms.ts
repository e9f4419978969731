import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { NarrowTerm, NarrowTermOf } from '../../domain/rules/messages/narrow.ts';
import { isUnreadIn } from '../../domain/rules/messages/read-state.ts';
import { isResolvedTopic, normalizeTopic, topicKey } from '../../domain/rules/messages/topic.ts';
import { isSpectator } from '../../domain/rules/people/spectators.ts';
import {
  ContentBit,
  hasAttachment,
  hasImage,
  hasLink,
} from '../../domain/rules/search/message-contents.ts';
import { textSearch } from '../../domain/rules/search/text-search.ts';
import * as errors from '../../domain/wire/errors.ts';
import { FlagBit } from '../../domain/wire/flags.ts';
import { byName, hasMetadataAccess } from '../access/channel-access.ts';
import type { Reads } from '../access/groups.ts';
import * as userAccess from '../access/user-access.ts';
import { holding } from '../indexes/content-index.ts';
import * as directConversations from '../indexes/direct-conversations.ts';
import { flagged, mentioning } from '../indexes/flag-reads.ts';
import { indexed, listed } from '../indexes/ids/iterators.ts';
import { union } from '../indexes/ids/unions.ts';
import { canRead, readStateOf, received, WILDCARD_INDEX } from '../indexes/message-access.ts';
import { decidedTopics, Policy, policyOf } from '../indexes/user-topics.ts';
import { sentBy } from './sender-lists.ts';
import type {
  MessageTest,
  NarrowContext,
  NarrowRequest,
  SourceTest,
  Term,
  TopicTest,
} from './term.ts';

export const not =
  <Values extends unknown[]>(test: (...values: Values) => boolean) =>
  (...values: Values) =>
    !test(...values);

/**
 * Resolves the names of a term. Refuses a channel or user that does not exist, or that the user may
 * not know of.
 */
export function resolved(tx: Reads, context: NarrowContext, term: NarrowTerm): Term {
  const isNegated = term.negated;
  switch (term.operator) {
    case 'channel': {
      const { id } = channelNamed(tx, context, term.operand);
      const source: SourceTest = ({ channelId }) => channelId === id;
      return { isNegated, source, channelId: id, isInChannel: true };
    }
    case 'channels': {
      const isPublic = term.operand === 'public';
      const source: SourceTest = (it) => (isPublic ? it.isPublic : it.isWebPublic);
      // Spectators received nothing, so all that they may read is searched.
      return {
        isNegated,
        source,
        isInChannel: true,
        isAllPublic: isPublic || isSpectator(context.user),
      };
    }
    case 'topic': {
      const key = topicKey(normalizeTopic(term.operand));
      return {
        isNegated,
        message: (row) => row.channelId !== null && topicKey(row.topic) === key,
        isInChannel: true,
        ...(isNegated ? { mayHold: (_, one) => one !== key } : { topic: key, keysIn: () => [key] }),
      };
    }
    case 'dm':
      return { isNegated, ...withExactly(tx, context, term.operand) };
    case 'dm-including':
      return { isNegated, ...withSomeone(userNamed(tx, context, term.operand)) };
    case 'group-pm-with':
      return { isNegated, ...inGroupWith(userNamed(tx, context, term.operand)) };
    case 'sender': {
      const { id } = userNamed(tx, context, term.operand);
      return {
        isNegated,
        message: (row) => row.senderId === id,
        senderId: id,
        set: { all: sentBy(tx, id) },
        mayHold: (channelId, key) =>
          isNegated ? hasOthers(tx, { channelId, key, id }) : hasAny(tx, { channelId, key, id }),
      };
    }
    case 'id': {
      const id = term.operand;
      return { isNegated, message: (row) => row.id === id, set: { all: listed([id]) } };
    }
    case 'in':
      return term.operand === 'all' ? { isNegated, ...ANYTHING } : muted(tx, context, !isNegated);
    case 'with':
      return { isNegated, message: sameConversation(tx, context, term.operand) };
    case 'near':
      return { isNegated };
    case 'is':
      return marked(tx, context, term);
    case 'has': {
      const bit = ContentBit[term.operand];
      return {
        isNegated,
        message: CONTENT_TESTS[term.operand],
        content: bit,
        set: { all: holding(tx, bit), inPlace: (recipientId) => holding(tx, bit, recipientId) },
      };
    }
    case 'search': {
      const search = textSearch([term.operand]);
      return { isNegated, message: (row) => search.matches(row) };
    }
  }
}

const ANYTHING: Meaning = { message: () => true };

const CONTENT_TESTS: Readonly<Record<NarrowTermOf<'has'>['operand'], MessageTest>> = {
  attachment: ({ renderedContent }) => hasAttachment(renderedContent),
  image: ({ renderedContent }) => hasImage(renderedContent),
  link: ({ renderedContent }) => hasLink(renderedContent),
  reaction: ({ hasReactions }) => hasReactions,
};

type Meaning = Omit<Term, 'isNegated'>;

function marked(tx: Reads, context: NarrowContext, { operand, negated }: NarrowTermOf<'is'>): Term {
  const { user } = context;
  const isNegated = negated;
  const has =
    (bit: number): MessageTest =>
    (_row, _source, bits) =>
      (bits() & bit) !== 0;
  switch (operand) {
    case 'dm':
      return {
        isNegated,
        source: ({ channelId }) => channelId === null,
        isDirect: true,
        isAnyDirect: true,
      };
    case 'starred': {
      const set = { all: flagged(tx, user.id, FlagBit.starred) };
      return { isNegated, message: has(FlagBit.starred), set, isOwnMark: true };
    }
    case 'unread':
      return { isNegated, message: isUnreadFor(tx, user), isUnread: true };
    case 'mentioned':
      return {
        isNegated,
        message: isMentioned(tx, user),
        set: {
          all: union([
            mentioning(tx, user.id),
            flagged(tx, user.id, FlagBit.topic_wildcard_mentioned),
            indexed(tx.flaggedMessages, WILDCARD_INDEX),
          ]),
        },
      };
    case 'alerted':
      return {
        isNegated,
        message: has(FlagBit.has_alert_word),
        set: { all: flagged(tx, user.id, FlagBit.has_alert_word) },
      };
    case 'resolved':
      return {
        isNegated,
        message: (row) => row.channelId !== null && isResolvedTopic(row.topic),
        isInChannel: true,
        ...(isNegated
          ? { mayHold: (_, key) => !isResolvedTopic(key) }
          : { keysIn: (channelId) => resolvedIn(tx, channelId) }),
      };
    case 'followed':
      return followed(tx, context, isNegated);
    case 'muted':
      return muted(tx, context, isNegated);
  }
}

/** Selects messages that are muted by their topic or by their channel; negated, all others. */
function muted(tx: Reads, { user, decisions }: NarrowContext, isNegated: boolean): Term {
  return {
    isNegated,
    isInChannel: true,
    message: ({ channelId, topic }) =>
      channelId !== null && decisions.isMuted(channelId, topicKey(topic)),
    keysIn(channelId) {
      // All topics share the channel's state, except those with a policy of their own.
      if (decisions.isChannelMuted(channelId) !== isNegated) return null;
      const place = { userId: user.id, channelId };
      return decidedIn(tx, place, (policy) => (policy === Policy.muted) !== isNegated);
    },
  };
}

function followed(tx: Reads, { user, decisions }: NarrowContext, isNegated: boolean): Term {
  const isFollowed: TopicTest = (channelId, key) => decisions.isFollowed(channelId, key);
  return {
    isNegated,
    message: ({ channelId, topic }) => channelId !== null && isFollowed(channelId, topicKey(topic)),
    isInChannel: true,
    ...(isNegated
      ? { mayHold: not(isFollowed) }
      : {
          keysIn: (channelId) =>
            decidedIn(tx, { userId: user.id, channelId }, (policy) => policy === Policy.followed),
        }),
  };
}

/** Returns the terms that select unread messages the user wants to read. */
export function firstUnreadTerms(tx: Reads, context: NarrowContext): Term[] {
  const { user, narrow } = context;
  const names = (name: NarrowTerm['operator']) =>
    narrow.some(({ operator, negated }) => operator === name && !negated);
  const unread: Term = { isNegated: false, message: isUnreadFor(tx, user), isUnread: true };
  const subscribed: Term = { isNegated: false, source: ({ isSubscribed }) => isSubscribed };
  // A request for one topic includes it even if it is muted.
  if (names('topic')) return [unread, subscribed];
  if (!names('channel')) return [unread, subscribed, muted(tx, context, true)];
  // A request for one channel includes it even if it is muted, but without its muted topics.
  const message: MessageTest = ({ channelId, topic }) =>
    channelId === null || policyOf(tx, user.id, { channelId, topic }) !== Policy.muted;
  return [unread, subscribed, { isNegated: false, message }];
}

/** Topics of a channel that are read one by one; if there are more, the whole channel is read. */
const TOPICS_READ_MAX = 128;

function resolvedIn(tx: Reads, channelId: number): readonly string[] | null {
  const range = { start: [channelId, RESOLVED_FIRST], end: [channelId, RESOLVED_END] };
  const keys = tx.topics.keys({ ...range, limit: TOPICS_READ_MAX + 1 });
  return unlessMany(Array.from(keys, ([, key]) => key));
}

const RESOLVED_FIRST = '✔ ';
/** The character after a space. */
const RESOLVED_END = '✔!';

/** Returns the topics whose policy passes the test. */
function decidedIn(
  tx: Reads,
  place: { userId: number; channelId: number },
  matches: (policy: Policy) => boolean,
): readonly string[] | null {
  const keys: string[] = [];
  for (const { key, policy } of decidedTopics(tx, place)) if (matches(policy)) keys.push(key);
  return unlessMany(keys);
}

const unlessMany = (keys: readonly string[]) => (keys.length > TOPICS_READ_MAX ? null : keys);

interface Part {
  readonly channelId: number;
  readonly key: string;
  /** A user's id. */
  readonly id: number;
}

/** Tests whether the user sent a message to the topic. */
const hasAny = (tx: Reads, { channelId, key, id }: Part): boolean =>
  (tx.topicParticipants.get([channelId, key, id])?.sent ?? 0) > 0;

/** Tests whether another user did. */
function hasOthers(tx: Reads, { channelId, key, id }: Part): boolean {
  for (const [[, , userId], { sent }] of tx.topicParticipants.under([channelId, key])) {
    if (userId !== id && sent > 0) return true;
  }
  return false;
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

/** Returns a channel that the user may know of; refuses any other like a missing one. */
function channelNamed(tx: Reads, { user }: NarrowRequest, operand: string | number): ChannelRow {
  const channel = typeof operand === 'number' ? tx.channels.get([operand]) : byName(tx, operand);
  const subscription =
    channel === undefined ? undefined : tx.subscriptions.get([channel.id, user.id]);
  if (channel === undefined || !hasMetadataAccess(tx, { user, channel, subscription })) {
    throw errors.badNarrow(`unknown channel ${operand}`);
  }
  return channel;
}

/** Returns a user whom the caller may name so; refuses any other like a missing one. */
function userNamed(
  tx: Reads,
  { user: viewer, site }: NarrowRequest,
  operand: string | number,
): UserRow {
  const user = userAccess.named(tx, { user: viewer, site }, operand);
  if (user === undefined) throw errors.badNarrow(`unknown user ${operand}`);
  return user;
}

/** Selects the conversation of exactly these people; the caller need not be named. */
function withExactly(
  tx: Reads,
  request: NarrowRequest,
  operand: readonly number[] | readonly string[],
): Meaning {
  const people = operand.map((name) => userNamed(tx, request, name).id);
  const recipientId = directConversations.find(tx, [request.user.id, ...people]) ?? NO_CONVERSATION;
  const source: SourceTest = (it) => it.channelId === null && it.recipientId === recipientId;
  return { source, recipientId, isDirect: true };
}

/** The id for people who have no conversation yet. */
const NO_CONVERSATION = 0;

const withSomeone = ({ id }: UserRow): Meaning => ({
  source: ({ channelId, people }) => channelId === null && people().includes(id),
  isDirect: true,
});

const inGroupWith = ({ id }: UserRow): Meaning => ({
  source: ({ channelId, people }) =>
    channelId === null && people().length >= GROUP_LENGTH_MIN && people().includes(id),
  isDirect: true,
});

/** A conversation of two people is not a group. */
const GROUP_LENGTH_MIN = 3;

/** Tests for the messages that a negated `with` excludes; none if its message cannot be read. */
function sameConversation(tx: Reads, { user }: NarrowRequest, messageId: number): MessageTest {
  const named = tx.messages.get([messageId]);
  if (named === undefined || !canRead(tx, user, named)) return () => false;
  return (row) =>
    row.recipientId === named.recipientId && topicKey(row.topic) === topicKey(named.topic);
}
