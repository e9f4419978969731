import { accountOfUser } from '../operations/access/authentication.ts';
import type { Caller, RealmTransaction } from '../operations/access/caller.ts';
import type { Body, Exchange } from './endpoint.ts';

/** What a step gives: the answer, or where the next one goes on. */
export type Stepped<State> = { readonly body: Body } | { readonly state: State };

/** It keeps nothing but what it gives: a step that is undone with others is run again (`Operation`). */
export type Step<State> = (
  tx: RealmTransaction,
  caller: Caller,
  state: State | undefined,
) => Stepped<State>;

export interface Steps<State> {
  readonly step: Step<State>;
  /** Of the step before; undefined of the first. */
  readonly state?: State;
  /** Whether what is left is done whoever asked for it is by now; else the account is to be active at each step. */
  readonly isDecided?: (state: State) => boolean;
}

/**
 * Runs an operation again and again, each time in a commit of its own, until it gives the answer: what is too much for one
 * commit must not hold up everyone else. What the steps did before one was refused stays done.
 */
export function inSteps<State>(
  caller: Caller,
  exchange: Pick<Exchange, 'realm' | 'answer' | 'refuse'>,
  { step, state, isDecided = () => false }: Steps<State>,
) {
  const { realm, answer, refuse } = exchange;
  const { site, client, user } = caller;
  const isAnybodys = state !== undefined && isDecided(state);
  realm.run(
    // Read again: since the last step the account may have changed.
    (tx) => step(tx, { site, client, user: isAnybodys ? user : accountOfUser(tx, user.id) }, state),
    (outcome) => {
      if (!outcome.isDone) refuse(outcome.error);
      else if ('body' in outcome.reply) answer(outcome.reply.body);
      else inSteps(caller, exchange, { step, state: outcome.reply.state, isDecided });
    },
    user.id,
  );
}
