import * as mutedUsers from '../../operations/personal/muted-users.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const muteUser = endpoint({
  summary: 'Mute a user: their messages begin as read for you',
  method: 'POST',
  path: '/users/me/muted_users/{muted_user_id}',
  allow: anyUser,
  params: { muted_user_id: integer },
  refuses: ['BAD_REQUEST'],
  emits: ['muted_users', 'update_message_flags'],
  change: (tx, { user, site, params }) => mutedUsers.mute(tx, { user, site }, params.muted_user_id),
});
