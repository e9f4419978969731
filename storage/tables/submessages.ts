import { table } from '../table.ts';

/** What was attached to a message after it was written: the widget of a poll or a list, and what was done with it. */
export interface SubmessageRow {
  readonly senderId: number;
  readonly msgType: string;
  /** JSON text. */
  readonly content: string;
}

/** Message first: a message is shown with all of them, in the order they came. */
export const submessages = table<[messageId: number, submessageId: number], SubmessageRow>(
  'submessages',
  ['senderId', 'msgType', 'content'],
);
