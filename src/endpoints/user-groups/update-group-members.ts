import * as groupMembers from '../../operations/groups/members.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { parts } from './group-params.ts';

export const updateGroupMembers = endpoint({
  summary: 'Add people and groups to a user group, or remove them',
  method: 'POST',
  path: '/user_groups/{user_group_id}/members',
  allow: anyUser,
  params: {
    user_group_id: integer,
    add: parts.default([]).describe('Ids of users'),
    delete: parts.default([]).describe('Ids of users'),
    add_subgroups: parts.default([]).describe('Ids of groups'),
    delete_subgroups: parts.default([]).describe('Ids of groups'),
  },
  refuses: ['BAD_REQUEST'],
  emits: ['user_group', 'stream', 'subscription', 'message'],
  change: (tx, request) => {
    const { params } = request;
    groupMembers.change(tx, request, params.user_group_id, {
      add: params.add,
      remove: params.delete,
      addSubgroups: params.add_subgroups,
      removeSubgroups: params.delete_subgroups,
    });
  },
});
