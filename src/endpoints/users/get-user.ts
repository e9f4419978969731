import * as objects from '../../domain/wire/objects.ts';
import * as userAccess from '../../operations/access/user-access.ts';
import { oneByOne } from '../../operations/users/profile-values.ts';
import { userObject } from '../../operations/users/users.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, text } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { idOrEmail } from './id-or-email.ts';

export const getUser = endpoint({
  summary: 'Get a user by id or email address',
  method: 'GET',
  path: '/users/{user_id_or_email}',
  allow: anyUser,
  params: {
    user_id_or_email: text,
    client_gravatar: boolean.default(true),
    include_custom_profile_fields: boolean.default(false),
  },
  reply: { user: objects.user },
  refuses: ['BAD_REQUEST'],
  read: (reader, { user: viewer, site, params }) => {
    const { user_id_or_email: named } = params;
    const user = userAccess.find(reader, { user: viewer, site }, idOrEmail(named));
    const format = {
      viewer,
      site,
      clientGravatar: params.client_gravatar,
      profileOf: params.include_custom_profile_fields ? oneByOne(reader) : undefined,
    };
    return { user: userObject(user, format) };
  },
});
