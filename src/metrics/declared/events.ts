import { counter, type Declaration, gauge, histogram, labelled } from '../declaration.ts';
import * as labels from '../labels.ts';

export const EVENTS: readonly Declaration[] = [
  labelled(
    'counter',
    { name: 'confab_events_total', help: 'Events in the logs, by their type.', row: 'events' },
    ['type', labels.EVENT_TYPES],
    ({ recorders }) => recorders.realms.events,
  ),
  labelled(
    'counter',
    {
      name: 'confab_deliveries_total',
      help: 'Batches of events handed to consumers, by their transport.',
      row: 'events',
    },
    ['transport', ['poll', 'socket']],
    ({ recorders: { realms } }) => ({
      poll: realms.pollDeliveries,
      socket: realms.socketDeliveries,
    }),
  ),
  histogram(
    {
      name: 'confab_delivery_delay_seconds',
      help: 'Time from a commit until the last live consumer was handed its events.',
      row: 'events',
    },
    ({ realms }) => realms.deliveryMs,
  ),
  counter(
    {
      name: 'confab_announce_turns_cut_total',
      help: 'Turns of delivery that used up their 20 ms, so that others came in between.',
      row: 'events',
    },
    ({ recorders }) => recorders.realms.turnsCut,
  ),
  labelled(
    'gauge',
    {
      name: 'confab_queues',
      help: 'Event queues, attached to a client or detached.',
      row: 'events',
    },
    ['state', ['attached', 'detached']],
    ({ state }) => state.queues,
  ),
  labelled(
    'counter',
    {
      name: 'confab_queues_ended_total',
      help: 'Event queues that have ended, by the reason.',
      row: 'events',
    },
    ['reason', labels.QUEUE_ENDS],
    ({ recorders }) => recorders.realms.queuesEnded,
  ),
  counter(
    {
      name: 'confab_catch_up_rows_total',
      help: 'Events of the log that queues went through to catch up.',
      row: 'events',
    },
    ({ recorders }) => recorders.realms.catchUpRows,
  ),
  gauge(
    { name: 'confab_log_bytes', help: 'Bytes of the largest event log.', row: 'events' },
    ({ state }) => state.logBytes,
  ),
  gauge(
    {
      name: 'confab_log_oldest_seconds',
      help: 'Age of the oldest event in a log, as of the last time it was trimmed.',
      row: 'events',
    },
    ({ state }) =>
      state.logOldestAt === null ? 0 : Math.max(0, state.now - state.logOldestAt) / 1_000,
  ),
];
