import { table } from '../table.ts';

/** The messages of a sender in order. */
export const senderMessages = table<[senderId: number, messageId: number], Record<never, never>>(
  'sender_messages',
  [],
);
