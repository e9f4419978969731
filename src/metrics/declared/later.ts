import { type Declaration, gauge, histogram, labelled } from '../declaration.ts';
import { OUTBOX_KINDS, OUTBOX_RESULTS } from '../labels.ts';

const OUTBOX_PAIRS = OUTBOX_KINDS.flatMap((kind) =>
  OUTBOX_RESULTS.map((result) => ({ kind, result })),
);

export const LATER: readonly Declaration[] = [
  labelled(
    'gauge',
    {
      name: 'confab_outbox_waiting',
      help: 'Outbox entries that were handed to a worker and are not finished, by their kind.',
      row: 'later',
    },
    ['kind', OUTBOX_KINDS],
    ({ recorders: { outbox } }) =>
      Object.fromEntries(OUTBOX_KINDS.map((kind) => [kind, outbox[kind].waiting.size])),
  ),
  {
    name: 'confab_outbox_total',
    help: 'Attempts at outbox entries, by their kind and result.',
    type: 'counter',
    row: 'later',
    labels: { kind: OUTBOX_KINDS, result: OUTBOX_RESULTS },
    factor: 1,
    read: ({ recorders: { outbox } }) =>
      OUTBOX_PAIRS.map((labels) => ({ labels, value: outbox[labels.kind].results[labels.result] })),
  },
  labelled(
    'gauge',
    {
      name: 'confab_outbox_oldest_seconds',
      help: 'Time since the first attempt at the oldest outbox entry that is not finished.',
      row: 'later',
    },
    ['kind', OUTBOX_KINDS],
    ({ recorders: { outbox }, state }) =>
      Object.fromEntries(
        OUTBOX_KINDS.map((kind) => {
          // A map keeps the order in which its entries came.
          const [oldest = state.now] = outbox[kind].waiting.values();
          return [kind, Math.max(0, state.now - oldest) / 1_000];
        }),
      ),
  ),
  histogram(
    {
      name: 'confab_scheduler_late_seconds',
      help: 'How late a realm did what was due: scheduled messages, reminders, the outbox.',
      row: 'later',
    },
    ({ realms }) => realms.lateMs,
  ),
  histogram(
    {
      name: 'confab_search_duration_seconds',
      help: 'Time of reading the messages of a narrow that searches for words.',
      row: 'later',
    },
    ({ realms }) => realms.searchMs,
  ),
  gauge(
    {
      name: 'confab_search_index_lag_messages',
      help: 'Messages that the index lacks, so that searches read them; up to 320 in a realm is usual.',
      row: 'later',
    },
    ({ state }) => state.messagesNotIndexed,
  ),
];
