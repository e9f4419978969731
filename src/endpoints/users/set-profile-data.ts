import { z } from 'zod';
import { PROFILE_FIELDS_MAX } from '../../domain/limits.ts';
import * as profileValues from '../../operations/profile-values.ts';
import { endpoint } from '../endpoint.ts';
import { json } from '../params.ts';
import { people } from '../permissions.ts';

const entry = z.object(
  {
    id: z.int('is not an integer'),
    value: z.union([z.string(), z.array(z.int()), z.null()], 'is no value of a field'),
  },
  'is not an object',
);

export const setProfileData = endpoint({
  summary: 'Set values in the custom fields of your profile',
  method: 'PATCH',
  path: '/users/me/profile_data',
  allow: people,
  params: {
    data: json(
      z.array(entry, 'is not a list').max(PROFILE_FIELDS_MAX, 'has too many items'),
    ).describe('Text, or ids of users; null or an empty one removes the value'),
  },
  refuses: ['BAD_REQUEST'],
  emits: ['realm_user'],
  change: (tx, { user, place, params }) =>
    profileValues.set(tx, { user, place }, { user, entries: params.data }),
});
