import { assign, fromPromise, setup } from 'xstate';

/** The functions by which the server's actor starts and stops; `src/app.ts` has them. */
export interface ServerInput {
  /** Opens the realms and the listener. */
  readonly start: () => Promise<void>;
  /** Takes no new connections, dismisses consumers and awaits the last commit. */
  readonly drain: () => Promise<void>;
}

/** The lifecycle of the process: starting → ready → draining → stopped. */
export const serverMachine = setup({
  types: {
    context: {} as ServerInput & { failure: unknown },
    input: {} as ServerInput,
    events: {} as { type: 'stop' },
  },
  actors: {
    start: fromPromise<void, ServerInput>(({ input }) => input.start()),
    drain: fromPromise<void, ServerInput>(({ input }) => input.drain()),
  },
}).createMachine({
  id: 'server',
  context: ({ input }) => ({ ...input, failure: null }),
  initial: 'starting',
  states: {
    starting: {
      invoke: {
        src: 'start',
        input: ({ context }) => context,
        onDone: 'ready',
        onError: { target: 'failed', actions: assign({ failure: ({ event }) => event.error }) },
      },
    },
    ready: { on: { stop: 'draining' } },
    draining: {
      invoke: {
        src: 'drain',
        input: ({ context }) => context,
        onDone: 'stopped',
        onError: { target: 'failed', actions: assign({ failure: ({ event }) => event.error }) },
      },
    },
    stopped: { type: 'final' },
    failed: { type: 'final' },
  },
});
