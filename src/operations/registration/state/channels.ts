import type { ChannelRow } from '../../../../storage/tables/channels/channels.ts';
import type { SubscriptionRow } from '../../../../storage/tables/channels/subscriptions.ts';
import { PARTIAL_SUBSCRIBERS_MIN } from '../../../domain/limits/channels.ts';
import { EncodedList } from '../../../domain/wire/encoded-list.ts';
import { isGuest } from '../../../domain/wire/roles.ts';
import { userSettingsDefaults } from '../../../domain/wire/settings/user-settings.ts';
import { hasMetadataAccess } from '../../access/channel-access.ts';
import { channelObject, defaultsAmong } from '../../channels/channels.ts';
import { personalProperties, subscriptionObject } from '../../channels/subscription-objects.ts';
import { latelyActive } from './lately-active.ts';
import type { State, View } from './view.ts';

interface Seen {
  readonly channel: ChannelRow;
  /** Undefined if the viewer was never subscribed; it may be inactive. */
  readonly subscription: SubscriptionRow | undefined;
}

/**
 * Returns the fetch type `subscription`: three lists that share no channel
 * (reference/events-and-register.md 5.5).
 */
export function subscriptionState(view: View): State {
  const subscriptions: string[] = [];
  const unsubscribed: string[] = [];
  const never: string[] = [];
  const {
    tx,
    site: { settings },
  } = view;
  for (const { channel, subscription } of visibleChannels(view)) {
    if (subscription === undefined || subscription.isForgotten) {
      // A guest sees no other channel before joining it, except web-public ones.
      never.push(withSubscribers(view, channel, JSON.stringify(channelObject(tx, channel))));
    } else {
      const own = withInherited(view, personalProperties(subscription, settings));
      const list = subscription.isActive ? subscriptions : unsubscribed;
      list.push(withSubscribers(view, channel, inOne(channelObject(tx, channel), own)));
    }
  }
  return {
    subscriptions: new EncodedList(subscriptions),
    unsubscribed: new EncodedList(unsubscribed),
    never_subscribed: new EncodedList(never),
  };
}

/**
 * Returns the JSON of an object with the properties of both: to build that object first costs more
 * than its text.
 */
const inOne = (one: object, other: object): string =>
  `${JSON.stringify(one).slice(0, -1)},${JSON.stringify(other).slice(1)}`;

/**
 * Returns the JSON of a channel's entry; the ids of its subscribers, which are most of it, are text
 * already.
 */
function withSubscribers(view: View, channel: ChannelRow, text: string): string {
  if (view.includeSubscribers === 'false') return text;
  const ids =
    view.people?.subscribers(channel.id) ?? JSON.stringify(activeSubscribers(view, channel));
  if (view.includeSubscribers === 'partial' && channel.subscriberCount >= PARTIAL_SUBSCRIBERS_MIN) {
    // The text is a list of ids in either case.
    const lists = shortened(view, JSON.parse(ids) as number[]);
    return `${text.slice(0, -1)},${JSON.stringify(lists).slice(1)}`;
  }
  return `${text.slice(0, -1)},"subscribers":${ids}}`;
}

/**
 * Returns one's own current subscriptions, as in `GET /users/me/subscriptions`: null means "as the
 * account".
 */
export function currentSubscriptions(view: View): object[] {
  const current: object[] = [];
  for (const seen of visibleChannels(view)) {
    const { channel, subscription } = seen;
    if (!subscription?.isActive) continue;
    current.push({
      ...subscriptionObject(view.tx, { channel, subscription, settings: view.site.settings }),
      ...subscribersOf(view, seen),
    });
  }
  return current;
}

/** Returns the fetch type `stream`: all channels with metadata access. */
export const streamState = (view: View): State => ({
  streams: visibleChannels(view).map(({ channel }) => channelObject(view.tx, channel)),
});

/** Returns the fetch type `default_streams`. */
export const defaultStreamsState = ({ user, channels }: View): State => ({
  realm_default_streams: isGuest(user.role) ? [] : defaultsAmong(channels()),
});

/**
 * Returns the channels that the viewer may know of, sorted by name, and caches them for the view,
 * since several parts of a snapshot show them.
 */
function visibleChannels(view: View): readonly Seen[] {
  const known = visibleTo.get(view) ?? findVisible(view);
  visibleTo.set(view, known);
  return known;
}

const visibleTo = new WeakMap<View, readonly Seen[]>();

function findVisible({ tx, user, capabilities, channels }: View): Seen[] {
  const known = new Set<number>();
  for (const [, channelId] of tx.userChannels.keysUnder([user.id])) known.add(channelId);
  const seen: Seen[] = [];
  for (const channel of channels()) {
    if (channel.isArchived && !capabilities.archived_channels) continue;
    const { id } = channel;
    const subscription = known.has(id) ? tx.subscriptions.get([id, user.id]) : undefined;
    if (hasMetadataAccess(tx, { user, channel, subscription }))
      seen.push({ channel, subscription });
  }
  return seen.sort(({ channel: one }, { channel: other }) =>
    one.name < other.name ? -1 : one.name > other.name ? 1 : 0,
  );
}

/**
 * Returns the subscribers of a channel. All viewers of a channel get events of subscribers (4.2:
 * `peer_add`), so a list stays correct. A list that may be `partial` is shortened in large channels
 * to recently active ones.
 */
function subscribersOf(view: View, { channel }: Seen): Subscribers {
  if (view.includeSubscribers === 'false') return {};
  const subscribers = activeSubscribers(view, channel);
  return view.includeSubscribers === 'partial' ? shortened(view, subscribers) : { subscribers };
}

interface Subscribers {
  readonly subscribers?: readonly number[];
  readonly partial_subscribers?: readonly number[];
}

function shortened(view: View, subscribers: readonly number[]): Subscribers {
  if (subscribers.length < PARTIAL_SUBSCRIBERS_MIN) return { subscribers };
  const active = latelyActive(view);
  return { partial_subscribers: subscribers.filter((id) => active.has(id)) };
}

function activeSubscribers({ tx, activeIds }: View, { id }: ChannelRow): number[] {
  const active = activeIds();
  const ids: number[] = [];
  for (const [[, userId], { isActive }] of tx.subscriptions.under([id])) {
    if (isActive && active.has(userId)) ids.push(userId);
  }
  return ids;
}

/**
 * Replaces null by the account's own setting for clients that do not know null
 * (reference/events-and-register.md section 2).
 */
function withInherited(
  { capabilities, user: { settings } }: View,
  subscription: ReturnType<typeof personalProperties>,
) {
  if (capabilities.notification_settings_null) return subscription;
  const { desktop_notifications, audible_notifications, push_notifications, email_notifications } =
    subscription;
  const inherited = { ...NOTIFICATION_DEFAULTS, ...settings };
  return {
    ...subscription,
    desktop_notifications: desktop_notifications ?? inherited.enable_stream_desktop_notifications,
    audible_notifications: audible_notifications ?? inherited.enable_stream_audible_notifications,
    push_notifications: push_notifications ?? inherited.enable_stream_push_notifications,
    email_notifications: email_notifications ?? inherited.enable_stream_email_notifications,
  };
}

const NOTIFICATION_DEFAULTS = userSettingsDefaults();
