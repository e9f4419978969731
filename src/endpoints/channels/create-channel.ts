import { z } from 'zod';
import { SUBSCRIBERS_PER_REQUEST_MAX } from '../../domain/limits/channels.ts';
import * as subscribing from '../../operations/channels/subscribing.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, json, text } from '../params.ts';
import { nonGuests } from '../permissions.ts';
import { creationParams, creationRequest } from './creation-params.ts';

export const createChannel = endpoint({
  summary: 'Create a channel',
  method: 'POST',
  path: '/channels/create',
  allow: nonGuests,
  params: {
    name: text,
    subscribers: json(
      z
        .array(z.int({ error: 'is not an integer' }), { error: 'is not a list' })
        .max(SUBSCRIBERS_PER_REQUEST_MAX, `has more than ${SUBSCRIBERS_PER_REQUEST_MAX} items`),
    ).describe('Ids of users'),
    description: text.default(''),
    announce: boolean.default(false),
    ...creationParams,
  },
  reply: { id: z.int() },
  refuses: [
    'REQUEST_VARIABLE_MISSING',
    'REQUEST_VARIABLE_INVALID',
    'BAD_REQUEST',
    'UNAUTHORIZED_PRINCIPAL',
  ],
  emits: ['stream', 'default_streams', 'realm_user', 'user_status', 'subscription', 'message'],
  change: (tx, request) => {
    const { params } = request;
    return subscribing.create(tx, request, {
      name: params.name,
      description: params.description,
      subscribers: params.subscribers,
      creation: creationRequest(params),
      announces: params.announce,
    });
  },
});
