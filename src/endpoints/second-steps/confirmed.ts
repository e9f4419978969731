import { accountOfUser } from '../../operations/access/authentication.ts';
import type { RealmTransaction, Site } from '../../operations/access/caller.ts';
import type { Owner } from '../../operations/second-steps/second-steps.ts';
import type { Body, Exchange } from '../endpoint.ts';
import { text } from '../params.ts';
import { people } from '../permissions.ts';
import { confirmPassword } from '../settings/checked-password.ts';

/** Declares an endpoint that changes the second step: it wants the password once more. */
export const CONFIRMED = {
  allow: people,
  addsSecondStep: true as const,
  params: {
    password: text.describe('Your password; five wrong ones within 30 minutes are a wait'),
  },
  refuses: ['BAD_REQUEST', 'RATE_LIMIT_HIT'] as const,
};

interface Confirming {
  readonly user: Owner['user'];
  readonly site: Site;
  readonly params: { readonly password: string };
}

/** Verifies the password, and then makes the change and answers with what it returns. */
export function confirmed(
  { user, site, params }: Confirming,
  { realm, answer, refuse }: Exchange,
  change: (tx: RealmTransaction, owner: Owner) => Body | void,
) {
  confirmPassword(realm, user, params.password)
    .then(() =>
      // The account is read again: it may have changed while the password was hashed.
      realm.perform((tx) => change(tx, { user: accountOfUser(tx, user.id), site }) ?? {}, user.id),
    )
    .then(answer, refuse);
}
