import { accountOfUser } from '../operations/authentication.ts';
import type { Caller } from '../operations/caller.ts';
import type { RealmTransaction } from '../operations/realm-access.ts';
import type { Body, Exchange } from './endpoint.ts';

/** What a step gives: the answer, or nothing while there is more to do. */
export type Step = (tx: RealmTransaction, caller: Caller) => Body | undefined;

export interface Steps {
  readonly step: Step;
  /** Whether what is left is done whoever asked for it is by now; else the account is to be active at each step. */
  readonly isDecided?: () => boolean;
}

/**
 * Runs an operation again and again, each time in a commit of its own, until it gives the answer: what is too much for one
 * commit must not hold up everyone else. What the steps did before one was refused stays done.
 */
export function inSteps(
  caller: Caller,
  { realm, answer, refuse }: Pick<Exchange, 'realm' | 'answer' | 'refuse'>,
  { step, isDecided = () => false }: Steps,
) {
  const { place, client, user } = caller;
  realm.run(
    // Read again: since the last step the account may have changed.
    (tx) => step(tx, { place, client, user: isDecided() ? user : accountOfUser(tx, user.id) }),
    (outcome) => {
      if (!outcome.isDone) refuse(outcome.error);
      else if (outcome.reply !== undefined) answer(outcome.reply);
      else inSteps(caller, { realm, answer, refuse }, { step, isDecided });
    },
  );
}
