import type { ReactionType } from '../../../src/domain/wire/objects.ts';
import { table } from '../../table.ts';

export interface ReactionRow {
  readonly emojiName: string;
  /** Id of the event that announced the reaction: reactions are listed in the order they came. */
  readonly eventId: number;
}

/** Message first: a message is shown with all of its reactions. */
export const reactions = table<
  [messageId: number, reactionType: ReactionType, emojiCode: string, userId: number],
  ReactionRow
>('reactions', ['emojiName', 'eventId']);

/**
 * Something attached to a message after it was written: the widget of a poll or a list, or a user's
 * action in it.
 */
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
