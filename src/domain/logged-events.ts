/**
 * Every event, as the log holds it: its richest form, without `id` (reference/events-and-register.md sections 3 and 4).
 * What a client gets of it is in `src/events/events.ts`, which differs for few.
 */
import { CHANNELS } from './logged-events/channels.ts';
import { KEPT } from './logged-events/kept.ts';
import { AROUND_MESSAGES, MESSAGES } from './logged-events/messages.ts';
import { PEOPLE } from './logged-events/people.ts';
import { PERSONAL } from './logged-events/personal.ts';
import { REALM } from './logged-events/realm.ts';
import type { Made } from './objects.ts';

/** By `type`, or `type op`. */
export const LOGGED_EVENTS = {
  ...MESSAGES,
  ...AROUND_MESSAGES,
  ...CHANNELS,
  ...PEOPLE,
  ...REALM,
  ...PERSONAL,
  ...KEPT,
} as const;

/** An event in its richest form: `type` and fields in wire names, without `id`. */
export type LoggedEvent = Made<(typeof LOGGED_EVENTS)[keyof typeof LOGGED_EVENTS]>;
