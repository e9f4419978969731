import * as accountChanges from '../../operations/accounts/changes.ts';
import { endpoint } from '../endpoint.ts';
import { role, text } from '../params.ts';
import { accountManagers } from '../permissions.ts';
import { profileEntries } from '../profile-fields/profile-params.ts';
import { idOrEmail } from './id-or-email.ts';

export const updateUser = endpoint({
  summary: "Change somebody's account",
  description:
    'The clients of somebody whose role changes register again: their event queues end. Only owners decide who is an owner, ' +
    'and change the address of one.',
  method: 'PATCH',
  path: '/users/{user_id_or_email}',
  allow: accountManagers,
  params: {
    user_id_or_email: text,
    full_name: text.optional(),
    role: role.optional(),
    profile_data: profileEntries.optional(),
    new_email: text.optional().describe('Holds at once, without being confirmed'),
  },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['realm_user', 'realm_bot', 'user_group'],
  change(tx, request) {
    const { user_id_or_email: named, ...change } = request.params;
    accountChanges.update(tx, request, { named: idOrEmail(named), change });
  },
});
