import * as defaultChannelGroups from '../../operations/channels/default-channel-groups.ts';
import { endpoint } from '../endpoint.ts';
import { integer, oneOf, stringList } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';

export const changeGroupedChannels = endpoint({
  summary: 'Add channels to a group of default channels, or take them out',
  method: 'PATCH',
  path: '/default_stream_groups/{group_id}/streams',
  allow: administratorsOnly,
  params: { group_id: integer, op: oneOf(['add', 'remove']), stream_names: stringList },
  refuses: ['UNAUTHORIZED_PRINCIPAL', 'BAD_REQUEST'],
  emits: ['default_stream_groups'],
  change: (tx, { params: { group_id: id, op, stream_names: channelNames } }) =>
    defaultChannelGroups.changeChannels(tx, { id, op, channelNames }),
});
