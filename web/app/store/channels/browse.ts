/** All channels that an account may know of, and what it does to them. */
import type { Contents } from '@confab/client/store';
import { app } from '../app.ts';

export type ChannelFilter = 'all' | 'subscribed' | 'other';

export interface ListedChannel {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly isPrivate: boolean;
  readonly isSubscribed: boolean;
  readonly color: string | null;
  readonly subscribers: number;
  /** Messages a week; null for a channel that is too young to tell. */
  readonly traffic: number | null;
}

/** Returns the channels whose name or description has each word, those named so first. */
export function listedChannels(
  { channels, subscriptions }: Contents,
  filter: ChannelFilter,
  text: string,
): readonly ListedChannel[] {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const found: { channel: ListedChannel; isNamed: boolean }[] = [];
  for (const channel of channels.values()) {
    if (channel.is_archived) continue;
    const own = subscriptions.get(channel.stream_id);
    const isSubscribed = own !== undefined;
    if (filter !== 'all' && isSubscribed !== (filter === 'subscribed')) continue;
    const name = channel.name.toLowerCase();
    const whole = `${name} ${channel.description.toLowerCase()}`;
    if (!words.every((word) => whole.includes(word))) continue;
    found.push({
      isNamed: words.every((word) => name.includes(word)),
      channel: {
        id: channel.stream_id,
        name: channel.name,
        description: channel.description,
        isPrivate: channel.invite_only,
        isSubscribed,
        color: own?.color ?? null,
        subscribers: channel.subscriber_count,
        traffic: channel.stream_weekly_traffic,
      },
    });
  }
  return found
    .sort(
      (one, other) =>
        Number(other.isNamed) - Number(one.isNamed) ||
        one.channel.name.localeCompare(other.channel.name),
    )
    .map(({ channel }) => channel);
}

/** Subscribes the account itself. */
export const subscribe = (name: string) =>
  app.chat.call('POST', '/users/me/subscriptions', { subscriptions: [{ name }] });

export const unsubscribe = (name: string) =>
  app.chat.call('DELETE', '/users/me/subscriptions', { subscriptions: [name] });

export interface NewChannel {
  readonly name: string;
  readonly description: string;
  readonly isPrivate: boolean;
  /** The people who are subscribed besides the account itself. */
  readonly userIds: readonly number[];
}

/** Makes a channel, and returns its id; null if that is not to be found. */
export async function createChannel(wanted: NewChannel): Promise<number | null> {
  const name = wanted.name.trim();
  const own = app.read('own').ownId;
  await app.chat.call('POST', '/users/me/subscriptions', {
    subscriptions: [{ name, description: wanted.description.trim() }],
    principals: [own, ...wanted.userIds.filter((id) => id !== own)],
    invite_only: wanted.isPrivate,
    history_public_to_subscribers: true,
    announce: !wanted.isPrivate,
  });
  try {
    const { stream_id: id } = await app.chat.call('GET', '/get_stream_id', { stream: name });
    return id;
  } catch {
    // A channel that somebody renames at once is there all the same.
    return null;
  }
}

/** Tells whether a channel of that name is there, which subscribing would join. */
export const isNameTaken = ({ channels }: Contents, name: string): boolean => {
  const wanted = name.trim().toLowerCase();
  for (const channel of channels.values()) {
    if (!channel.is_archived && channel.name.toLowerCase() === wanted) return true;
  }
  return false;
};

export type OwnProperty =
  | 'color'
  | 'is_muted'
  | 'pin_to_top'
  | 'desktop_notifications'
  | 'audible_notifications'
  | 'push_notifications'
  | 'email_notifications'
  | 'wildcard_mentions_notify';

/** Changes what the account has of a channel for itself; null follows the account's settings. */
export const changeOwn = (
  channelId: number,
  property: OwnProperty,
  value: boolean | string | null,
) =>
  app.chat.call('POST', '/users/me/subscriptions/properties', {
    subscription_data: [{ stream_id: channelId, property, value }],
  });

export interface ChannelChange {
  readonly new_name?: string;
  readonly description?: string;
  readonly is_private?: boolean;
  readonly history_public_to_subscribers?: boolean;
}

/** Changes a channel for all. */
export const changeChannel = (channelId: number, change: ChannelChange) =>
  app.chat.call('PATCH', '/streams/{stream_id}', { stream_id: channelId, ...change });

export const archiveChannel = (channelId: number) =>
  app.chat.call('DELETE', '/streams/{stream_id}', { stream_id: channelId });

export const addSubscribers = (name: string, userIds: readonly number[]) =>
  app.chat.call('POST', '/users/me/subscriptions', {
    subscriptions: [{ name }],
    principals: userIds,
  });
