/** The objects of the API, as far as the feed needs them. */

export interface Emoji {
  readonly emoji_name: string;
  readonly emoji_code: string;
  readonly reaction_type: string;
}

export interface Reaction extends Emoji {
  readonly user_id: number;
}

export interface Recipient {
  readonly id: number;
  readonly email: string;
  readonly full_name: string;
}

/** Something that was attached to a message: a poll, a vote in it, and the like, as JSON. */
export interface Submessage {
  readonly id: number;
  readonly sender_id: number;
  readonly msg_type: string;
  readonly content: string;
}

/** A message of a list, with its content as HTML. */
export interface Message {
  readonly id: number;
  readonly type: 'stream' | 'private';
  readonly stream_id?: number;
  readonly subject: string;
  readonly sender_id: number;
  readonly sender_email: string;
  readonly sender_full_name: string;
  readonly avatar_url: string | null;
  readonly content: string;
  readonly display_recipient: string | readonly Recipient[];
  readonly is_me_message: boolean;
  readonly timestamp: number;
  readonly reactions: readonly Reaction[];
  /** In the order in which they came; none for most messages. */
  readonly submessages?: readonly Submessage[];
  readonly flags: readonly string[];
  readonly last_edit_timestamp?: number;
  readonly last_moved_timestamp?: number;
  /** HTML, with what was searched for marked. */
  readonly match_content?: string;
}

/** An event of the connection, as it comes. */
export type WireEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

export type Params = Readonly<Record<string, unknown>>;

/** The calls of the API: the client library, or a test. */
export interface Calls {
  call(method: string, path: string, params?: Params): Promise<unknown>;
}

/** The ids of the people of a direct message, with the own one. */
export const peopleOf = (message: Message): readonly number[] =>
  typeof message.display_recipient === 'string'
    ? []
    : message.display_recipient.map(({ id }) => id);

export const isRead = (message: Message): boolean => message.flags.includes('read');

/** The mark of a resolved topic, at the beginning of its name. */
const RESOLVED = '✔ ';

export const isResolved = (topic: string): boolean => topic.startsWith(RESOLVED);

/** Returns the name that resolves a topic, or that opens it again. */
export const resolvedAs = (topic: string): string =>
  isResolved(topic) ? topic.replace(/^(?:✔ )+/, '') : RESOLVED + topic;

export const isSameTopic = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase();
