import { z } from 'zod';
import { CHANNELS_PER_REQUEST_MAX } from '../../domain/limits/channels.ts';
import * as subscriptionProperties from '../../operations/channels/subscription-properties.ts';
import { endpoint } from '../endpoint.ts';
import { json } from '../params.ts';
import { anyUser } from '../permissions.ts';

const change = z.object(
  {
    stream_id: z.int({ error: 'is not an integer' }),
    property: z.string({ error: 'is not a string' }),
    value: z.union([z.boolean(), z.string(), z.null()], {
      error: 'is neither a boolean nor a string',
    }),
  },
  { error: 'is not a dict' },
);

export const updateSubscriptionProperties = endpoint({
  summary: 'Change what you have for yourself of channels that you are subscribed to',
  method: 'POST',
  path: '/users/me/subscriptions/properties',
  allow: anyUser,
  params: {
    subscription_data: json(
      z
        .array(change, { error: 'is not a list' })
        .max(CHANNELS_PER_REQUEST_MAX, `has more than ${CHANNELS_PER_REQUEST_MAX} items`),
    ),
  },
  refuses: ['REQUEST_VARIABLE_MISSING', 'BAD_REQUEST'],
  emits: ['subscription'],
  change: (tx, { user, params }) => {
    const changes = params.subscription_data.map(({ stream_id, property, value }) => ({
      channelId: stream_id,
      property,
      value,
    }));
    subscriptionProperties.set(tx, user, changes);
  },
});
