import { table } from '../table.ts';

/** The messages of a channel in order, with what deriving unread state needs, so that it reads no message. */
export const channelMessages = table<
  [channelId: number, messageId: number],
  { readonly topicKey: string; readonly senderId: number }
>('channel_messages', ['topicKey', 'senderId']);
