import { z } from 'zod';
import { integer, json, oneOf, text } from '../params.ts';

const recipients = z.union([z.int(), z.array(z.int())], {
  error: 'is neither an id nor a list of ids',
});

/** The properties of a scheduled message. */
export const scheduledParams = {
  type: oneOf(['direct', 'channel', 'stream', 'private']),
  to: json(recipients).describe('The id of a channel, or a list of ids of users'),
  content: text,
  topic: text.optional().describe('Of a message to a channel'),
  scheduled_delivery_timestamp: integer.describe('UNIX seconds'),
};
