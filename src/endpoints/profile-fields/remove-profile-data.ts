import * as profileValues from '../../operations/users/profile-values.ts';
import { endpoint } from '../endpoint.ts';
import { idList } from '../params.ts';
import { people } from '../permissions.ts';

export const removeProfileData = endpoint({
  summary: 'Remove values from the custom fields of your profile',
  method: 'DELETE',
  path: '/users/me/profile_data',
  allow: people,
  params: { data: idList.describe('Ids of fields') },
  refuses: ['BAD_REQUEST'],
  emits: ['realm_user'],
  change: (tx, { user, params }) => profileValues.remove(tx, user, { user, fieldIds: params.data }),
});
