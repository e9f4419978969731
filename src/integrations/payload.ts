import { z } from 'zod';
import { PAYLOAD_DEPTH_MAX, PAYLOAD_ITEMS_MAX, PAYLOAD_VALUES_MAX } from '../domain/limits/bots.ts';
import { MESSAGE_LENGTH_MAX } from '../domain/limits/messages.ts';
import * as errors from '../domain/wire/errors.ts';
import * as webhookErrors from '../domain/wire/webhook-errors.ts';

/**
 * Parses the JSON that a service posts, and cuts it to what a message can hold before it is
 * processed. Refuses invalid JSON, and JSON that is deeper or larger than real payloads.
 */
export function parsedPayload(text: string): unknown {
  refuseOvergrown(text);
  try {
    return shortened(JSON.parse(text) as unknown);
  } catch {
    throw errors.invalidJson();
  }
}

/**
 * Cuts texts to the length of a message, which has one or two units for each code point, and lists
 * to a length that people could read.
 */
function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, TEXT_LENGTH_MAX);
  if (Array.isArray(value)) return value.slice(0, PAYLOAD_ITEMS_MAX).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}

/** It is one more than fits, which shows that the text goes on. */
const TEXT_LENGTH_MAX = 2 * MESSAGE_LENGTH_MAX + 1;

/**
 * Counts in the text, so that JSON which is too deep or has too many values is not even parsed. An
 * opening bracket counts as the first value behind it, even if there is none.
 */
function refuseOvergrown(text: string) {
  let depth = 0;
  let values = 1;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (isInString) {
      if (unit === BACKSLASH) at += 1;
      else if (unit === QUOTE) isInString = false;
    } else if (unit === QUOTE) isInString = true;
    else if (unit === COMMA) values += 1;
    else if (unit === CLOSING_BRACE || unit === CLOSING_BRACKET) depth -= 1;
    else if (unit === OPENING_BRACE || unit === OPENING_BRACKET) {
      depth += 1;
      values += 1;
    }
    if (depth > PAYLOAD_DEPTH_MAX) {
      throw errors.badRequest(`The payload is nested deeper than ${PAYLOAD_DEPTH_MAX} levels`);
    }
    if (values > PAYLOAD_VALUES_MAX) {
      throw errors.badRequest(`The payload has more than ${PAYLOAD_VALUES_MAX} values`);
    }
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d];
const [OPENING_BRACKET, CLOSING_BRACKET] = [0x5b, 0x5d];

/** Reads the needed fields of a payload; refuses a payload that lacks one. */
export function read<T extends z.ZodType>(
  schema: T,
  payload: unknown,
  webhook: string,
): z.output<T> {
  const result = schema.safeParse(payload);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const where = issue?.path.map(String).join('.') || 'the whole';
  throw webhookErrors.anomalousPayload(
    webhook,
    `${where.slice(0, 100)} is missing or has another type`,
  );
}

/** A text that may be absent or null. */
export const someText = z.string().nullish();
