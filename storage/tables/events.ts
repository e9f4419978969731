import type { LogEntry } from '../../src/domain/log-entry.ts';
import { table } from '../table.ts';

/** The event log. Sequence first and only: it is read forward from a position. */
export const events = table<[eventId: number], LogEntry>('events', [
  'id',
  'at',
  'event',
  'audience',
  'flags',
  'memberships',
  'origin',
  'queues',
]);
