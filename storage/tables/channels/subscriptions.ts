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
  { defaults: { isForgotten: false }, cache: 'read-mostly', feedsViews: true },
);

/** The same pairs as `subscriptions`, user first: the channels of a user are one range. */
export const userChannels = table<
  [userId: number, channelId: number],
  { readonly isActive: boolean }
>('user_channels', ['isActive']);

/**
 * Who left a channel and may have messages of it, for when one of them is changed. By the last message that they can have
 * received: of a recent message, only those who left lately are looked at, however many left before.
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
 * When a user joined or left a channel, on the number line of events: what a queue far behind needs to know whether an
 * event of a channel was for its owner. Trimmed with the log.
 */
export const membershipChanges = table<
  [userId: number, eventId: number, channelId: number],
  MembershipChange
>('membership_changes', ['channelId', 'isSubscribed']);
