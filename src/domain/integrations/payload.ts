import { z } from 'zod';
import * as errors from '../errors.ts';
import { PAYLOAD_DEPTH_MAX } from '../limits.ts';

/** The JSON that a service posts; refuses what is none, and what is nested deeper than anybody means. */
export function parsedPayload(text: string): unknown {
  if (isDeep(text)) {
    throw errors.badRequest(`The payload is nested deeper than ${PAYLOAD_DEPTH_MAX} levels`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw errors.invalidJson();
  }
}

/** Looked for in the text: what is that deep is not even parsed. */
function isDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (isInString) {
      if (unit === BACKSLASH) at += 1;
      else if (unit === QUOTE) isInString = false;
    } else if (unit === QUOTE) isInString = true;
    else if (unit === OPENING_BRACE || unit === OPENING_BRACKET) depth += 1;
    else if (unit === CLOSING_BRACE || unit === CLOSING_BRACKET) depth -= 1;
    if (depth > PAYLOAD_DEPTH_MAX) return true;
  }
  return false;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d];
const [OPENING_BRACKET, CLOSING_BRACKET] = [0x5b, 0x5d];

/** What of a payload is looked at; refuses one that lacks it. */
export function read<T extends z.ZodType>(
  schema: T,
  payload: unknown,
  webhook: string,
): z.output<T> {
  const result = schema.safeParse(payload);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const where = issue?.path.map(String).join('.') || 'the whole';
  throw errors.anomalousPayload(webhook, `${where.slice(0, 100)} is missing or has another type`);
}

/** A text that may be absent or null. */
export const someText = z.string().nullish();
