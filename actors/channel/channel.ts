import { type ActorRefFrom, assign, setup } from 'xstate';
import type { EventQueue } from '../event-queue/queue.ts';

/**
 * A channel while somebody listens to it. Its audience changes with every queue that attaches or leaves, so it is a set
 * in the context, changed in place by the realm; only its lifecycle is a matter of states.
 */
export const channelMachine = setup({
  types: {
    context: {} as { channelId: number; audience: Set<EventQueue> },
    input: {} as { channelId: number },
    events: {} as { type: 'archive' } | { type: 'unarchive' } | { type: 'end' },
  },
  actions: { dismissAudience: assign({ audience: () => new Set<EventQueue>() }) },
}).createMachine({
  id: 'channel',
  context: ({ input }) => ({ channelId: input.channelId, audience: new Set() }),
  initial: 'active',
  on: { end: '.ended' },
  states: {
    active: { on: { archive: { target: 'archived', actions: 'dismissAudience' } } },
    archived: { on: { unarchive: 'active' } },
    /** Nobody listens any more. */
    ended: { type: 'final' },
  },
});

export type ChannelActor = ActorRefFrom<typeof channelMachine>;
