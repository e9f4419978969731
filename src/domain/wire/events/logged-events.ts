/**
 * Every event as the log stores it: its richest form, without `id`
 * (reference/events-and-register.md sections 3 and 4). `src/events/events.ts` has the forms that
 * clients get, which differ for few.
 */

import type { Made } from '../objects.ts';
import { CHANNELS } from './channels.ts';
import { KEPT } from './kept.ts';
import { AROUND_MESSAGES, MESSAGES } from './messages.ts';
import { PEOPLE } from './people.ts';
import { PERSONAL } from './personal.ts';
import { REALM } from './realm.ts';

/** All events by `type`, or `type op`. */
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
