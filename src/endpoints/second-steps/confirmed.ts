import { accountOfUser } from '../../operations/access/authentication.ts';
import type { RealmTransaction } from '../../operations/access/caller.ts';
import type { Owner } from '../../operations/second-steps/second-steps.ts';
import type { Body, Exchange } from '../endpoint.ts';
import { text } from '../params.ts';
import { people } from '../permissions.ts';
import { confirmPerson } from './confirm-person.ts';

/** Declares an endpoint that changes the second step: the person has to be confirmed once more. */
export const CONFIRMED = {
  allow: people,
  addsSecondStep: true as const,
  params: {
    password: text
      .optional()
      .describe(
        'Your password, which an account has that `asks_password`; five wrong ones within 30 minutes are a wait',
      ),
  },
  refuses: ['BAD_REQUEST', 'REQUEST_VARIABLE_MISSING', 'RATE_LIMIT_HIT', 'DIRECTORY_AWAY'] as const,
};

/** Confirms the person, and then makes the change and answers with what it returns. */
export function confirmed(
  request: Parameters<typeof confirmPerson>[1],
  { realm, answer, refuse }: Exchange,
  change: (tx: RealmTransaction, owner: Owner) => Body | void,
) {
  const { user, site } = request;
  confirmPerson(realm, request)
    .then(() =>
      // The account is read again: it may have changed while the password was hashed.
      realm.perform((tx) => change(tx, { user: accountOfUser(tx, user.id), site }) ?? {}, user.id),
    )
    .then(answer, refuse);
}
