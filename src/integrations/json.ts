import { MESSAGE_LENGTH_MAX } from '../domain/limits/messages.ts';
import type { Integration } from './integration.ts';
import { codeBlock } from './texts.ts';

/** Shows any payload as JSON, for services without an integration of their own. */
export const json: Integration = {
  displayName: 'JSON',
  isSigned: true,
  eventTypes: null,
  notice: (payload) => ({
    names: [],
    topic: 'JSON',
    content: codeBlock(JSON.stringify(beginningOf(payload), null, 2), 'json', BLOCK_LENGTH_MAX),
  }),
};

/**
 * Returns the beginning of a payload, a little more than fits into a message; the rest would be cut
 * off anyway. Each value counts one character, and each text its own length besides.
 */
function beginningOf(payload: unknown): unknown {
  let left = 2 * MESSAGE_LENGTH_MAX;
  const begun = (value: unknown): unknown => {
    left -= 1;
    if (typeof value === 'string') {
      const kept = value.slice(0, Math.max(left, 0));
      left -= kept.length;
      return kept;
    }
    if (typeof value !== 'object' || value === null) return value;
    const entries: [string, unknown][] = [];
    for (const [key, inner] of Object.entries(value)) {
      if (left <= 0) break;
      left -= key.length;
      entries.push([key, begun(inner)]);
    }
    return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
  };
  return begun(payload);
}

/** This leaves room for the fence around it. */
const BLOCK_LENGTH_MAX = MESSAGE_LENGTH_MAX - 50;
