import { parseEvent } from '../../src/events/events.ts';

/** Throws when what a client was sent has events that nobody declared, or not like this. */
export function requireDeclared(body: unknown) {
  for (const event of eventsOf(body)) parseEvent(event);
}

function eventsOf(body: unknown): readonly unknown[] {
  if (typeof body !== 'object' || body === null || !('events' in body)) return [];
  return Array.isArray(body.events) ? body.events : [];
}
