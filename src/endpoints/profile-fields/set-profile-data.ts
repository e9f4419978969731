import * as profileValues from '../../operations/users/profile-values.ts';
import { endpoint } from '../endpoint.ts';
import { people } from '../permissions.ts';
import { profileEntries } from './profile-params.ts';

export const setProfileData = endpoint({
  summary: 'Set values in the custom fields of your profile',
  method: 'PATCH',
  path: '/users/me/profile_data',
  allow: people,
  params: { data: profileEntries },
  refuses: ['BAD_REQUEST'],
  emits: ['realm_user'],
  change: (tx, { user, site, params }) =>
    profileValues.set(tx, { user, site }, { user, entries: params.data }),
});
