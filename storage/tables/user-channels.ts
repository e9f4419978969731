import { table } from '../table.ts';

/** The same pairs as `subscriptions`, user first: the channels of a user are one range. */
export const userChannels = table<
  [userId: number, channelId: number],
  { readonly isActive: boolean }
>('user_channels', ['isActive']);
