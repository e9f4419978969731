import * as groupMembers from '../../operations/groups/members.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { parts } from './group-params.ts';

export const updateSubgroups = endpoint({
  summary: 'Add groups to a user group, or remove them',
  method: 'POST',
  path: '/user_groups/{user_group_id}/subgroups',
  allow: anyUser,
  params: {
    user_group_id: integer,
    add: parts.default([]).describe('Ids of groups'),
    delete: parts.default([]).describe('Ids of groups'),
  },
  refuses: ['BAD_REQUEST'],
  emits: ['user_group', 'stream', 'subscription'],
  change: (tx, request) => {
    const { params } = request;
    groupMembers.change(tx, request, params.user_group_id, {
      add: [],
      remove: [],
      addSubgroups: params.add,
      removeSubgroups: params.delete,
    });
  },
});
