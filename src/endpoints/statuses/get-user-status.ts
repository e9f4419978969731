import { userStatus } from '../../domain/wire/objects.ts';
import * as userAccess from '../../operations/access/user-access.ts';
import { statusObject } from '../../operations/users/statuses.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const getUserStatus = endpoint({
  summary: "Get a user's status",
  method: 'GET',
  path: '/users/{user_id}/status',
  allow: anyUser,
  params: { user_id: integer },
  reply: { status: userStatus },
  refuses: ['BAD_REQUEST'],
  read: (reader, { user: viewer, site, params }) => ({
    status: statusObject(
      reader,
      userAccess.findActivePerson(reader, { user: viewer, site }, params.user_id),
      site.settings,
    ),
  }),
});
