import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { NarrowTerm } from '../../domain/rules/messages/narrow.ts';
import type { Intervals } from '../../domain/rules/messages/read-state.ts';
import type { ContentBit } from '../../domain/rules/search/message-contents.ts';
import type { Site } from '../access/caller.ts';
import type { IdSet } from '../indexes/ids/iterators.ts';
import type { Read } from '../indexes/read-sets.ts';
import type { Decisions } from '../indexes/user-topics.ts';

/** A channel or a direct conversation that is searched. */
export interface Source extends Read {
  readonly isPublic: boolean;
  readonly isWebPublic: boolean;
  readonly isSubscribed: boolean;
  readonly isMuted: boolean;
  /** Returns the people of a conversation. */
  people(): readonly number[];
  /** The ids of its messages that are searched. */
  readonly searched: Intervals;
}

export type SourceTest = (source: Source) => boolean;
export type TopicTest = (channelId: number, key: string) => boolean;
export type MessageTest = (row: MessageRow, source: Source, bits: () => number) => boolean;

/**
 * The lists of the matches of a term: all together, and by channel and conversation if there are
 * such lists.
 */
export interface MatchSet {
  readonly all: IdSet;
  readonly inPlace?: (recipientId: number) => IdSet;
}

/** A narrow, and the user for whom it is resolved. */
export interface NarrowRequest {
  readonly user: UserRow;
  readonly site: Site;
  readonly narrow: readonly NarrowTerm[];
}

/** The caller, with their policies about topics. */
export interface NarrowContext extends NarrowRequest {
  readonly decisions: Decisions;
}

/** A resolved term. It has a test of places or a test of messages, never both. */
export interface Term {
  readonly isNegated: boolean;
  readonly source?: SourceTest;
  readonly message?: MessageTest;
  readonly set?: MatchSet;
  /** The content that the message test looks for. */
  readonly content?: ContentBit;
  /**
   * Returns the topics of a channel with all messages that the term leaves, negated or not; null
   * for any topic.
   */
  readonly keysIn?: (channelId: number) => readonly string[] | null;
  /** Tests whether a topic has any message that the term leaves, negated or not. */
  readonly mayHold?: TopicTest;
  readonly channelId?: number;
  readonly recipientId?: number;
  readonly topic?: string;
  readonly isInChannel?: boolean;
  readonly senderId?: number;
  readonly isDirect?: boolean;
  /** For `isDirect`: with any people. */
  readonly isAnyDirect?: boolean;
  readonly isAllPublic?: boolean;
  readonly isOwnMark?: boolean;
  readonly isUnread?: boolean;
}
