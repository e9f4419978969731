import { type ActorRefFrom, assertEvent, assign, createActor, fromPromise, setup } from 'xstate';
import type { Clock } from './clock.ts';
import { sendOrThrow } from './send-or-throw.ts';

/** The work of a node for one shard; `src/cluster` has it. */
export interface ShardWork {
  /** Opens what the node holds of the shard, and reads the log to its present end. */
  join(): Promise<void>;
  /**
   * Returns after how many milliseconds the node may claim the shard, by what it has heard of an
   * owner until now; 0 for at once.
   */
  untilClaim(): number;
  /** Claims the shard. Resolves with false if the log has records that the node has not applied. */
  claim(): Promise<boolean>;
  /** Opens the realms, to write them. */
  own(): Promise<void>;
  /** Closes them, as another node owns the shard, and follows again. */
  disown(): Promise<void>;
  /** Closes them, gives the shard to this node, or to the first in line, and follows again. */
  release(to: string | null): Promise<void>;
  /** Closes what is held. */
  leave(): Promise<void>;
}

export type ShardState =
  | 'joining'
  | 'following'
  | 'claiming'
  | 'opening'
  | 'owning'
  | 'disowning'
  | 'releasing'
  | 'leaving'
  | 'left'
  | 'failed';

interface ShardContext {
  readonly work: ShardWork;
  /** Asked for while something else was under way. */
  readonly isDeposed: boolean;
  readonly isStopping: boolean;
  readonly release: { readonly to: string | null } | null;
  readonly failure: unknown;
}

type ShardEvent =
  /** Somebody else owns the shard, or it is not known whether a record was stored. */
  | { readonly type: 'deposed' }
  | { readonly type: 'release'; readonly to: string | null }
  /** The time until a claim may be another one now. */
  | { readonly type: 'look' }
  /** The log was cut, or cannot be applied: nothing of the shard may be served. */
  | { readonly type: 'broken'; readonly error: unknown }
  | { readonly type: 'stop' };

/** The time until a claim is looked at again after so long, at the latest. */
const LOOK_MS_MAX = 1_000;
/** A node that may not claim at the moment, as it does not reach the others, looks more often. */
const LOOK_MS = 200;

function lookInMs({ untilClaim }: ShardWork): number {
  const ms = untilClaim();
  return ms === Number.POSITIVE_INFINITY ? LOOK_MS : Math.max(0, Math.min(ms, LOOK_MS_MAX));
}

/** A node and one shard: joining → following → claiming → owning → releasing, and round again. */
const shardMachine = setup({
  types: {
    context: {} as ShardContext,
    input: {} as ShardWork,
    events: {} as ShardEvent,
  },
  actors: {
    join: fromPromise<void, ShardWork>(({ input }) => input.join()),
    claim: fromPromise<boolean, ShardWork>(({ input }) => input.claim()),
    own: fromPromise<void, ShardWork>(({ input }) => input.own()),
    disown: fromPromise<void, ShardWork>(({ input }) => input.disown()),
    release: fromPromise<void, ShardWork & { readonly to: string | null }>(({ input }) =>
      input.release(input.to),
    ),
    leave: fromPromise<void, ShardWork>(({ input }) => input.leave()),
  },
  delays: {
    untilClaim: ({ context }) => lookInMs(context.work),
  },
  guards: {
    mayClaim: ({ context }) => context.work.untilClaim() <= 0,
    isStopping: ({ context }) => context.isStopping,
    isDeposed: ({ context }) => context.isDeposed,
    isToRelease: ({ context }) => context.isStopping || context.release !== null,
  },
  actions: {
    noteDeposed: assign({ isDeposed: true }),
    noteStop: assign({ isStopping: true }),
    noteRelease: assign({
      release: ({ event }) => {
        assertEvent(event, 'release');
        return { to: event.to };
      },
    }),
    forget: assign({ isDeposed: false, release: null }),
    forgetDeposed: assign({ isDeposed: false }),
    noteFailure: assign({ failure: ({ event }) => (event as { error?: unknown }).error }),
  },
}).createMachine({
  id: 'shard',
  context: ({ input }) => ({
    work: input,
    isDeposed: false,
    isStopping: false,
    release: null,
    failure: null,
  }),
  initial: 'joining',
  on: {
    // They are seen to once what is under way is done.
    stop: { actions: 'noteStop' },
    deposed: { actions: 'noteDeposed' },
    broken: { target: '.failed', actions: 'noteFailure' },
  },
  states: {
    joining: {
      invoke: {
        src: 'join',
        input: ({ context }) => context.work,
        onDone: 'following',
        onError: { target: 'failed', actions: 'noteFailure' },
      },
    },
    following: {
      entry: 'forget',
      always: { guard: 'isStopping', target: 'leaving' },
      after: {
        untilClaim: [
          { guard: 'mayClaim', target: 'claiming' },
          { target: 'following', reenter: true },
        ],
      },
      on: {
        look: { target: 'following', reenter: true },
        stop: { target: 'leaving', actions: 'noteStop' },
      },
    },
    claiming: {
      invoke: {
        src: 'claim',
        input: ({ context }) => context.work,
        onDone: [
          { guard: ({ event }) => event.output, target: 'opening' },
          { target: 'following' },
        ],
        // It is not known who owns the shard: the log tells.
        onError: 'following',
      },
      on: { release: { actions: 'noteRelease' } },
    },
    opening: {
      entry: 'forgetDeposed',
      invoke: {
        src: 'own',
        input: ({ context }) => context.work,
        onDone: 'owning',
        onError: { target: 'failed', actions: 'noteFailure' },
      },
      on: { release: { actions: 'noteRelease' } },
    },
    owning: {
      always: [
        { guard: 'isDeposed', target: 'disowning' },
        { guard: 'isToRelease', target: 'releasing' },
      ],
      on: {
        deposed: { target: 'disowning', actions: 'noteDeposed' },
        release: { target: 'releasing', actions: 'noteRelease' },
        stop: { target: 'releasing', actions: 'noteStop' },
      },
    },
    disowning: {
      invoke: {
        src: 'disown',
        input: ({ context }) => context.work,
        onDone: 'following',
        onError: { target: 'failed', actions: 'noteFailure' },
      },
    },
    releasing: {
      invoke: {
        src: 'release',
        input: ({ context }) => ({ ...context.work, to: context.release?.to ?? null }),
        onDone: 'following',
        onError: { target: 'failed', actions: 'noteFailure' },
      },
    },
    leaving: {
      invoke: {
        src: 'leave',
        input: ({ context }) => context.work,
        onDone: 'left',
        onError: { target: 'failed', actions: 'noteFailure' },
      },
    },
    left: { type: 'final' },
    failed: { type: 'final' },
  },
});

export type ShardActor = ActorRefFrom<typeof shardMachine>;

/** A shard at a node, as the rest of the node sees it. */
export interface SupervisedShard {
  readonly actor: ShardActor;
  state(): ShardState;
  /** Resolves once it is in one of these states; rejects if it fails before. */
  reached(...states: readonly ShardState[]): Promise<void>;
  deposed(): void;
  release(to: string | null): void;
  look(): void;
  broken(error: unknown): void;
  /** Gives up what it owns, and closes what it holds. */
  stop(): Promise<void>;
}

interface SupervisorInput {
  readonly work: ShardWork;
  readonly clock: Clock;
  /** The shard cannot be held any more: a bug, a disk that fails, or a log that was cut. */
  readonly onFailed: (error: unknown) => void;
}

export function superviseShard({ work, clock, onFailed }: SupervisorInput): SupervisedShard {
  const actor = createActor(shardMachine, { input: work, clock });
  const state = () => actor.getSnapshot().value as ShardState;
  const failure = () => actor.getSnapshot().context.failure;

  function reached(...states: readonly ShardState[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const now = state();
        if (states.includes(now)) resolve();
        else if (now === 'failed') reject(failure());
        else return false;
        return true;
      };
      if (look()) return;
      const subscription = actor.subscribe({
        next: () => {
          if (look()) subscription.unsubscribe();
        },
        error: reject,
      });
    });
  }

  actor.subscribe({
    next: ({ value, context }) => {
      if (value === 'failed') onFailed(context.failure);
    },
    error: onFailed,
  });
  actor.start();
  return {
    actor,
    state,
    reached,
    deposed: () => sendOrThrow(actor, { type: 'deposed' }),
    release: (to) => sendOrThrow(actor, { type: 'release', to }),
    look: () => sendOrThrow(actor, { type: 'look' }),
    broken: (error) => sendOrThrow(actor, { type: 'broken', error }),
    async stop() {
      sendOrThrow(actor, { type: 'stop' });
      await reached('left', 'failed').catch(() => undefined);
    },
  };
}
