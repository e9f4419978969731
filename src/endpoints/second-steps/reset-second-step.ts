import * as errors from '../../domain/wire/errors.ts';
import { isOwner } from '../../domain/wire/roles.ts';
import * as secondSteps from '../../operations/second-steps/second-steps.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { accountManagers } from '../permissions.ts';

export const resetSecondStep = endpoint({
  summary: "Take somebody's second step away",
  description:
    'Their app, passkeys and recovery codes end, and their password logs them in alone. They are told by mail. That of an owner is for owners.',
  method: 'DELETE',
  path: '/users/{user_id}/second_step',
  emits: ['realm_user'],
  allow: accountManagers,
  params: { user_id: integer },
  refuses: ['BAD_REQUEST'],
  change(tx, { user: asker, site, params }) {
    const user = tx.users.get([params.user_id]);
    if (user === undefined || user.isSystem || user.botType !== null) throw errors.noSuchUser();
    if (isOwner(user.role) && !isOwner(asker.role)) {
      throw errors.badRequest('Must be an organization owner');
    }
    secondSteps.reset(tx, { user, site });
  },
});
