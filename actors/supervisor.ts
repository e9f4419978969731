import { type ActorRefFrom, createActor } from 'xstate';
import type { Clock } from './clock.ts';
import type { RealmInput, RealmParts } from './realm/parts.ts';
import { realmMachine } from './realm/realm.ts';
import { type Realm, realmHandle } from './realm/realm-handle.ts';
import { sendOrThrow } from './send-or-throw.ts';

/** The pause before a failed realm starts again, so that a fault that stays does not spin. */
const RESTART_PAUSE_MS = 1_000;

/**
 * Keeps one realm running: an exception in its actors costs consumers a reconnect, not the process.
 */
export interface SupervisedRealm {
  /** Returns the newest incarnation, which is closed while the realm starts again. */
  current(): Realm;
  stop(retryAfterMs: () => number): Promise<void>;
}

interface SupervisorInput extends Omit<RealmInput, 'onBug'> {
  readonly clock: Clock;
  /** A bug stopped the realm, and it is started again. */
  readonly onFailed: (error: unknown) => void;
  /** Called with the actor of each incarnation, before it starts. */
  readonly onActor?: ((actor: RealmActor) => void) | undefined;
}

export type RealmActor = ActorRefFrom<typeof realmMachine>;

export async function superviseRealm(input: SupervisorInput): Promise<SupervisedRealm> {
  let isStopping = false;
  /** The closing or opening of a store after a failure, for which a stop waits. */
  let underWay: Promise<unknown> = Promise.resolve();
  let { actor, realm } = await start();

  async function start() {
    const onBug = (error: unknown) => actor.send({ type: 'fail', error });
    const actor = createActor(realmMachine, {
      clock: input.clock,
      input: { ...input, onBug },
    });
    input.onActor?.(actor);
    const parts = await active(actor);
    try {
      const { value, context } = actor.getSnapshot();
      if (value === 'failed') throw context.failure;
      const realm = realmHandle(parts);
      actor.subscribe({
        next: (snapshot) => {
          if (snapshot.value === 'failed') void restart(actor, input.onFailed);
        },
        error: (error) => {
          input.onFailed(error);
          void restart(actor, () => undefined);
        },
      });
      return { actor, realm };
    } catch (error) {
      sendOrThrow(actor, { type: 'fail', error });
      await parts.close();
      throw error;
    }
  }

  async function restart(failed: RealmActor, note: (error: unknown) => void) {
    const { parts, failure } = failed.getSnapshot().context;
    note(failure);
    parts?.door.close();
    parts?.dismissConsumers(() => RESTART_PAUSE_MS);
    await noted(parts?.close() ?? Promise.resolve());
    while (!isStopping) {
      await new Promise<void>((resolve) => {
        input.clock.setTimeout(() => resolve(), RESTART_PAUSE_MS);
      });
      if (isStopping) return;
      try {
        ({ actor, realm } = await noted(start()));
        return;
      } catch (error) {
        input.onFailed(error);
      }
    }
  }

  function noted<Result>(task: Promise<Result>): Promise<Result> {
    underWay = task.catch(() => undefined);
    return task;
  }

  return {
    current: () => realm,
    async stop(retryAfterMs) {
      isStopping = true;
      await underWay;
      const stopped = settled(actor, 'stopped');
      if (actor.getSnapshot().status === 'active') actor.send({ type: 'drain', retryAfterMs });
      await stopped;
      // If it failed instead, its store is being closed.
      await underWay;
    },
  };
}

/** Starts the actor and waits until it takes commands. */
function active(actor: RealmActor): Promise<RealmParts> {
  return new Promise((resolve, reject) => {
    const subscription = actor.subscribe({
      next: ({ value, context }) => {
        if (value === 'failed') reject(context.failure);
        if (context.parts === null || typeof value !== 'object') return;
        subscription.unsubscribe();
        resolve(context.parts);
      },
      error: reject,
    });
    actor.start();
  });
}

function settled(actor: RealmActor, state: 'stopped'): Promise<void> {
  return new Promise((resolve) => {
    const look = (value: unknown) => {
      if (value === state || value === 'failed') resolve();
    };
    look(actor.getSnapshot().value);
    actor.subscribe({ next: ({ value }) => look(value), error: () => resolve() });
  });
}
