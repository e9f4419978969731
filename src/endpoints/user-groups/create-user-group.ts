import { z } from 'zod';
import * as groupMembers from '../../operations/groups/members.ts';
import * as userGroups from '../../operations/groups/user-groups.ts';
import { endpoint } from '../endpoint.ts';
import { given, groupSetting, perPermission, text } from '../params.ts';
import { all, nonGuests, people } from '../permissions.ts';
import { PERMISSION_NAMES, PERMISSIONS, parts } from './group-params.ts';

export const createUserGroup = endpoint({
  summary: 'Create a user group',
  method: 'POST',
  path: '/user_groups/create',
  allow: all(nonGuests, people),
  params: {
    name: text,
    description: text,
    members: parts.describe('Ids of users'),
    subgroups: parts.default([]).describe('Ids of groups'),
    ...perPermission(PERMISSIONS, groupSetting),
  },
  reply: { group_id: z.int() },
  refuses: ['REQUEST_VARIABLE_MISSING', 'BAD_REQUEST'],
  emits: ['user_group', 'message'],
  change: (tx, request) => {
    const { params } = request;
    const group = userGroups.create(tx, request, {
      name: params.name,
      description: params.description,
      memberIds: params.members,
      subgroupIds: params.subgroups,
      permissions: given(PERMISSION_NAMES, params),
    });
    groupMembers.notifyFirstMembers(tx, request, group);
    return { group_id: group.id };
  },
});
