import type { ImportedPermissions } from '../operations/importing/permissions.ts';
import type { ArchiveSource } from './sources/archive-source.ts';

/**
 * The neutral form of a history, which readers of formats make out of the archives of other
 * services. All ids are those of the source.
 */
export type HistoryRow = HistoryEntity | HistoryChoice | HistoryMessage | SkippedRow;

export type HistoryEntity = HistoryUser | HistoryGroup | HistoryChannel | HistoryEmoji;

/** A file of the archive. */
export interface FileReference {
  /** The path within the archive. */
  readonly entry: string;
  /** The name that people see. */
  readonly name: string;
  /** The text of its link, if that is not the name. */
  readonly label?: string;
}

/** A text, which the reader has made out of the mark-up of the source. */
export type HistoryText = readonly TextPiece[];

export type TextPiece =
  /** Markdown of this service. */
  | string
  /** A user, by the id of the source. */
  | {
      readonly mention: string;
      readonly silent?: boolean;
      /** True where a `|` would end a cell: the name stands alone if there is one of it. */
      readonly inTable?: boolean;
    }
  | { readonly mentionAll: true }
  | { readonly group: string; readonly silent?: boolean }
  | ChannelPiece
  | { readonly file: FileReference };

/** A link to a channel, to a topic of it, or to a message there. */
export interface ChannelPiece {
  readonly channel: string;
  readonly topic?: string;
  /** The message, by the id of the source; the link leads to the topic if it is not there. */
  readonly message?: string;
  /** The text of the link in Markdown, if it has one of its own. */
  readonly label?: string;
}

export type HistoryRole = 'owner' | 'administrator' | 'moderator' | 'member' | 'guest';

export interface HistoryUser {
  readonly kind: 'user';
  readonly id: string;
  readonly email?: string;
  readonly name: string;
  readonly bot: boolean;
  /** The user who owns the bot. */
  readonly owner?: string;
  readonly active: boolean;
  readonly role?: HistoryRole;
  /** A name of the IANA time zone database. */
  readonly timezone?: string;
  /** UNIX seconds. */
  readonly joinedAt?: number;
  readonly avatar?: FileReference;
}

export interface HistoryGroup {
  readonly kind: 'group';
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly members: readonly string[];
  /** Groups within it, which come before it. */
  readonly subgroups?: readonly string[];
  readonly permissions?: ImportedPermissions;
}

export interface HistoryChannel {
  readonly kind: 'channel';
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly private: boolean;
  readonly archived: boolean;
  /** True if everybody on the web may read it. */
  readonly webPublic?: boolean;
  /** True if subscribers do not see what was written before they came. */
  readonly ownHistory?: boolean;
  /** UNIX seconds. */
  readonly createdAt?: number;
  readonly creator?: string;
  readonly permissions?: ImportedPermissions;
  readonly subscribers: readonly string[];
  /**
   * The time (UNIX seconds) of the last message that a subscriber has read, where the archive has
   * it. Other subscribers have read all that no message says to be unread.
   */
  readonly readUntil?: ReadonlyMap<string, number>;
  /** Only in a realm that the import makes: true if new people are subscribed. */
  readonly default?: boolean;
  /** The same: days after which messages are removed, -1 for never. */
  readonly retentionDays?: number;
  /** How subscribers have set up the channel for themselves. */
  readonly looks?: ReadonlyMap<string, SubscriptionLook>;
}

/** The settings of one subscription; those that are absent are the defaults. */
export interface SubscriptionLook {
  /** `#rrggbb`. */
  readonly color?: string;
  readonly isMuted?: boolean;
  readonly isPinned?: boolean;
  readonly desktopNotifications?: boolean;
  readonly audibleNotifications?: boolean;
  readonly pushNotifications?: boolean;
  readonly emailNotifications?: boolean;
  readonly wildcardMentionsNotify?: boolean;
}

/**
 * Something that the organization or a person has set up. It may come anywhere before the messages.
 */
export type HistoryChoice = {
  readonly kind: 'choice';
  /** The id of the source, or whatever tells it from others of its kind: it is entered once. */
  readonly id: string;
} & (OrganizationChoice | PersonalChoice);

/** It applies to a realm that the import makes, and is there before the messages. */
export type OrganizationChoice =
  | { readonly what: 'linkifier'; readonly pattern: string; readonly urlTemplate: string }
  | {
      readonly what: 'playground';
      readonly name: string;
      readonly language: string;
      readonly urlTemplate: string;
    }
  | ProfileFieldChoice
  | RealmImageChoice
  | {
      readonly what: 'organization';
      readonly name?: string;
      readonly description?: string;
      readonly retentionDays?: number;
    };

export interface RealmImageChoice {
  readonly what: 'image';
  readonly image: 'icon' | 'logo' | 'night_logo';
  readonly file: FileReference;
}

export interface ProfileFieldChoice {
  readonly what: 'profile field';
  readonly type: number;
  readonly name: string;
  readonly hint: string;
  /** JSON for options and external accounts. */
  readonly data: string;
  readonly isRequired: boolean;
  readonly isEditable: boolean;
  readonly isInSummary: boolean;
}

/** It applies to the account of the person if the import has made it, after the messages. */
export type PersonalChoice = { readonly user: string } & (
  | { readonly what: 'topic policy'; channel: string; topic: string; policy: 1 | 2 | 3 }
  | { readonly what: 'muted user'; readonly muted: string }
  | { readonly what: 'alert word'; readonly word: string }
  | { readonly what: 'status'; readonly text: string; readonly emoji: string }
  | { readonly what: 'saved snippet'; readonly title: string; readonly content: string }
  | {
      readonly what: 'profile value';
      /** The id of the field in the source. */
      readonly field: string;
      /** For a field of users a list of their ids, in JSON. */
      readonly value: string;
    }
);

export interface HistoryEmoji {
  readonly kind: 'emoji';
  readonly name: string;
  readonly file: FileReference;
  readonly author?: string;
}

export interface HistoryReaction {
  /** The name of an emoji, or its Unicode characters. */
  readonly emoji: string;
  readonly users: readonly string[];
}

/** A change of a message: what was changed, as it was before, and where it was moved to. */
export interface HistoryChange {
  /** The user who made it; the sender of the message if that is not known. */
  readonly user?: string;
  /** UNIX seconds. */
  readonly at: number;
  readonly content?: HistoryText;
  readonly topic?: readonly [before: string, after: string];
  readonly channel?: readonly [before: string, after: string];
}

export interface HistoryMessage {
  readonly kind: 'message';
  readonly id: string;
  readonly sender: string;
  readonly to:
    | { readonly channel: string; readonly topic: string }
    | { readonly direct: readonly string[] };
  /** UNIX seconds. */
  readonly sentAt: number;
  readonly editedAt?: number;
  readonly movedAt?: number;
  /** Earlier states of it, the oldest change first. */
  readonly changes?: readonly HistoryChange[];
  readonly content: HistoryText;
  readonly reactions: readonly HistoryReaction[];
  /** Users who have read a direct message, where the archive says so. */
  readonly readBy?: readonly string[];
  /** Subscribers who have not read a message of a channel, where the archive says so of each. */
  readonly unreadBy?: readonly string[];
  readonly starredBy?: readonly string[];
}

/** The place of a row in the archive. */
export interface Place {
  /** The path within the archive. */
  readonly file: string;
  /** The number of a line or row, from 1, or an id; absent for the file as a whole. */
  readonly row?: string;
}

/** A part of the archive that is left out; the report lists it. */
export interface SkippedRow extends Place {
  readonly kind: 'skipped';
  /** The kind of thing, such as `message`. */
  readonly what: string;
  readonly why: string;
  /** The name of what is left out, if people know it by one. */
  readonly name?: string;
  /** The number of things, if they are many and alike. */
  readonly count?: number;
}

export const skipped = (
  what: string,
  { file, row }: Place,
  why: string,
  more: Pick<SkippedRow, 'name' | 'count'> = {},
): SkippedRow => ({
  kind: 'skipped',
  what,
  file,
  ...(row === undefined ? {} : { row }),
  ...more,
  why,
});

export interface FormatOptions {
  /** The time zone of times without one; otherwise UTC. */
  readonly timezone?: string;
  /** IRC: who the nicks are. */
  readonly nicks?: ReadonlyMap<string, { readonly name: string; readonly email?: string }>;
  /** IRC: the name of the channel of an archive that is one file. */
  readonly channel?: string;
}

/**
 * Reads the archives of one service. Rows come in this order: users, groups, channels, emoji, then
 * messages, each channel by time. Choices come anywhere before the messages.
 */
export interface HistoryFormat {
  readonly name: string;
  /**
   * Reads rows one after another in bounded memory. Rows that cannot be taken come as `skipped`.
   * Throws `ArchiveError` if the archive as a whole is none of this format. The same archive gives
   * the same rows in the same order each time: an import that was killed relies on it.
   */
  read(archive: ArchiveSource, options: FormatOptions): AsyncIterable<HistoryRow>;
}
