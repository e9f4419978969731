import * as deactivation from '../../operations/accounts/deactivation.ts';
import { endpoint } from '../endpoint.ts';
import { people } from '../permissions.ts';
import { activityEvents } from './activity-events.ts';

export const deactivateOwnUser = endpoint({
  summary: 'Deactivate your own account, and your bots',
  method: 'DELETE',
  path: '/users/me',
  allow: people,
  params: {},
  refuses: ['BAD_REQUEST', 'CANNOT_DEACTIVATE_LAST_USER'],
  emits: activityEvents,
  change: (tx, { user }) => deactivation.ofSelf(tx, user),
});
