import { table } from '../table.ts';

/** The messages of a direct conversation in order. */
export const directMessages = table<
  [recipientId: number, messageId: number],
  { readonly senderId: number }
>('direct_messages', ['senderId']);
