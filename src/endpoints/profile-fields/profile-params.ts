import { z } from 'zod';
import { PROFILE_FIELDS_MAX } from '../../domain/limits/accounts.ts';
import { json } from '../params.ts';

const entry = z.object(
  {
    id: z.int('is not an integer'),
    value: z.union([z.string(), z.array(z.int()), z.null()], 'is no value of a field'),
  },
  'is not a dict',
);

/** Accepts values for custom fields of a profile. */
export const profileEntries = json(
  z.array(entry, 'is not a list').max(PROFILE_FIELDS_MAX, 'has too many items'),
).describe('Text, or ids of users; null or an empty one removes the value');
