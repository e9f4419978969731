import { table } from '../../table.ts';

/**
 * The messages of a sender in order, those up to `listedThrough` (`sender_lists`). Rows of newer
 * messages may be there already.
 */
export const senderMessages = table<[senderId: number, messageId: number], Record<never, never>>(
  'sender_messages',
  [],
);

export interface SenderBlockRow {
  /** The senders of successive messages; 0 for one that was not there. */
  readonly senderIds: readonly number[];
}

/**
 * The senders of messages that are not listed yet, in the order of the messages. A block is written
 * once and never changed: a message that is deleted keeps its place.
 */
export const senderBlocks = table<[firstMessageId: number], SenderBlockRow>('sender_blocks', [
  'senderIds',
]);

/** One row; without it all messages are in `sender_messages`. */
export const senderLists = table<[only: 'senders'], { readonly listedThrough: number }>(
  'sender_lists',
  ['listedThrough'],
);

export interface SenderProgressRow {
  /** Messages up to this one are listed or in blocks; newer ones are looked at themselves. */
  readonly blockedThrough: number;
  /** How many rows of the list that is being written have been looked at. */
  readonly rowsListed: number;
  /** UNIX milliseconds; after a bug the lists rest until then. */
  readonly restsUntil: number;
}

/** One row; without it there are no blocks. */
export const senderProgress = table<[only: 'senders'], SenderProgressRow>('sender_progress', [
  'blockedThrough',
  'rowsListed',
  'restsUntil',
]);
