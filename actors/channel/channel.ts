import { type ActorRefFrom, type AnyActorRef, createActor, setup } from 'xstate';
import type { Announced } from '../../src/events/for-client.ts';
import type { LogTail } from '../event-queue/log-tail.ts';
import type { AttachedQueue } from '../event-queue/queue.ts';
import { sendOrThrow } from '../send-or-throw.ts';
import { addToOpenBatch, type ChannelFields, closeOpenBatch } from './open-batch.ts';

interface ChannelInput {
  readonly channelId: number;
  readonly isArchived: boolean;
  readonly tail: LogTail;
}

/**
 * A channel while somebody listens to it. Archiving closes the batch, so that nothing of after it
 * goes out with messages of before. The audience stays: messages of an archived channel can still
 * be deleted, and its subscribers hear of that.
 */
const channelMachine = setup({
  types: {
    context: {} as ChannelFields & Pick<ChannelInput, 'isArchived'>,
    input: {} as ChannelInput,
    events: {} as { readonly type: 'archive' | 'unarchive' | 'end' },
  },
  guards: { wasArchived: ({ context }) => context.isArchived },
  actions: { closeBatch: ({ context }) => closeOpenBatch(context) },
}).createMachine({
  id: 'channel',
  context: ({ input }) => ({ ...input, audience: new Set(), openBatch: null }),
  initial: 'starting',
  on: { end: '.ended' },
  states: {
    starting: { always: [{ guard: 'wasArchived', target: 'archived' }, { target: 'active' }] },
    active: { on: { archive: { target: 'archived', actions: 'closeBatch' } } },
    archived: { on: { unarchive: 'active' } },
    /** The channel has no listener any more. */
    ended: { type: 'final' },
  },
});

export type Channel = ActorRefFrom<typeof channelMachine>;

/** Starts the actor of a channel as a child of its realm's actor. */
export function startChannel(input: ChannelInput, owner: AnyActorRef): Channel {
  const systemId = channelSystemId(input.channelId);
  return createActor(channelMachine, { input, parent: owner, systemId }).start();
}

/** Returns the name by which a realm's system finds the actor of a channel that is listened to. */
export const channelSystemId = (channelId: number) => `channel ${channelId}`;

/** The context is changed in place, so it stays the one that the actor started with. */
const fieldsOf = (channel: Channel): ChannelFields => channel.getSnapshot().context;

/** Puts a queue into the channel's audience. */
export function join(channel: Channel, queue: AttachedQueue) {
  fieldsOf(channel).audience.add(queue);
}

/** Takes a queue out of the audience. The channel's actor ends with its last queue. */
export function leave(channel: Channel, queue: AttachedQueue): { isEnded: boolean } {
  const { audience } = fieldsOf(channel);
  audience.delete(queue);
  const isEnded = audience.size === 0;
  if (isEnded) sendOrThrow(channel, { type: 'end' });
  return { isEnded };
}

/** Collects an event for the audience in the batch that its queues share. */
export function collect(channel: Channel, announcement: Announced) {
  addToOpenBatch(fieldsOf(channel), announcement);
}

/** Gives the collected events to the audience as it is now. */
export function closeBatch(channel: Channel) {
  closeOpenBatch(fieldsOf(channel));
}

export function setArchived(channel: Channel, isArchived: boolean) {
  sendOrThrow(channel, { type: isArchived ? 'archive' : 'unarchive' });
}

/** Describes a channel to operators. */
export function describeChannel(channel: Channel) {
  const { value, context } = channel.getSnapshot();
  return { channelId: context.channelId, state: value, listeners: context.audience.size };
}
