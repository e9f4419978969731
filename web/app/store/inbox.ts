import { type Channel, isHidden, type Policy, type Unread } from './shapes.ts';

/** The unread conversations, in the order in which they are shown. */
export interface Inbox {
  /** How many messages; those that are hidden do not count. */
  readonly count: number;
  readonly dms: readonly Unread[];
  readonly channels: readonly InboxChannel[];
}

export interface InboxChannel {
  readonly channel: Channel;
  readonly count: number;
  readonly topics: readonly Unread[];
}

export interface InboxInput {
  readonly unread: readonly Unread[];
  readonly channels: ReadonlyMap<number, Channel>;
  readonly policyOf: (channelId: number, topic: string) => Policy;
}

/** Sorts what is unread; a mention in a hidden topic is shown all the same. */
export function inboxOf({ unread, channels, policyOf }: InboxInput): Inbox {
  const dms: Unread[] = [];
  const topics = new Map<Channel, Unread[]>();
  for (const one of unread) {
    if (one.place.kind === 'dm') {
      dms.push(one);
      continue;
    }
    const { channelId, topic } = one.place;
    const channel = channels.get(channelId);
    if (channel === undefined) continue;
    if (!one.isMentioned && isHidden(channel.isMuted, policyOf(channelId, topic))) continue;
    const known = topics.get(channel);
    if (known === undefined) topics.set(channel, [one]);
    else known.push(one);
  }
  const sorted = [...topics]
    .map(([channel, some]) => ({ channel, count: sumOf(some), topics: some.sort(newestFirst) }))
    .sort((one, other) => channelOrder(one.channel, other.channel));
  return {
    count: sumOf(dms) + sorted.reduce((sum, { count }) => sum + count, 0),
    dms: dms.sort(newestFirst),
    channels: sorted,
  };
}

const sumOf = (some: readonly Unread[]) => some.reduce((sum, { count }) => sum + count, 0);

const newestFirst = (one: Unread, other: Unread) => other.newestId - one.newestId;

/** Pinned channels come first, muted ones last, and else the alphabet counts. */
export const channelOrder = (one: Channel, other: Channel): number =>
  Number(other.isPinned) - Number(one.isPinned) ||
  Number(one.isMuted) - Number(other.isMuted) ||
  one.name.localeCompare(other.name);

/**
 * Returns the unread topic after the one that is shown, as the Inbox has them, beginning again at
 * the top; undefined if there is no other.
 */
export function nextUnread(
  inbox: Inbox,
  kind: 'topic' | 'dm',
  isShown: (unread: Unread) => boolean,
): Unread | undefined {
  const all = kind === 'dm' ? inbox.dms : inbox.channels.flatMap(({ topics }) => topics);
  const at = all.findIndex(isShown);
  const turned = [...all.slice(at + 1), ...all.slice(0, at + 1)];
  return turned.find((one) => !isShown(one));
}
