import { table } from '../table.ts';

export interface MembershipChange {
  readonly channelId: number;
  readonly isSubscribed: boolean;
}

/**
 * When a user joined or left a channel, on the number line of events: what a queue far behind needs to know whether an
 * event of a channel was for its owner. Trimmed with the log.
 */
export const membershipChanges = table<
  [userId: number, eventId: number, channelId: number],
  MembershipChange
>('membership_changes', ['channelId', 'isSubscribed']);
