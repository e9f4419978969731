import { z } from 'zod';
import * as subscriptionProperties from '../../operations/channels/subscription-properties.ts';
import { endpoint } from '../endpoint.ts';
import { integer, meaning, word } from '../params.ts';
import { anyUser } from '../permissions.ts';

/** Accepts a JSON boolean, or a colour, bare or quoted. */
const propertyValue = meaning(
  word.transform((value) => WORDS.get(value) ?? value),
  z.union([z.boolean(), z.string()]),
);

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

export const updateSubscriptionProperty = endpoint({
  summary: 'Change one thing that you have for yourself of a channel',
  method: 'PATCH',
  path: '/users/me/subscriptions/{stream_id}',
  allow: anyUser,
  params: { stream_id: integer, property: word, value: propertyValue },
  refuses: ['REQUEST_VARIABLE_MISSING', 'BAD_REQUEST'],
  emits: ['subscription'],
  change: (tx, { user, params: { stream_id, property, value } }) => {
    subscriptionProperties.set(tx, user, [{ channelId: stream_id, property, value }]);
  },
});
