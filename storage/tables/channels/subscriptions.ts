import { table } from '../../table.ts';

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
   * The messages that the user received, as pairs of message ids: first inclusive and last
   * inclusive, the last null while subscribed. Flat: [first, last, first, last, …].
   */
  readonly received: readonly (number | null)[];
  /**
   * Every received message up to this id is read unless a row of `message_flags` says otherwise.
   */
  readonly readThrough: number;
  /**
   * True if the user left and then lost access to the channel: a client that hears of the channel
   * again treats it as one that the user never joined.
   */
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
  { defaults: { isForgotten: false }, cache: 'read-mostly', feedsViews: true },
);

/** The same pairs as `subscriptions`, user first: the channels of a user are one range. */
export const userChannels = table<
  [userId: number, channelId: number],
  { readonly isActive: boolean }
>('user_channels', ['isActive']);

/**
 * Users who left a channel and may have messages of it, so that they hear if one of them changes.
 * Ordered by the last message that they can have received: for a recent message only those who left
 * lately are looked at, however many left before.
 */
export const formerSubscribers = table<
  [channelId: number, lastReceivedId: number, userId: number],
  object
>('former_subscribers', []);

export interface MembershipChange {
  readonly channelId: number;
  readonly isSubscribed: boolean;
}

/**
 * Joins and leaves of a user, by their number in the sequence of events: they decide whether an
 * event of a channel was for the owner of a queue that is far behind. Trimmed with the log.
 */
export const membershipChanges = table<
  [userId: number, eventId: number, channelId: number],
  MembershipChange
>('membership_changes', ['channelId', 'isSubscribed']);
