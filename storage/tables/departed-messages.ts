import { table } from '../table.ts';

/** Where a message went that was once moved to another channel. */
export interface DepartedMessageRow {
  /** Every channel it was moved to and when, on the number line of messages: [channel, number, channel, number, …]. */
  readonly moves: readonly number[];
  /** It begins as read for all but those with a row of flags that says otherwise; such a message need not have been moved. */
  readonly isQuiet: boolean;
}

/**
 * Messages that were sent to a channel and then moved to another one (and perhaps back), under the channel they were sent
 * to: what a subscriber received, and read, is decided there for good.
 */
export const departedMessages = table<
  [homeChannelId: number, messageId: number],
  DepartedMessageRow
>('departed_messages', ['moves', 'isQuiet'], { isQuiet: false });
