/** The plain values that views show. `model.ts` makes them of the state of the account. */
import type { Place } from './route.ts';

export interface Person {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  /** Null where the account has no picture of its own. */
  readonly avatarUrl: string | null;
  readonly isBot: boolean;
  readonly isActive: boolean;
  readonly isGuest: boolean;
}

export type Presence = 'active' | 'idle' | 'offline';

export interface Channel {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly color: string;
  readonly folderId: number | null;
  readonly isMuted: boolean;
  readonly isPinned: boolean;
  readonly isPrivate: boolean;
  /** True if it is in the archive, where it takes no messages. */
  readonly isArchived: boolean;
}

export interface Folder {
  readonly id: number;
  readonly name: string;
}

/** A decision of the user about a topic. */
export type Policy = 'none' | 'muted' | 'unmuted' | 'followed';

/** A conversation with what is unread in it. */
export interface Unread {
  readonly place: Extract<Place, { kind: 'topic' | 'dm' }>;
  readonly count: number;
  readonly newestId: number;
  readonly isMentioned: boolean;
}

/** Returns a text that is the same for the same conversation. */
export const placeKey = (place: Place): string => {
  if (place.kind === 'dm') return `dm ${place.userIds.join(',')}`;
  if (place.kind === 'channel') return `channel ${place.channelId}`;
  return `topic ${place.channelId} ${place.topic.toLowerCase()}`;
};

/** A muted channel hides its topics, except those that are unmuted or followed. */
export const isHidden = (isChannelMuted: boolean, policy: Policy): boolean =>
  policy === 'muted' || (isChannelMuted && policy === 'none');

/** The name that is shown for a topic without one. */
export const NO_TOPIC = 'general chat';

/** A topic that is resolved begins with this. */
const RESOLVED = '✔ ';

export const isResolved = (topic: string): boolean => topic.startsWith(RESOLVED);

export const topicLabel = (topic: string): string =>
  topic === '' ? NO_TOPIC : isResolved(topic) ? topic.slice(RESOLVED.length) : topic;
