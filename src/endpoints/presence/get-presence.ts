import { z } from 'zod';
import { timestamp } from '../../domain/wire/objects.ts';
import * as userAccess from '../../operations/access/user-access.ts';
import * as presences from '../../operations/users/presences.ts';
import { endpoint } from '../endpoint.ts';
import { text } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { idOrEmail } from '../users/id-or-email.ts';

export const getPresence = endpoint({
  summary: "Get a user's presence",
  method: 'GET',
  path: '/users/{user_id_or_email}/presence',
  allow: anyUser,
  params: { user_id_or_email: text },
  reply: {
    presence: z.strictObject({
      aggregated: z.strictObject({ status: z.enum(['active', 'idle', 'offline']), timestamp }),
      website: z.strictObject({ status: z.enum(['active', 'idle']), timestamp }),
    }),
  },
  refuses: ['BAD_REQUEST'],
  read(reader, { user: viewer, site, now, params }) {
    const named = idOrEmail(params.user_id_or_email);
    const user = userAccess.find(reader, { user: viewer, site }, named);
    return { presence: presences.statusOf(reader, user, now) };
  },
});
