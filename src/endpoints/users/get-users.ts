import { z } from 'zod';
import * as objects from '../../domain/wire/objects.ts';
import * as userAccess from '../../operations/access/user-access.ts';
import { allAtOnce } from '../../operations/users/profile-values.ts';
import { userObject } from '../../operations/users/users.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, idList } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const getUsers = endpoint({
  summary: 'Get all users, or some',
  method: 'GET',
  path: '/users',
  allow: anyUser,
  spectators: true,
  params: {
    client_gravatar: boolean.default(true),
    include_custom_profile_fields: boolean.default(false),
    user_ids: idList.optional(),
  },
  reply: {
    members: z.array(
      objects.user.extend({
        timezone: objects.user.shape.timezone.optional().describe('Absent for those not logged in'),
      }),
    ),
  },
  refuses: ['BAD_REQUEST'],
  read: (reader, { user: viewer, site, params }) => {
    const format = {
      viewer,
      site,
      clientGravatar: params.client_gravatar,
      profileOf: params.include_custom_profile_fields ? allAtOnce(reader) : undefined,
    };
    return {
      members: userAccess
        .list(reader, viewer, params.user_ids)
        .map((user) => userObject(user, format)),
    };
  },
});
