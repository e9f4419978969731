import * as userGroups from '../../operations/groups/user-groups.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, given, groupSettingChange, integer, perPermission, text } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { PERMISSION_NAMES, PERMISSIONS } from './group-params.ts';

export const updateUserGroup = endpoint({
  summary: 'Change a user group, or make a deactivated one active again',
  method: 'PATCH',
  path: '/user_groups/{user_group_id}',
  allow: anyUser,
  params: {
    user_group_id: integer,
    name: text.optional(),
    description: text.optional(),
    ...perPermission(PERMISSIONS, groupSettingChange),
    deactivated: boolean.optional().describe('Only false: the group is active again'),
  },
  refuses: ['BAD_REQUEST', 'EXPECTATION_MISMATCH'],
  emits: ['user_group'],
  change: (tx, request) => {
    const { params } = request;
    userGroups.change(tx, request, params.user_group_id, {
      name: params.name,
      description: params.description,
      isDeactivated: params.deactivated,
      permissions: given(PERMISSION_NAMES, params),
    });
  },
});
