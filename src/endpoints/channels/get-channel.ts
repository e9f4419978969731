import { channel } from '../../domain/wire/objects.ts';
import { knownChannel } from '../../operations/channels/changes.ts';
import { channelObject } from '../../operations/channels/channels.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const getChannel = endpoint({
  summary: 'Get a channel',
  method: 'GET',
  path: '/streams/{stream_id}',
  allow: anyUser,
  params: { stream_id: integer },
  reply: { stream: channel },
  refuses: ['BAD_REQUEST'],
  read: (reader, { user, params }) => ({
    stream: channelObject(reader, knownChannel(reader, user, params.stream_id)),
  }),
});
