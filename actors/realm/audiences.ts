import type { AnyActorRef } from 'xstate';
import * as channels from '../channel/channel.ts';
import { stopLive } from '../event-queue/delivery.ts';
import { loadListener } from '../event-queue/listeners.ts';
import type { LogTail } from '../event-queue/log-tail.ts';
import { type AttachedQueue, type Listener, setListener } from '../event-queue/queue.ts';

/** The attached queues of a realm, by the audiences that they belong to. */
export interface Audiences {
  /** The realm's actor, whose children the channels are. */
  readonly owner: AnyActorRef;
  readonly tail: LogTail;
  /** The users with an attached queue. */
  readonly listeners: Map<number, Listener>;
  /** The channels that one of them is in. */
  readonly channels: Map<number, channels.Channel>;
  readonly attached: Set<AttachedQueue>;
  /** The attached queues with `all_public_streams`. */
  readonly publicQueues: Set<AttachedQueue>;
}

export const openAudiences = (given: Pick<Audiences, 'owner' | 'tail'>): Audiences => ({
  ...given,
  listeners: new Map(),
  channels: new Map(),
  attached: new Set(),
  publicQueues: new Set(),
});

/** Puts an attached queue into the audiences that its owner is in. */
export function join(audiences: Audiences, queue: AttachedQueue) {
  const { listeners, tail } = audiences;
  let listener = listeners.get(queue.userId);
  if (listener === undefined) {
    listener = loadListener(tail.reader, queue.userId, tail.head);
    listeners.set(queue.userId, listener);
  }
  setListener(queue, listener);
  audiences.attached.add(queue);
  if (queue.kind.options.allPublicChannels) audiences.publicQueues.add(queue);
  for (const channelId of listener.channels) joinChannel(audiences, channelId, queue);
}

export function leave(audiences: Audiences, queue: AttachedQueue) {
  const { listener } = queue;
  if (listener === null) return;
  stopLive(audiences.tail, queue);
  audiences.attached.delete(queue);
  audiences.publicQueues.delete(queue);
  for (const channelId of listener.channels) leaveChannel(audiences, channelId, queue);
  setListener(queue, null);
  if (listener.queues.length === 0) audiences.listeners.delete(queue.userId);
}

/** Puts a queue into the audience of a channel, whose actor starts with the first queue. */
export function joinChannel(audiences: Audiences, channelId: number, queue: AttachedQueue) {
  let channel = audiences.channels.get(channelId);
  if (channel === undefined) {
    const { owner, tail } = audiences;
    const isArchived = tail.reader.channels.get([channelId])?.isArchived ?? false;
    channel = channels.startChannel({ channelId, isArchived, tail }, owner);
    audiences.channels.set(channelId, channel);
  }
  channels.join(channel, queue);
}

export function leaveChannel(audiences: Audiences, channelId: number, queue: AttachedQueue) {
  const channel = audiences.channels.get(channelId);
  if (channel !== undefined && channels.leave(channel, queue).isEnded) {
    audiences.channels.delete(channelId);
  }
}
