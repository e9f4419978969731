import { z } from 'zod';
import * as groupMembers from '../../operations/groups/members.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const getIsGroupMember = endpoint({
  summary: 'Get whether a user is in a user group',
  method: 'GET',
  path: '/user_groups/{user_group_id}/members/{user_id}',
  allow: anyUser,
  params: {
    user_group_id: integer,
    user_id: integer,
    direct_member_only: boolean.default(false).describe('Not by a group within it'),
  },
  reply: { is_user_group_member: z.boolean() },
  refuses: ['BAD_REQUEST'],
  read: (reader, { params }) => ({
    is_user_group_member: groupMembers.includes(reader, {
      groupId: params.user_group_id,
      userId: params.user_id,
      isDirect: params.direct_member_only,
    }),
  }),
});
