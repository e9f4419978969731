import { z } from 'zod';
import * as groupMembers from '../../operations/groups/members.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const getSubgroups = endpoint({
  summary: 'Get the groups within a user group',
  method: 'GET',
  path: '/user_groups/{user_group_id}/subgroups',
  allow: anyUser,
  params: {
    user_group_id: integer,
    direct_subgroup_only: boolean.default(false).describe('Without groups within those'),
  },
  reply: { subgroups: z.array(z.int()).describe('Ids of groups, ascending') },
  refuses: ['BAD_REQUEST'],
  read: (reader, { params }) => ({
    subgroups: groupMembers.subgroups(reader, params.user_group_id, {
      isDirect: params.direct_subgroup_only,
    }),
  }),
});
