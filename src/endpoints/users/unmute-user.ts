import * as mutedUsers from '../../operations/personal/muted-users.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const unmuteUser = endpoint({
  summary: 'Unmute a user',
  method: 'DELETE',
  path: '/users/me/muted_users/{muted_user_id}',
  allow: anyUser,
  params: { muted_user_id: integer },
  refuses: ['BAD_REQUEST'],
  emits: ['muted_users'],
  change: (tx, { user, site, params }) =>
    mutedUsers.unmute(tx, { user, site }, params.muted_user_id),
});
