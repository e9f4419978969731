import { setTimeout as delay } from 'node:timers/promises';
import { ask, basicAuthorization, type Credentials, type RequestParts } from './api.ts';
import type { HttpPool } from './http.ts';
import type { Address } from './stream.ts';

interface Insisted {
  readonly sender: Credentials;
  readonly channel: string;
  readonly topic: string;
  readonly content: string;
  readonly idempotencyKey: string;
}

interface Outcome {
  /** Undefined when the server refused the message. */
  readonly messageId: number | undefined;
  readonly refusal?: string;
  /** Requests that had to be sent again. */
  readonly retries: number;
}

const RETRY_DELAY_MS = 100;

/** Sends a message until the server answers, be it after a restart, and once only. */
export async function insist(
  { address, pool }: { readonly address: Address; readonly pool: HttpPool },
  { sender, channel, topic, content, idempotencyKey }: Insisted,
): Promise<Outcome> {
  const request: RequestParts = {
    method: 'POST',
    path: '/messages',
    authorization: basicAuthorization(sender),
    params: { type: 'stream', to: channel, topic, content },
    idempotencyKey,
  };
  for (let retries = 0; ; retries++) {
    const reply = await ask(pool, address, request);
    const messageId = reply?.body.id;
    if (reply?.status === 200 && typeof messageId === 'number') return { messageId, retries };
    if (reply !== undefined && reply.status < 429) {
      const refusal = JSON.stringify({ ...reply, content });
      return { messageId: undefined, refusal, retries };
    }
    // No reply does not mean not stored: the key makes the next attempt the same message.
    await delay(RETRY_DELAY_MS * (0.5 + Math.random()));
  }
}
