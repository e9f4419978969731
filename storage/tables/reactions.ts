import { table } from '../table.ts';

export interface ReactionRow {
  readonly emojiName: string;
  /** UNIX milliseconds: reactions are listed in the order they came. */
  readonly at: number;
}

/** Message first: a message is shown with all of its reactions. */
export const reactions = table<
  [messageId: number, reactionType: string, emojiCode: string, userId: number],
  ReactionRow
>('reactions', ['emojiName', 'at']);
