import { z } from 'zod';
import * as profileFields from '../../operations/users/profile-fields.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';
import { fieldName, fieldParams } from './profile-field-params.ts';

export const addProfileField = endpoint({
  summary: 'Add a custom field to profiles',
  method: 'POST',
  path: '/realm/profile_fields',
  allow: administratorsOnly,
  params: {
    name: fieldName
      .optional()
      .describe('Not needed for an external account that the service knows'),
    field_type: integer.describe(
      '1 short text, 2 long text, 3 options, 4 date, 5 link, 6 users, 7 external account, 8 pronouns',
    ),
    ...fieldParams,
  },
  reply: { id: z.int() },
  refuses: ['UNAUTHORIZED_PRINCIPAL', 'REQUEST_VARIABLE_MISSING', 'BAD_REQUEST'],
  emits: ['custom_profile_fields'],
  change: (tx, { params }) => profileFields.add(tx, params),
});
