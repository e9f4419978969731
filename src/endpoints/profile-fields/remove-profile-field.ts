import * as profileFields from '../../operations/users/profile-fields.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';

export const removeProfileField = endpoint({
  summary: 'Remove a custom field from profiles, with what everyone has in it',
  method: 'DELETE',
  path: '/realm/profile_fields/{field_id}',
  allow: administratorsOnly,
  params: { field_id: integer },
  refuses: ['UNAUTHORIZED_PRINCIPAL', 'BAD_REQUEST'],
  emits: ['custom_profile_fields'],
  change: (tx, { params }) => profileFields.remove(tx, params.field_id),
});
