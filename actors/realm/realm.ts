import { type AnyActorRef, assertEvent, assign, fromPromise, setup } from 'xstate';
import { SWEEP_INTERVAL_MS } from './housekeeping.ts';
import { openRealmParts, type RealmInput, type RealmParts } from './parts.ts';

interface RealmContext extends RealmInput {
  readonly parts: RealmParts | null;
  /** The error that stopped it, once it has failed. */
  readonly failure: unknown;
  readonly retryAfterMs: () => number;
}

/**
 * The lifecycle of a realm. Operations do not pass through its machine, as a send costs as much as
 * their work: they join the next commit directly (`parts.commits`), through a door that it owns.
 */
export const realmMachine = setup({
  types: {
    context: {} as RealmContext,
    input: {} as RealmInput,
    events: {} as
      | { type: 'drain'; retryAfterMs: () => number }
      | { type: 'fail'; error: unknown }
      | { type: 'wake' },
  },
  actors: {
    load: fromPromise<RealmParts, RealmInput & { owner: AnyActorRef }>(({ input }) =>
      openRealmParts(input),
    ),
    drain: fromPromise<void, RealmParts | null>(async ({ input }) => {
      await input?.close();
    }),
  },
  delays: {
    sweepInterval: SWEEP_INTERVAL_MS,
    untilDue: ({ context }) => context.parts?.scheduler.untilDue() ?? 0,
  },
  actions: {
    openDoor: ({ context }) => context.parts?.door.open(),
    closeDoor: ({ context }) => context.parts?.door.close(),
    sweep({ context }) {
      context.parts?.housekeeping.sweep();
      context.parts?.census.sweep();
    },
    doWhatIsDue: ({ context }) => context.parts?.scheduler.work(),
    dismissConsumers: ({ context }) => context.parts?.dismissConsumers(context.retryAfterMs),
    noteRetry: assign({
      retryAfterMs: ({ event }) => {
        assertEvent(event, 'drain');
        return event.retryAfterMs;
      },
    }),
    noteFailure: assign({ failure: ({ event }) => (event as { error?: unknown }).error }),
  },
}).createMachine({
  id: 'realm',
  context: ({ input }) => ({ ...input, parts: null, failure: null, retryAfterMs: () => 0 }),
  initial: 'loading',
  states: {
    loading: {
      invoke: {
        src: 'load',
        // Channels and attached queues are its children: a realm is one system of actors.
        input: ({ context, self }) => ({ ...context, owner: self }),
        onDone: { target: 'active', actions: assign({ parts: ({ event }) => event.output }) },
        onError: { target: 'failed', actions: 'noteFailure' },
      },
    },
    active: {
      entry: 'openDoor',
      exit: 'closeDoor',
      type: 'parallel',
      states: {
        housekeeping: {
          initial: 'waiting',
          states: {
            waiting: { after: { sweepInterval: 'sweeping' } },
            sweeping: { entry: 'sweep', always: 'waiting' },
          },
        },
        scheduler: {
          initial: 'due', // something may have become due while the server was down
          states: {
            waiting: {
              after: { untilDue: 'due' },
              on: { wake: { target: 'waiting', reenter: true } },
            },
            due: { entry: 'doWhatIsDue', always: 'waiting' },
          },
        },
      },
      on: {
        drain: { target: 'draining', actions: 'noteRetry' },
        fail: { target: 'failed', actions: 'noteFailure' },
      },
    },
    draining: {
      entry: 'dismissConsumers',
      invoke: { src: 'drain', input: ({ context }) => context.parts, onDone: 'stopped' },
    },
    failed: { type: 'final' },
    stopped: { type: 'final' },
  },
});
