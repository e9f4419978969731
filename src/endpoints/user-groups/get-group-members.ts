import { z } from 'zod';
import * as groupMembers from '../../operations/groups/members.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const getGroupMembers = endpoint({
  summary: 'Get the members of a user group',
  method: 'GET',
  path: '/user_groups/{user_group_id}/members',
  allow: anyUser,
  params: {
    user_group_id: integer,
    direct_member_only: boolean.default(false).describe('Without members of groups within it'),
  },
  reply: { members: z.array(z.int()).describe('Ids of active users, ascending') },
  refuses: ['BAD_REQUEST'],
  read: (reader, { params }) => ({
    members: groupMembers.members(reader, params.user_group_id, {
      isDirect: params.direct_member_only,
    }),
  }),
});
