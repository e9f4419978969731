import * as userAccess from '../../operations/access/user-access.ts';
import * as userStatuses from '../../operations/users/statuses.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { administrators } from '../permissions.ts';
import { statusParams } from './status-params.ts';

export const setUserStatus = endpoint({
  summary: "Set another user's status",
  method: 'POST',
  path: '/users/{user_id}/status',
  allow: administrators,
  params: { user_id: integer, ...statusParams },
  refuses: ['BAD_REQUEST'],
  emits: ['user_status'],
  change(tx, { user: viewer, site, params: { user_id, ...change } }) {
    const user = userAccess.findActivePerson(tx, { user: viewer, site }, user_id);
    userStatuses.set(tx, user, { change, settings: site.settings });
  },
});
