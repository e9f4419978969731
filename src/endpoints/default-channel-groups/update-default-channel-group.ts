import * as defaultChannelGroups from '../../operations/channels/default-channel-groups.ts';
import { endpoint } from '../endpoint.ts';
import { integer, text } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';

export const updateDefaultChannelGroup = endpoint({
  summary: 'Change the name or description of a group of default channels',
  method: 'PATCH',
  path: '/default_stream_groups/{group_id}',
  allow: administratorsOnly,
  params: {
    group_id: integer,
    new_group_name: text.optional(),
    new_description: text.optional().describe('One of the two is needed'),
  },
  refuses: ['UNAUTHORIZED_PRINCIPAL', 'BAD_REQUEST'],
  emits: ['default_stream_groups'],
  change: (tx, { params }) =>
    defaultChannelGroups.update(tx, {
      id: params.group_id,
      name: params.new_group_name,
      description: params.new_description,
    }),
});
