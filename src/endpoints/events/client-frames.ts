import { z } from 'zod';
import * as errors from '../../domain/wire/errors.ts';
import type { Fields } from '../../domain/wire/events/event.ts';

/** The frames that a client may send over a socket. */
export const frameShape = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('register'),
    params: z.record(z.string(), z.unknown()).default({}),
  }),
  z.object({ type: z.literal('ack'), last_event_id: z.int() }),
  z.object({
    type: z.literal('request'),
    id: z.union([z.number(), z.string()]),
    method: z.string(),
    path: z.string().startsWith('/'),
    params: z.record(z.string(), z.unknown()).default({}),
    idempotency_key: z.string().optional(),
  }),
  z.object({ type: z.literal('ping') }),
]);

/** A frame that a client has sent. */
export type Frame = z.output<typeof frameShape>;

/** A frame from which a request of the API is made. */
export interface RequestFrame {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly idempotency_key?: string | undefined;
}

/** Says what is wrong with a frame of no known shape. */
export function faultIn(frame: unknown): Fields {
  const type = (frame as { type?: unknown } | null)?.type;
  const name = typeof type === 'string' ? type.slice(0, TYPE_SHOWN_LENGTH_MAX) : 'none';
  const isKnown = frameShape.options.some((option) => option.shape.type.value === type);
  const msg = isKnown ? `The ${name} frame is malformed` : `Unknown frame type: ${name}`;
  return { type: 'error', code: 'BAD_REQUEST', msg };
}

/** Characters of a frame's unknown type that its error repeats. */
const TYPE_SHOWN_LENGTH_MAX = 100;

/**
 * Converts the values of parameters to text: the endpoints read text, as from a form, so that there
 * is one validation.
 */
export function rawOf(params: RequestFrame['params']): Record<string, string> {
  const raw: Record<string, string> = {};
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) raw[name] = textOf(name, value);
  }
  return raw;
}

function textOf(name: string, value: unknown): string {
  if (typeof value !== 'string') {
    try {
      return JSON.stringify(value);
    } catch {
      // It is an integer of msgpack beyond those of JSON, or lists are nested too deep for the
      // stack.
      throw errors.badRequest(`${name} is not valid JSON`);
    }
  }
  // A form could not contain it, and the store would return another text.
  if (/\p{Cs}/u.test(value)) throw errors.badRequest('The request is not valid UTF-8');
  return value;
}
