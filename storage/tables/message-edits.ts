import { table } from '../table.ts';

/** One change of a message by a user: what was before, of that which changed. */
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
  /** Where a move led to; what came after a change of content is in the next row, or in the message. */
  readonly after: { readonly topic?: string; readonly channelId?: number };
}

/** Message first, oldest change first: a message is shown with all of its changes. */
export const messageEdits = table<[messageId: number, number: number], MessageEditRow>(
  'message_edits',
  ['userId', 'at', 'before', 'after'],
);
