import { z } from 'zod';
import { BOT_CONFIG_KEYS_MAX } from '../../domain/limits/bots.ts';
import { isWebhookUrl } from '../../domain/wire/bot-types.ts';
import { boolean, integer, meaning, text, textOrJson } from '../params.ts';
import { entries } from './storage-params.ts';

export const payloadUrl = meaning(
  textOrJson.refine(isWebhookUrl, 'is not a URL'),
  z.string(),
  true,
);

export const interfaceType = integer
  .refine((kind) => kind === 1 || kind === 2, 'is invalid')
  // The refinement leaves only these two.
  .transform((kind) => kind as 1 | 2)
  .describe("1: the service's own payload, 2: the form of Slack");

/** The configuration of a bot; keys that are not given stay as they are. */
export const config = entries
  .refine(({ size }) => size <= BOT_CONFIG_KEYS_MAX, `has more than ${BOT_CONFIG_KEYS_MAX} keys`)
  .optional()
  .describe(
    'Of an incoming-webhook bot: `webhook_secret`, which whoever calls its URLs has to sign with; empty: none',
  );

/** The defaults of a bot, for requests that do not name a channel. */
export const defaults = {
  default_sending_stream: text
    .optional()
    .describe('Name of the channel of messages without `to`; empty: none'),
  default_events_register_stream: text
    .optional()
    .describe('Name of the channel that its queues hear of without a narrow; empty: none'),
  default_all_public_streams: boolean
    .optional()
    .describe('Whether its queues hear of all public channels'),
};
