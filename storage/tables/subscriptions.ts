import { table } from '../table.ts';

/** A person's personal properties of a channel, kept after unsubscribing. */
export interface SubscriptionRow {
  readonly isActive: boolean;
  readonly color: string;
  readonly isMuted: boolean;
  readonly isPinned: boolean;
  readonly desktopNotifications: boolean | null;
  readonly audibleNotifications: boolean | null;
  readonly pushNotifications: boolean | null;
  readonly emailNotifications: boolean | null;
  readonly wildcardMentionsNotify: boolean | null;
  /**
   * What the user received: pairs of message ids, first inclusive and last inclusive, the last null while subscribed.
   * Flat: [first, last, first, last, …].
   */
  readonly received: readonly (number | null)[];
  /** Every received message up to this id is read unless a row of `message_flags` says otherwise. */
  readonly readThrough: number;
  /** The user left and then lost sight of the channel: clients that are told of it again take it for one never joined. */
  readonly isForgotten: boolean;
}

/** Channel first: the subscribers of a channel are one range. */
export const subscriptions = table<[channelId: number, userId: number], SubscriptionRow>(
  'subscriptions',
  [
    'isActive',
    'color',
    'isMuted',
    'isPinned',
    'desktopNotifications',
    'audibleNotifications',
    'pushNotifications',
    'emailNotifications',
    'wildcardMentionsNotify',
    'received',
    'readThrough',
    'isForgotten',
  ],
  { isForgotten: false },
);
