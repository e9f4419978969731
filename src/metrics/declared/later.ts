import { counter, type Declaration, gauge, histogram, labelled } from '../declaration.ts';
import {
  MAIL_IN_RESULTS,
  OUTBOX_KINDS,
  OUTBOX_RESULTS,
  PUSH_ANSWERS,
  PUSH_KINDS,
} from '../labels.ts';

const OUTBOX_PAIRS = OUTBOX_KINDS.flatMap((kind) =>
  OUTBOX_RESULTS.map((result) => ({ kind, result })),
);

const PUSH_PAIRS = PUSH_KINDS.flatMap((kind) => PUSH_ANSWERS.map((answer) => ({ kind, answer })));

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
  labelled(
    'counter',
    {
      name: 'confab_mails_in_total',
      help: 'Mails that came in, by their result; all but taken and dropped were refused.',
      row: 'later',
    },
    ['result', MAIL_IN_RESULTS],
    ({ recorders: { mailsIn } }) => mailsIn.results,
  ),
  gauge(
    {
      name: 'confab_mails_in_progress',
      help: 'Mails that are coming in, or whose messages are being written.',
      row: 'later',
    },
    ({ recorders: { mailsIn } }) => mailsIn.inProgress,
  ),
  counter(
    {
      name: 'confab_mails_in_bytes_total',
      help: 'Bytes of mails that came in.',
      row: 'later',
    },
    ({ recorders: { mailsIn } }) => mailsIn.bytes,
  ),
  histogram(
    {
      name: 'confab_mail_in_duration_seconds',
      help: 'Time from the first byte of a mail until its answer.',
      row: 'later',
    },
    ({ mailsIn }) => mailsIn.ms,
  ),
  {
    name: 'confab_push_answers_total',
    help: 'Answers of push services to pushes of this server, by the kind of device; busy: it asks to come later; unreachable: there was none.',
    type: 'counter',
    row: 'later',
    labels: { kind: PUSH_KINDS, answer: PUSH_ANSWERS },
    factor: 1,
    read: ({ recorders: { pushes } }) =>
      PUSH_PAIRS.map((labels) => ({ labels, value: pushes.answers[labels.kind][labels.answer] })),
  },
  histogram(
    {
      name: 'confab_push_duration_seconds',
      help: 'Time of a push to a push service, until its answer.',
      row: 'later',
    },
    ({ pushes }) => pushes.answerMs,
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
