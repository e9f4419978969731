import * as profileFields from '../../operations/users/profile-fields.ts';
import { endpoint } from '../endpoint.ts';
import { idList } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';

export const reorderProfileFields = endpoint({
  summary: 'Put the custom fields of profiles into an order',
  method: 'PATCH',
  path: '/realm/profile_fields',
  allow: administratorsOnly,
  params: { order: idList.describe('All of them') },
  refuses: ['UNAUTHORIZED_PRINCIPAL', 'BAD_REQUEST'],
  emits: ['custom_profile_fields'],
  change: (tx, { params }) => profileFields.reorder(tx, params.order),
});
