import { counter, type Declaration, gauge, histogram, labelled } from '../declaration.ts';
import * as labels from '../labels.ts';

export const WRITING: readonly Declaration[] = [
  counter(
    { name: 'confab_commits_total', help: 'Commits of all realms.', row: 'writing' },
    ({ recorders }) => recorders.realms.commitMs.count,
  ),
  histogram(
    {
      name: 'confab_commit_duration_seconds',
      help: 'Time of a commit, with the sync of the disk.',
      row: 'writing',
    },
    ({ realms }) => realms.commitMs,
  ),
  histogram(
    { name: 'confab_commit_operations', help: 'Operations that shared a commit.', row: 'writing' },
    ({ realms }) => realms.commitOperations,
    1,
  ),
  labelled(
    'counter',
    {
      name: 'confab_operations_total',
      help: 'Operations, by their outcome; not taken: too many waited, or the disk was full.',
      row: 'writing',
    },
    ['outcome', ['done', 'refused', 'not taken']],
    ({ recorders: { realms } }) => ({
      done: realms.operationsDone,
      refused: realms.operationsRefused,
      'not taken': realms.operationsNotTaken,
    }),
  ),
  gauge(
    {
      name: 'confab_operations_waiting',
      help: 'Operations that wait for a commit, in all realms.',
      row: 'writing',
    },
    ({ state }) => state.operationsWaiting,
  ),
  labelled(
    'counter',
    { name: 'confab_messages_total', help: 'Messages sent, by their kind.', row: 'writing' },
    ['kind', ['channel', 'direct']],
    ({ recorders: { realms } }) => ({
      channel: realms.channelMessages,
      direct: realms.directMessages,
    }),
  ),
  labelled(
    'counter',
    { name: 'confab_bugs_total', help: 'Bugs in the log, by where they were.', row: 'writing' },
    ['where', labels.BUG_PLACES],
    ({ recorders }) => recorders.bugs.bugs,
  ),
  counter(
    {
      name: 'confab_realm_restarts_total',
      help: 'Realms that a bug stopped and that were started again.',
      row: 'writing',
    },
    ({ recorders }) => recorders.bugs.restarts,
  ),
];
