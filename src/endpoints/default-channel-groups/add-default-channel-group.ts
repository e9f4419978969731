import * as defaultChannelGroups from '../../operations/channels/default-channel-groups.ts';
import { endpoint } from '../endpoint.ts';
import { stringList, text } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';

export const addDefaultChannelGroup = endpoint({
  summary: 'Make a group of channels that newcomers may choose together',
  method: 'POST',
  path: '/default_stream_groups/create',
  allow: administratorsOnly,
  params: {
    group_name: text,
    description: text.default(''),
    stream_names: stringList.describe('Of public channels that are no default ones'),
  },
  refuses: ['UNAUTHORIZED_PRINCIPAL', 'BAD_REQUEST'],
  emits: ['default_stream_groups'],
  change: (tx, { params }) =>
    defaultChannelGroups.add(tx, {
      name: params.group_name,
      description: params.description,
      channelNames: params.stream_names,
    }),
});
