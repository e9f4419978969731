import type { Verdict } from './delivery-log.ts';
import type { ListenerPlan } from './listen.ts';
import type { ReplayMessage, ReplayProgress, ReplayResult } from './replay-messages.ts';
import type { RoomPlan } from './rooms/room.ts';
import type { ClosedLoop, FixedRate, LoadResult, SendPlan } from './send.ts';
import type { SettledSend, SteadyPlan, SteadySend } from './steady-sends.ts';
import type { Address } from './stream.ts';

/** The commands of a load process, each with its input and its answer. */
export interface Commands {
  readonly target: [given: Address, answer: null];
  readonly listen: [given: readonly ListenerPlan[], answer: null];
  readonly plan: [given: SendPlan, answer: null];
  /**
   * Listeners and somebody who speaks in a room of another chat server: instead of the two above.
   */
  readonly join: [given: RoomPlan, answer: null];
  readonly closedLoop: [given: ClosedLoop, answer: LoadResult];
  /** Sends before anybody listens, of which nothing is checked but the answers. */
  readonly warmUp: [given: Omit<ClosedLoop, 'until'>, answer: LoadResult];
  readonly fixedRate: [given: FixedRate, answer: LoadResult];
  /** Messages come in portions, because one process message of all of them would be huge. */
  readonly addMessages: [given: readonly ReplayMessage[], answer: null];
  readonly replay: [given: null, answer: ReplayResult];
  /** Sends at a rate for each plan, in a process that does not listen, until the second ends it. */
  readonly startSteady: [given: readonly SteadyPlan[], answer: null];
  readonly stopSteady: [given: null, answer: readonly (readonly SteadySend[])[]];
  /**
   * Waits until so many sockets are attached; gives when they were, on the clock of all processes.
   */
  readonly untilAttached: [given: number, answer: number];
  /**
   * Tells the process that listens what the other has sent, and waits until all listeners have it.
   */
  readonly settle: [given: readonly SteadySend[], answer: readonly SettledSend[]];
  readonly verdict: [given: null, answer: FullVerdict];
  /** The same as `close`, and deletes the queues, on a server that goes on. */
  readonly leave: [given: null, answer: null];
  /** Closes all connections and forgets what was checked. */
  readonly close: [given: null, answer: null];
}

export interface FullVerdict extends Verdict {
  readonly reconnects: number;
  readonly failures: readonly string[];
}

export interface CommandMessage {
  readonly number: number;
  readonly name: keyof Commands;
  readonly given: unknown;
}

export type AnswerMessage =
  | { readonly number: number; readonly answer: unknown }
  | { readonly number: number; readonly error: string }
  | { readonly number: number; readonly progress: ReplayProgress };
