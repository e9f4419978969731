import { WEBHOOK_URL_LENGTH_MAX } from '../limits/bots.ts';

/** Kinds of bots, as on the wire (specification, "User"). */
export const BotType = { generic: 1, incomingWebhook: 2, outgoingWebhook: 3, embedded: 4 } as const;

/**
 * Tests whether a bot may be given this address to call. The call itself refuses private addresses.
 */
export const isWebhookUrl = (text: string): boolean =>
  text.length <= WEBHOOK_URL_LENGTH_MAX && /^https?:\/\//i.test(text) && URL.canParse(text);
