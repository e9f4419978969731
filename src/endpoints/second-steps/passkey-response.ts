import { z } from 'zod';
import * as errors from '../../domain/wire/errors.ts';

const shape = z.looseObject({
  id: z.string().max(1_400),
  rawId: z.string(),
  type: z.literal('public-key'),
  response: z.looseObject({ clientDataJSON: z.string(), userHandle: z.string().optional() }),
  clientExtensionResults: z.looseObject({}).default({}),
});

export type PasskeyResponse = z.output<typeof shape>;

/** Parses what a browser says of a passkey; refuses what is none. */
export function responseOf(text: string): PasskeyResponse {
  try {
    return shape.parse(JSON.parse(text));
  } catch {
    throw errors.badRequest('This is no answer of a passkey.');
  }
}

/** Returns the challenge (base64url) that was answered; nothing is verified here. */
export function challengeIn({ response }: PasskeyResponse): string {
  try {
    const text = Buffer.from(response.clientDataJSON, 'base64url').toString('utf8');
    return z.object({ challenge: z.string() }).parse(JSON.parse(text)).challenge;
  } catch {
    throw errors.badRequest('This is no answer of a passkey.');
  }
}
