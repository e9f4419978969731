import { z } from 'zod';
import { DAYS_MAX } from '../../domain/limits/organizations.ts';
import { accountOfUser } from '../../operations/access/authentication.ts';
import * as realms from '../../operations/access/realms.ts';
import * as sessions from '../../operations/accounts/sessions.ts';
import { endpoint } from '../endpoint.ts';
import { json } from '../params.ts';
import { ownersOnly } from '../permissions.ts';

export const deactivateRealm = endpoint({
  summary: 'Deactivate the organization',
  description:
    'Nobody can do anything in it any more, and it does nothing by itself; all that it has is kept. The operator of the ' +
    'server can reactivate it, and delete it when the delay is over.',
  method: 'POST',
  path: '/realm/deactivate',
  allow: ownersOnly,
  params: {
    deletion_delay_days: json(
      z.int({ error: 'is not an integer' }).max(DAYS_MAX, 'is too large').nullable(),
    )
      .default(null)
      .describe('At least 14. Null: no time is set'),
  },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['realm'],
  exchange({ user, params }, { realm, answer, refuse }) {
    realm
      .perform((tx) => {
        ownersOnly(accountOfUser(tx, user.id));
        realms.deactivate(tx, params.deletion_delay_days);
      }, user.id)
      // The clients of the organization have got the event by now.
      .then(() => realm.perform(sessions.endAllOfRealm))
      .then(() => answer({}), refuse);
  },
});
