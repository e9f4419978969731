import { table } from '../../table.ts';

/**
 * Stands in place of a recipient for messages of all conversations and channels, none of which has
 * this number.
 */
export const EVERYWHERE = 0;

/**
 * The content index: the messages with contents that `has` asks for
 * (`src/domain/rules/search/message-contents.ts`), in order. Each is listed in its channel or
 * conversation, and once among all. Most messages have no such contents, and no row.
 */
export const contentIndex = table<
  [content: number, recipientId: number, messageId: number],
  Record<never, never>
>('held_contents', []);
