import { z } from 'zod';
import { isSubscribed } from '../../operations/access/channel-access.ts';
import * as userAccess from '../../operations/access/user-access.ts';
import { knownChannel } from '../../operations/channels/changes.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const getSubscriptionStatus = endpoint({
  summary: 'Get whether a user is subscribed to a channel',
  method: 'GET',
  path: '/users/{user_id}/subscriptions/{stream_id}',
  allow: anyUser,
  params: { user_id: integer, stream_id: integer },
  reply: { is_subscribed: z.boolean() },
  refuses: ['BAD_REQUEST'],
  read: (reader, request) => {
    const { user_id, stream_id } = request.params;
    const user = userAccess.find(reader, request, user_id);
    const channel = knownChannel(reader, request.user, stream_id);
    return { is_subscribed: isSubscribed(reader, user.id, channel.id) };
  },
});
