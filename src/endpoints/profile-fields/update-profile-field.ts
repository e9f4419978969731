import * as profileFields from '../../operations/users/profile-fields.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';
import { fieldName, fieldParams } from './profile-field-params.ts';

export const updateProfileField = endpoint({
  summary: 'Change a custom field of profiles',
  method: 'PATCH',
  path: '/realm/profile_fields/{field_id}',
  allow: administratorsOnly,
  params: { field_id: integer, name: fieldName.optional(), ...fieldParams },
  refuses: ['UNAUTHORIZED_PRINCIPAL', 'BAD_REQUEST'],
  emits: ['custom_profile_fields', 'realm_user'],
  change: (tx, { params: { field_id, ...change } }) => profileFields.update(tx, field_id, change),
});
