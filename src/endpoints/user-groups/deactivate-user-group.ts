import * as userGroups from '../../operations/groups/user-groups.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const deactivateUserGroup = endpoint({
  summary: 'Deactivate a user group that nothing uses',
  method: 'POST',
  path: '/user_groups/{user_group_id}/deactivate',
  allow: anyUser,
  params: { user_group_id: integer },
  refuses: ['BAD_REQUEST', 'CANNOT_DEACTIVATE_GROUP_IN_USE'],
  emits: ['user_group'],
  change: (tx, request) => {
    userGroups.deactivate(tx, request, request.params.user_group_id);
  },
});
