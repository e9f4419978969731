import type { Playground } from '../messages/playgrounds.ts';
import type { Place } from '../route.ts';
import type { Channel, Person } from '../shapes.ts';

/** A group that can be mentioned. */
export interface Group {
  readonly id: number;
  readonly name: string;
  readonly memberCount: number;
}

/** An emoji of the organization: a picture. */
export interface OwnEmoji {
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

/** The facts about the organization that menus have to know. */
export interface Offers {
  /** True if people may see who has read a message. */
  readonly readers: boolean;
  /** True if earlier versions of messages can be looked at. */
  readonly versions: boolean;
  /** True if messages can be reported: there is a channel for it. */
  readonly reports: boolean;
}

/**
 * The names in messages: people, channels and more. The frame makes it of the state of the account;
 * a component that reads a value of it is rendered again when the value changes.
 */
export interface Directory {
  readonly ownId: number;
  readonly person: (userId: number) => Person | undefined;
  readonly channel: (channelId: number) => Channel | undefined;
  readonly people: () => readonly Person[];
  readonly channels: () => readonly Channel[];
  readonly groups: () => readonly Group[];
  readonly isInGroup: (groupId: number) => boolean;
  readonly topics: (channelId: number) => readonly string[];
  /** People who write at a place now, without the own account. */
  readonly typing: (place: Place) => readonly number[];
  readonly ownEmoji: () => readonly OwnEmoji[];
  readonly setting: (name: string) => unknown;
  /** Says what the organization lets people do with messages; without it, they do none of it. */
  readonly offers?: () => Offers;
  /** Places where code can be tried out. */
  readonly playgrounds?: () => readonly Playground[];
}
