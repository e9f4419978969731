import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { SubscriptionRow } from '../../../storage/tables/channels/subscriptions.ts';
import type { ServerSettings } from '../../config.ts';
import { formerOfSubscription } from '../../domain/rules/texts/aliases.ts';
import type { SubscriptionObject } from '../../domain/wire/objects.ts';
import type { Reads } from '../access/groups.ts';
import * as channels from './channels.ts';
import { colorAt } from './colors.ts';

export interface OwnSubscription {
  readonly channel: ChannelRow;
  readonly subscription: SubscriptionRow;
  readonly settings: ServerSettings;
}

/** Returns a subscription as its owner gets it: the channel and the personal properties. */
export function subscriptionObject(
  tx: Reads,
  { channel, subscription, settings }: OwnSubscription,
): SubscriptionObject {
  return { ...channels.channelObject(tx, channel), ...personalProperties(subscription, settings) };
}

/** Returns the properties of a subscription besides its channel; a channel has none of them. */
export function personalProperties(subscription: SubscriptionRow, { aliasPrefix }: ServerSettings) {
  return {
    color: subscription.color,
    is_muted: subscription.isMuted,
    in_home_view: !subscription.isMuted,
    pin_to_top: subscription.isPinned,
    desktop_notifications: subscription.desktopNotifications,
    audible_notifications: subscription.audibleNotifications,
    push_notifications: subscription.pushNotifications,
    email_notifications: subscription.emailNotifications,
    wildcard_mentions_notify: subscription.wildcardMentionsNotify,
    ...formerOfSubscription(aliasPrefix),
  };
}

/**
 * Returns a subscription for users who cannot have one, with the defaults of a new one
 * (reference/events-and-register.md 5.8).
 */
export const imaginedSubscription = (
  tx: Reads,
  { channel, settings, index }: Omit<OwnSubscription, 'subscription'> & { readonly index: number },
): SubscriptionObject =>
  subscriptionObject(tx, {
    channel,
    settings,
    subscription: {
      isActive: true,
      isForgotten: false,
      isMuted: false,
      isPinned: false,
      color: colorAt(index),
      desktopNotifications: true,
      audibleNotifications: true,
      pushNotifications: true,
      emailNotifications: true,
      wildcardMentionsNotify: true,
      received: [],
      readThrough: 0,
    },
  });
