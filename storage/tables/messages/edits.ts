import { table } from '../../table.ts';

/**
 * One change of a message by a user: `before` holds the former values of the fields that changed.
 */
export interface MessageEditRow {
  readonly userId: number;
  /** UNIX seconds. */
  readonly at: number;
  readonly before: {
    readonly content?: string;
    readonly renderedContent?: string;
    readonly topic?: string;
    readonly channelId?: number;
  };
  /**
   * The new topic and channel of a move. Content that was new after a change is in the next row, or
   * in the message.
   */
  readonly after: { readonly topic?: string; readonly channelId?: number };
}

/** Message first, oldest change first: a message is shown with all of its changes. */
export const messageEdits = table<[messageId: number, number: number], MessageEditRow>(
  'message_edits',
  ['userId', 'at', 'before', 'after'],
);

/** The later channels of a message that was once moved to another channel. */
export interface MovedOutMessageRow {
  /**
   * Every channel that the message was moved to and when, in the sequence of messages: [channel,
   * number, channel, number, …].
   */
  readonly moves: readonly number[];
  /**
   * True if the message begins as read for all users but those with a row of flags that says
   * otherwise. Such a message need not have been moved.
   */
  readonly isQuiet: boolean;
}

/**
 * Messages that were sent to a channel and then moved to another one (and perhaps back), under the
 * channel they were sent to. That channel decides for good which users received the message and
 * which have read it.
 */
export const movedOutMessages = table<
  [homeChannelId: number, messageId: number],
  MovedOutMessageRow
>('departed_messages', ['moves', 'isQuiet'], {
  defaults: { isQuiet: false },
});

/** Messages of a channel that were moved to it: the other side of `departed_messages`. */
export const movedInMessages = table<[channelId: number, messageId: number], object>(
  'arrived_messages',
  [],
);
