import { z } from 'zod';
import { userGroup } from '../../domain/wire/objects.ts';
import { userGroupsState } from '../../operations/registration/state/people.ts';
import { viewOf } from '../../operations/registration/state/view.ts';
import { endpoint } from '../endpoint.ts';
import { boolean } from '../params.ts';
import { all, nonGuests, people } from '../permissions.ts';

export const getUserGroups = endpoint({
  summary: 'Get the user groups of the organization',
  method: 'GET',
  path: '/user_groups',
  allow: all(nonGuests, people),
  params: { include_deactivated_groups: boolean.default(false) },
  reply: { user_groups: z.array(userGroup).describe('Ascending by id') },
  refuses: ['BAD_REQUEST'],
  read: (reader, { user, site, params }) => {
    const view = viewOf({
      tx: reader,
      user,
      site,
      now: Date.now(),
      clientGravatar: false,
      capabilities: { include_deactivated_groups: params.include_deactivated_groups },
      includeSubscribers: 'false',
    });
    return { user_groups: userGroupsState(view)['realm_user_groups'] };
  },
});
