import { table } from '../../table.ts';

/** In place of a recipient: wherever the message is. No conversation and no channel has this number. */
export const EVERYWHERE = 0;

/**
 * The messages that hold something `has` asks for (`src/domain/rules/search/message-contents.ts`), in order: each in its channel or
 * conversation and once among all. Most messages hold nothing, and have no row.
 */
export const heldContents = table<
  [content: number, recipientId: number, messageId: number],
  Record<never, never>
>('held_contents', []);
