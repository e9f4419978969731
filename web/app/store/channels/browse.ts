/** All channels that an account may know of, and what it does to them. */
import type { ParamsOf } from '@confab/client';
import type { Contents } from '@confab/client/store';
import type { Holders } from '../account/rights.ts';
import { app } from '../app.ts';
import type { ChannelPermission } from './permissions.ts';

export type ChannelFilter = 'all' | 'subscribed' | 'other' | 'archived';
export type ChannelOrder = 'name' | 'subscribers' | 'traffic' | 'newest';

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
  readonly folder: string | null;
  /** UNIX seconds. */
  readonly created: number;
}

export interface ChannelListInput {
  readonly filter: Exclude<ChannelFilter, 'archived'>;
  readonly text: string;
  readonly order?: ChannelOrder;
}

/** Returns the channels whose name or description has each word, those named so first. */
export function listedChannels(state: Contents, input: ChannelListInput): readonly ListedChannel[] {
  const { filter, text, order = 'name' } = input;
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const found: { channel: ListedChannel; isNamed: boolean }[] = [];
  for (const channel of state.channels.values()) {
    if (channel.is_archived) continue;
    const isSubscribed = state.subscriptions.has(channel.stream_id);
    if (filter !== 'all' && isSubscribed !== (filter === 'subscribed')) continue;
    const name = channel.name.toLowerCase();
    const whole = `${name} ${channel.description.toLowerCase()}`;
    if (!words.every((word) => whole.includes(word))) continue;
    found.push({
      isNamed: words.every((word) => name.includes(word)),
      channel: listed(state, channel),
    });
  }
  return found
    .sort(
      (one, other) =>
        Number(other.isNamed) - Number(one.isNamed) || ORDERS[order](one.channel, other.channel),
    )
    .map(({ channel }) => channel);
}

function listed(
  { subscriptions, folders }: Contents,
  channel: NonNullable<ReturnType<Contents['channels']['get']>>,
): ListedChannel {
  const own = subscriptions.get(channel.stream_id);
  const folder = channel.folder_id === null ? undefined : folders.get(channel.folder_id);
  return {
    id: channel.stream_id,
    name: channel.name,
    description: channel.description,
    isPrivate: channel.invite_only,
    isSubscribed: own !== undefined,
    color: own?.color ?? null,
    subscribers: channel.subscriber_count,
    traffic: channel.stream_weekly_traffic,
    folder: folder?.name ?? null,
    created: channel.date_created,
  };
}

/** Comparing by it is ten times faster than by `localeCompare`. */
const names = new Intl.Collator();
const byName = (one: ListedChannel, other: ListedChannel) => names.compare(one.name, other.name);

const ORDERS: Readonly<Record<ChannelOrder, typeof byName>> = {
  name: byName,
  subscribers: (one, other) => other.subscribers - one.subscribers || byName(one, other),
  traffic: (one, other) => (other.traffic ?? 0) - (one.traffic ?? 0) || byName(one, other),
  newest: (one, other) => other.created - one.created || other.id - one.id,
};

/** Counts the channels of each filter that the state knows of. */
export function channelCounts({ channels, subscriptions }: Contents) {
  let all = 0;
  let subscribed = 0;
  let archived = 0;
  for (const { stream_id: id, is_archived: isArchived } of channels.values()) {
    if (isArchived) {
      archived += 1;
      continue;
    }
    all += 1;
    if (subscriptions.has(id)) subscribed += 1;
  }
  return { all, subscribed, other: all - subscribed, archived };
}

export type ArchivedChannel = Pick<ListedChannel, 'id' | 'name' | 'description' | 'isPrivate'>;

/** Returns the channels in the archive whose names or descriptions have each word, by name. */
export function archivedChannels({ channels }: Contents, text: string): readonly ArchivedChannel[] {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const found: ArchivedChannel[] = [];
  for (const { stream_id: id, name, description, invite_only, is_archived } of channels.values()) {
    const whole = `${name} ${description}`.toLowerCase();
    if (!is_archived || !words.every((word) => whole.includes(word))) continue;
    found.push({ id, name, description, isPrivate: invite_only });
  }
  return found.sort((one, other) => names.compare(one.name, other.name));
}

/** Brings a channel back from the archive. */
export const bringBack = (channelId: number) => changeChannel(channelId, { is_archived: false });

/** Subscribes the account itself. */
export const subscribe = (name: string) =>
  app.chat.call('POST', '/users/me/subscriptions', { subscriptions: [{ name }] });

export const unsubscribe = (name: string) =>
  app.chat.call('DELETE', '/users/me/subscriptions', { subscriptions: [name] });

export interface NewChannel {
  readonly name: string;
  readonly description: string;
  readonly privacy: Privacy;
  readonly folderId: number | null;
  /** The people who are subscribed besides the account itself. */
  readonly userIds: readonly number[];
}

/** Makes a channel, and returns its id; null if that is not to be found. */
export async function createChannel(wanted: NewChannel): Promise<number | null> {
  const name = wanted.name.trim();
  const own = app.read('own').ownId;
  const isPrivate = wanted.privacy === 'private' || wanted.privacy === 'secret';
  await app.chat.call('POST', '/users/me/subscriptions', {
    subscriptions: [{ name, description: wanted.description.trim() }],
    principals: [own, ...wanted.userIds.filter((id) => id !== own)],
    invite_only: isPrivate,
    ...(wanted.privacy === 'web-public' ? { is_web_public: true } : {}),
    history_public_to_subscribers: wanted.privacy !== 'secret',
    ...(wanted.folderId === null ? {} : { folder_id: wanted.folderId }),
    announce: !isPrivate,
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

export type ChannelChange = Omit<ParamsOf<'PATCH', '/streams/{stream_id}'>, 'stream_id'>;

/** Returns the change of who has a permission; another change since is a refusal. */
export const permissionChange = (
  name: ChannelPermission,
  before: Holders | undefined,
  after: Holders,
): ChannelChange => ({ [name]: { new: after, ...(before === undefined ? {} : { old: before }) } });

/** Says who finds and reads a channel. */
export type Privacy = 'web-public' | 'public' | 'private' | 'secret';

export const PRIVACIES: readonly (readonly [Privacy, words: string, hint: string])[] = [
  ['web-public', 'On the web', 'Everybody reads it, without an account as well.'],
  ['public', 'Open', 'All members find it, read it and join it.'],
  ['private', 'Private', 'Those who are added read it, from its beginning on.'],
  ['secret', 'Private, without history', 'Those who are added read what is written from then on.'],
];

export const privacyOf = (channel: {
  readonly invite_only: boolean;
  readonly is_web_public: boolean;
  readonly history_public_to_subscribers: boolean;
}): Privacy => {
  if (channel.is_web_public) return 'web-public';
  if (!channel.invite_only) return 'public';
  return channel.history_public_to_subscribers ? 'private' : 'secret';
};

/** Tests whether the account may make a channel like that, or change one to it. */
export function mayHavePrivacy({ facts }: Contents, privacy: Privacy): boolean {
  switch (privacy) {
    case 'web-public':
      return facts.can_create_web_public_streams === true;
    case 'public':
      return facts.can_create_public_streams === true;
    default:
      return facts.can_create_private_streams === true;
  }
}

export const privacyChange = (privacy: Privacy): ChannelChange => ({
  is_private: privacy === 'private' || privacy === 'secret',
  is_web_public: privacy === 'web-public',
  history_public_to_subscribers: privacy !== 'secret',
});

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

/** Takes people out of a channel. */
export const removeSubscribers = (name: string, userIds: readonly number[]) =>
  app.chat.call('DELETE', '/users/me/subscriptions', {
    subscriptions: [name],
    principals: userIds,
  });

/** Ends the addresses by which mails come to a channel, for all people. */
export const endMailAddresses = (channelId: number) =>
  app.chat.call('DELETE', '/streams/{stream_id}/email_address', { stream_id: channelId });

/** Fetches the address by which mails would come to a channel. */
export async function mailAddress(channelId: number): Promise<string> {
  const { email } = await app.chat.call('GET', '/streams/{stream_id}/email_address', {
    stream_id: channelId,
  });
  return email;
}
