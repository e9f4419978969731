import { z } from 'zod';
import { channelIdOf } from '../../operations/channels/changes.ts';
import { endpoint } from '../endpoint.ts';
import { text } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const getChannelId = endpoint({
  summary: 'Get the id of a channel by its name',
  method: 'GET',
  path: '/get_stream_id',
  allow: anyUser,
  params: { stream: text.describe('The name, in any case') },
  reply: { stream_id: z.int() },
  refuses: ['REQUEST_VARIABLE_MISSING', 'BAD_REQUEST'],
  read: (reader, { user, params }) => ({ stream_id: channelIdOf(reader, user, params.stream) }),
});
