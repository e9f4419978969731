import type { ReactionType } from '../../src/domain/objects.ts';
import { table } from '../table.ts';

export interface ReactionRow {
  readonly emojiName: string;
  /** Of the event that told of it: reactions are listed in the order they came. */
  readonly eventId: number;
}

/** Message first: a message is shown with all of its reactions. */
export const reactions = table<
  [messageId: number, reactionType: ReactionType, emojiCode: string, userId: number],
  ReactionRow
>('reactions', ['emojiName', 'eventId']);
