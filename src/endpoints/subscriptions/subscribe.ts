import { z } from 'zod';
import * as subscribing from '../../operations/channels/subscribing.ts';
import { creationParams, creationRequest } from '../channels/creation-params.ts';
import { wantedChannels } from '../channels/wanted-channels.ts';
import { endpoint } from '../endpoint.ts';
import { boolean } from '../params.ts';
import { nonGuests } from '../permissions.ts';
import { principals } from './principals.ts';

const params = {
  subscriptions: wantedChannels,
  principals,
  authorization_errors_fatal: boolean.default(true),
  announce: boolean.default(false),
  ...creationParams,
  send_new_subscription_messages: boolean.default(true),
};

const channelNames = z.record(z.string(), z.array(z.string()));

export const subscribe = endpoint({
  summary: 'Subscribe users to channels, creating those that do not exist',
  method: 'POST',
  path: '/users/me/subscriptions',
  allow: nonGuests,
  params,
  reply: {
    subscribed: channelNames,
    already_subscribed: channelNames,
    unauthorized: z.array(z.string()).optional(),
    new_subscription_messages_sent: z.boolean().optional(),
  },
  refuses: [
    'REQUEST_VARIABLE_MISSING',
    'REQUEST_VARIABLE_INVALID',
    'BAD_REQUEST',
    'UNAUTHORIZED_PRINCIPAL',
  ],
  emits: ['stream', 'default_streams', 'realm_user', 'user_status', 'subscription', 'message'],
  change: (tx, request) => {
    const { params: given } = request;
    return subscribing.subscribe(tx, request, {
      channels: given.subscriptions,
      principals: given.principals ?? [],
      areRefusalsFatal: given.authorization_errors_fatal,
      creation: creationRequest(given),
      announces: given.announce,
      writesToSubscribed: given.send_new_subscription_messages,
    });
  },
});
