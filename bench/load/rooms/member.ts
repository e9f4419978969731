import type { ParseEvents, Place } from '../known-events.ts';
import { TOPIC } from '../speaker.ts';
import type { Address } from '../stream.ts';

/** Somebody in a chat room, by the protocol that its server speaks. */
export interface Member {
  /** The number is the member's own; `accepted` names it when the server has taken the message. */
  readonly say: (localId: number, content: string) => void;
  readonly leave: () => void;
}

export interface MemberEvents {
  /** From now on everything that is said in the room arrives. */
  readonly joined: () => void;
  /** Something that was said; the place is valid until this returns. */
  readonly heard: (place: Place) => void;
  readonly accepted: (localId: number, messageId: number) => void;
  /** Not for this member, or not as the protocol says it. */
  readonly failed: (reason: string) => void;
}

export interface Protocol {
  /** The name is as long as that of every other member. */
  readonly join: (address: Address, name: string, on: MemberEvents) => Member;
  /** The text that only messages to this member contain. */
  readonly ownText: (name: string) => string;
  /** Reads the events of a place that was heard. */
  readonly parse: ParseEvents;
}

/** The fields that all messages of a room share, as the checks know them. */
export const ROOM_MESSAGE = { senderId: 0, topic: TOPIC, isHtml: false } as const;

export type ProtocolName = 'ws' | 'socket.io' | 'xmpp';
