import { z } from 'zod';
import * as subscribing from '../../operations/channels/subscribing.ts';
import { wantedChannels } from '../channels/wanted-channels.ts';
import { endpoint } from '../endpoint.ts';
import { stringList } from '../params.ts';
import { nonGuests } from '../permissions.ts';

const channelNames = z.record(z.string(), z.array(z.string()));

export const changeSubscriptions = endpoint({
  summary: 'Subscribe to channels and unsubscribe from others',
  method: 'PATCH',
  path: '/users/me/subscriptions',
  allow: nonGuests,
  params: {
    add: wantedChannels.default([]),
    delete: stringList.default([]).describe('Names of channels'),
  },
  reply: {
    subscribed: channelNames.optional(),
    already_subscribed: channelNames.optional(),
    new_subscription_messages_sent: z.boolean().optional(),
    removed: z.array(z.string()).optional(),
    not_removed: z.array(z.string()).optional(),
  },
  refuses: ['BAD_REQUEST'],
  emits: ['stream', 'realm_user', 'user_status', 'subscription', 'update_message_flags', 'message'],
  change: (tx, request) =>
    subscribing.change(tx, request, { add: request.params.add, remove: request.params.delete }),
});
