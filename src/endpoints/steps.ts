import { accountOfUser } from '../operations/access/authentication.ts';
import type { Caller, RealmTransaction } from '../operations/access/caller.ts';
import type { Body, Exchange } from './endpoint.ts';

/** The result of a step: the answer, or the state for the next step. */
export type Stepped<State> = { readonly body: Body } | { readonly state: State };

/**
 * A step keeps nothing but what it returns: if it is undone with others, it is run again
 * (`Operation`).
 */
export type Step<State> = (
  tx: RealmTransaction,
  caller: Caller,
  state: State | undefined,
) => Stepped<State>;

export interface Steps<State> {
  readonly step: Step<State>;
  /** The result of the step before; undefined for the first. */
  readonly state?: State;
  /**
   * Tests whether the rest is done even if the account has been deactivated; else it has to be
   * active at each step.
   */
  readonly isDecided?: (state: State) => boolean;
}

/**
 * Runs an operation repeatedly, each time in a commit of its own, until it gives the answer,
 * because too much work in one commit would hold up all other requests. If a step is refused, the
 * steps before it stay done.
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
    // The account is read again: it may have changed since the last step.
    (tx) => step(tx, { site, client, user: isAnybodys ? user : accountOfUser(tx, user.id) }, state),
    (outcome) => {
      if (!outcome.isDone) refuse(outcome.error);
      else if ('body' in outcome.reply) answer(outcome.reply.body);
      else inSteps(caller, exchange, { step, state: outcome.reply.state, isDecided });
    },
    user.id,
  );
}
