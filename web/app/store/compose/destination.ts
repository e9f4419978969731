import type { Message } from '../feed/message.ts';
import { peopleOf } from '../feed/message.ts';
import type { Place } from '../route.ts';

/** The conversation that a message goes to. */
export type Destination =
  | { readonly type: 'channel'; readonly channelId: number | null; readonly topic: string }
  | { readonly type: 'direct'; readonly userIds: readonly number[] };

export const NOWHERE: Destination = { type: 'channel', channelId: null, topic: '' };

/** Returns a text that is the same for the same conversation. */
export const destinationKey = (to: Destination): string =>
  to.type === 'direct'
    ? `dm ${[...to.userIds].sort((one, other) => one - other).join(',')}`
    : `${to.channelId ?? ''} ${to.topic.trim().toLowerCase()}`;

/** A draft as the server keeps it. */
export interface Draft {
  readonly id: number;
  readonly type: '' | 'private' | 'stream';
  readonly to: readonly number[];
  readonly topic: string;
  readonly content: string;
  readonly timestamp: number;
}

/** Returns where the text of a draft goes. */
export function destinationIn({ type, to, topic }: Draft): Destination | null {
  if (type === 'private') return { type: 'direct', userIds: to };
  return { type: 'channel', channelId: type === 'stream' ? (to[0] ?? null) : null, topic };
}

/** Returns where a message goes that is written beside a narrow. */
export function destinationOf(place: Place | null): Destination {
  if (place === null) return NOWHERE;
  if (place.kind === 'dm') return { type: 'direct', userIds: place.userIds };
  const topic = place.kind === 'topic' ? place.topic : '';
  return { type: 'channel', channelId: place.channelId, topic };
}

/** Returns where an answer to a message goes. */
export function answerTo(message: Message, ownId: number): Destination {
  if (message.type === 'stream') {
    return { type: 'channel', channelId: message.stream_id ?? null, topic: message.subject };
  }
  const others = peopleOf(message).filter((id) => id !== ownId);
  return { type: 'direct', userIds: others.length === 0 ? [ownId] : others };
}

/** Tells whether a message can go there. A channel may allow messages without a topic. */
export const isWhole = (to: Destination): boolean =>
  to.type === 'direct' ? to.userIds.length > 0 : to.channelId !== null;

/** Returns the parameters of `POST /messages`. What one writes here one has read. */
export const paramsOf = (to: Destination, content: string) =>
  to.type === 'direct'
    ? ({ type: 'direct', to: to.userIds, content, read_by_sender: true } as const)
    : ({
        type: 'channel',
        to: to.channelId ?? 0,
        topic: to.topic.trim(),
        content,
        read_by_sender: true,
      } as const);
