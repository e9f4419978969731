import { z } from 'zod';
import { LOGGED_EVENTS } from '../domain/wire/events/logged-events.ts';
import * as messageObjects from '../domain/wire/message-objects.ts';
import * as objects from '../domain/wire/objects.ts';

export type EventKind = keyof typeof LOGGED_EVENTS;

/**
 * Every event a client can get, with its `id`, by `type` or `type op`
 * (reference/events-and-register.md sections 3 and 4). A field that only some forms have is
 * optional.
 */
export const EVENTS: Readonly<Record<EventKind, z.ZodObject>> = {
  ...withIds(LOGGED_EVENTS),
  message: z.strictObject({
    id: objects.id,
    type: z.literal('message'),
    message: messageObjects.message,
    flags: z.array(messageObjects.flag).describe("Of the queue's owner"),
    local_id: z.string().optional().describe('As in the request, for the queue it named'),
    local_message_id: z.string().optional().describe('As `local_id`'),
  }),
  presence: z
    .strictObject({
      id: objects.id,
      type: z.literal('presence'),
      presences: z
        .record(objects.idText, objects.presence)
        .optional()
        .describe('With `simplified_presence_events`, and nothing else; by user id'),
      user_id: objects.id.optional(),
      server_timestamp: z.number().optional().describe('UNIX seconds'),
      presence: z.strictObject({ website: objects.legacyPresence }).optional(),
      email: z.string().optional().describe('Unless `slim_presence`'),
    })
    .refine(isOnePresence, 'is in no form or in both'),
};

export const EVENT_KINDS: readonly EventKind[] =
  // The table has no other keys; `Object.keys` loses them in its type.
  Object.keys(EVENTS) as EventKind[];

/** Returns the key of an event in `EVENTS`: the type, or type and operation. */
export const kindOf = (event: { readonly type: string; readonly op?: unknown }): string =>
  typeof event.op === 'string' ? `${event.type} ${event.op}` : event.type;

/** Any event of `EVENTS`; `parseEvent` tells which one. */
export const anyEvent = z
  .looseObject({ id: objects.id, type: z.string(), op: z.string().optional() })
  .meta({ id: 'Event' });

/** Parses a declared event, and throws for an unknown type and for a field too many or too few. */
export function parseEvent(event: unknown): Readonly<Record<string, unknown>> {
  const kind = EVENT_KINDS.find((known) => known === kindOf(anyEvent.parse(event)));
  if (kind === undefined) throw new Error(`nobody declared the event ${JSON.stringify(event)}`);
  const result = EVENTS[kind].safeParse(event);
  if (result.success) return result.data;
  throw new Error(
    `not the event ${kind} as declared:\n${z.prettifyError(result.error)}\n${JSON.stringify(event)}`,
  );
}

/**
 * A presence event has either the map, or all fields of the older form, of which only the address
 * may be missing.
 */
function isOnePresence(event: Readonly<Record<string, unknown>>): boolean {
  const older = ['user_id', 'server_timestamp', 'presence'].filter((name) => name in event);
  if ('presences' in event) return older.length === 0 && !('email' in event);
  return older.length === 3;
}

function withIds(events: typeof LOGGED_EVENTS): Readonly<Record<EventKind, z.ZodObject>> {
  const entries = Object.entries(events).map(([kind, schema]: [string, z.ZodObject]) => [
    kind,
    schema.safeExtend({ id: objects.id }),
  ]);
  // It is built from the table that has these keys.
  return Object.fromEntries(entries) as Readonly<Record<EventKind, z.ZodObject>>;
}
