import { z } from 'zod';
import { subscriberIds } from '../../operations/access/channel-access.ts';
import { knownChannel } from '../../operations/channels/changes.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const getSubscribers = endpoint({
  summary: 'Get the subscribers of a channel',
  method: 'GET',
  path: '/streams/{stream_id}/members',
  allow: anyUser,
  params: { stream_id: integer },
  reply: { subscribers: z.array(z.int()).describe('Ids of active users, ascending') },
  refuses: ['BAD_REQUEST'],
  read: (reader, { user, params }) => ({
    subscribers: subscriberIds(reader, knownChannel(reader, user, params.stream_id).id),
  }),
});
