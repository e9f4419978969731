import type { Verdict } from './ledger.ts';
import type { ListenerPlan } from './listen.ts';
import type { ReplayMessage, ReplayProgress, ReplayResult } from './replay-messages.ts';
import type { RoomPlan } from './rooms/room.ts';
import type { ClosedLoop, FixedRate, LoadResult, SendPlan } from './send.ts';
import type { Address } from './stream.ts';

/** What a load process does on request: what it is given, and what it answers. */
export interface Commands {
  readonly target: [given: Address, answer: null];
  readonly listen: [given: readonly ListenerPlan[], answer: null];
  readonly plan: [given: SendPlan, answer: null];
  /** Listeners and somebody who speaks in a room of another chat server: instead of the two above. */
  readonly join: [given: RoomPlan, answer: null];
  readonly closedLoop: [given: ClosedLoop, answer: LoadResult];
  readonly fixedRate: [given: FixedRate, answer: LoadResult];
  /** Messages come in portions, because one process message of all of them would be huge. */
  readonly addMessages: [given: readonly ReplayMessage[], answer: null];
  readonly replay: [given: null, answer: ReplayResult];
  readonly verdict: [given: null, answer: FullVerdict];
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
