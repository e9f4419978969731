import type { HistoryChannel } from '../../history.ts';
import { conversationMap, subscriptionBound } from '../shared/bounds.ts';
import { subscribed } from '../shared/subscribed.ts';
import { topicOf } from '../shared/topics.ts';

export interface Room {
  readonly id: string;
  /** `c` is a channel, `p` a private one, `d` a direct conversation. */
  readonly type: string;
  /** The name that people see. */
  readonly name: string;
  /** The name that is written behind `#`. */
  readonly handle: string;
  readonly description: string;
  /** The room that this one is a discussion of, or `''`. */
  readonly parent: string;
  readonly isArchived: boolean;
  readonly members: readonly string[];
  readonly creator: string;
  readonly createdAt: number | null;
}

/** The place of a room's messages; a topic is given for a discussion. */
export interface Place {
  readonly channel?: string;
  readonly topic?: string;
  readonly direct?: readonly string[];
}

/** Discussions of discussions end somewhere; one that is its own parent does not. */
const DISCUSSION_DEPTH_MAX = 20;

export class Rooms {
  private readonly rooms = conversationMap<Room>();
  private readonly subscriptions = subscriptionBound();
  private readonly subscribers = new Map<string, Map<string, number | null>>();
  private readonly handles = new Map<string, string>();

  /** Returns why a room is not taken, or null. */
  add(room: Room): string | null {
    if (room.id === '') return 'It has no _id.';
    if (this.rooms.has(room.id)) return 'The _id came before.';
    if (!['c', 'p', 'd'].includes(room.type))
      return `Rooms of the type ${room.type.slice(0, 20) || '?'} do not come along.`;
    if (room.type === 'd' && room.members.length === 0) return 'It names nobody who is part of it.';
    this.rooms.set(room.id, room);
    if (room.type !== 'd' && room.handle !== '') this.handles.set(room.handle, room.id);
    return null;
  }

  /** Notes a subscriber, with the time until which they have read the room (UNIX seconds). */
  subscribe(room: string, user: string, readUntil: number | null): void {
    if (room === '' || user === '') return;
    const users = this.subscribers.get(room) ?? new Map<string, number | null>();
    if (!users.has(user)) this.subscriptions.add();
    this.subscribers.set(room, users.set(user, readUntil ?? users.get(user) ?? null));
  }

  /** The times until which they have read, by user. */
  subscribersOf(room: string): ReadonlyMap<string, number | null> {
    return this.subscribers.get(room) ?? new Map();
  }

  /** Returns the id of the room with a name. */
  named(handle: string): string | undefined {
    return this.handles.get(handle);
  }

  /** Returns the rooms that become channels. */
  *channels(): Generator<Room> {
    for (const room of this.rooms.values()) {
      if (room.type !== 'd' && this.outermost(room) === room) yield room;
    }
  }

  /** A discussion lies in its channel, as a topic. Returns null for a room that is not known. */
  placeOf(id: string): Place | null {
    const room = this.rooms.get(id);
    if (room === undefined) return null;
    const outermost = this.outermost(room);
    if (outermost.type === 'd') return { direct: outermost.members };
    if (outermost === room) return { channel: room.id };
    return { channel: outermost.id, topic: topicOf(room.name) || 'discussion' };
  }

  private outermost(room: Room): Room {
    let outer = room;
    for (let depth = 0; depth < DISCUSSION_DEPTH_MAX; depth += 1) {
      const parent = this.rooms.get(outer.parent);
      if (parent === undefined) return outer;
      outer = parent;
    }
    return room;
  }
}

export const channelRow = (room: Room, rooms: Rooms): HistoryChannel => ({
  kind: 'channel',
  id: room.id,
  name: room.name || room.id,
  description: room.description,
  private: room.type === 'p',
  archived: room.isArchived,
  ...(room.createdAt === null ? {} : { createdAt: room.createdAt }),
  ...(room.creator === '' ? {} : { creator: room.creator }),
  ...subscribed(rooms.subscribersOf(room.id)),
});
