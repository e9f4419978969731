import { createActor } from 'xstate';
import { channelMachine } from '../channel/channel.ts';
import { loadListener } from '../event-queue/listeners.ts';
import type { EventQueue } from '../event-queue/queue.ts';
import type { FeedState } from './feed-state.ts';
import { settleLive } from './feeding.ts';

/** The queue is attached: it hears of what its owner hears of. */
export function join(state: FeedState, queue: EventQueue) {
  let listener = state.listeners.get(queue.userId);
  if (listener === undefined) {
    listener = loadListener(state.reader, queue.userId, state.head);
    state.listeners.set(queue.userId, listener);
  }
  queue.listener = listener;
  listener.queues = listener.queues.concat([queue]);
  state.attached.add(queue);
  if (queue.options.allPublicChannels) state.publicQueues.add(queue);
  for (const channelId of listener.channels) audienceOf(state, channelId).add(queue);
}

export function leave(state: FeedState, queue: EventQueue) {
  const { listener } = queue;
  if (listener === null) return;
  settleLive(state, queue);
  state.attached.delete(queue);
  state.publicQueues.delete(queue);
  for (const channelId of listener.channels) leaveChannel(state, channelId, queue);
  listener.queues = listener.queues.filter((other) => other !== queue);
  if (listener.queues.length === 0) state.listeners.delete(queue.userId);
  queue.listener = null;
}

/** The queues that hear of a channel; its actor begins with the first of them and ends with the last. */
export function audienceOf(state: FeedState, channelId: number): Set<EventQueue> {
  let channel = state.channels.get(channelId);
  if (channel === undefined) {
    channel = createActor(channelMachine, { input: { channelId }, parent: state.owner }).start();
    state.channels.set(channelId, channel);
  }
  return channel.getSnapshot().context.audience;
}

export function leaveChannel(state: FeedState, channelId: number, queue: EventQueue) {
  const channel = state.channels.get(channelId);
  const audience = channel?.getSnapshot().context.audience;
  audience?.delete(queue);
  if (audience?.size === 0) {
    channel?.send({ type: 'end' });
    state.channels.delete(channelId);
  }
}
