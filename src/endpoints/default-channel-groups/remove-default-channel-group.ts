import * as defaultChannelGroups from '../../operations/channels/default-channel-groups.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';

export const removeDefaultChannelGroup = endpoint({
  summary: 'Remove a group of default channels',
  description: 'The channels stay as they are.',
  method: 'DELETE',
  path: '/default_stream_groups/{group_id}',
  allow: administratorsOnly,
  params: { group_id: integer },
  refuses: ['UNAUTHORIZED_PRINCIPAL', 'BAD_REQUEST'],
  emits: ['default_stream_groups'],
  change: (tx, { params }) => defaultChannelGroups.remove(tx, params.group_id),
});
