import { type Commits, type CommitsInput, openCommits } from '../../../actors/realm/commits.ts';
import { BackgroundTurns } from '../../../src/domain/background-turns.ts';
import type { LogEntry, NewLogEntry } from '../../../src/domain/wire/events/log-entry.ts';
import { openRealmRecord } from '../../../src/metrics/recorders.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { testClock } from '../test-clock.ts';
import { openTestStore } from './realm-store.ts';

export const EVENT: NewLogEntry = { event: { type: 'heartbeat' }, audience: { everyone: true } };

/** The commits of a realm, and in order what came of them. */
export function openTestCommits(changes: Partial<CommitsInput> = {}) {
  const heard: string[] = [];
  const bugs: unknown[] = [];
  const { store = openTestStore() } = changes;
  const clock = testClock();
  const idsOf = (events: readonly LogEntry[]) => events.map(({ id }) => id).join(' and ');
  const commits = openCommits({
    record: openRealmRecord(),
    background: new BackgroundTurns(),
    store,
    clock,
    commitMsMax: Number.POSITIVE_INFINITY,
    space: { isFull: () => false, isShort: () => false, hasRoomFor: () => true },
    broadcast: (events) => heard.push(`broadcast ${idsOf(events)}`),
    onWakeAt: (at) => heard.push(`wake at ${at}`),
    onQueuesEnded: (ids) => heard.push(`ended ${ids.join(' and ')}`),
    onFailed: () => heard.push('failed'),
    onBug: (error) => bugs.push(error),
    ...changes,
  });
  return { commits, store, clock, heard, bugs, ...runner(commits, heard) };
}

function runner(commits: Commits, heard: string[]) {
  /** Runs an operation and notes its answer. */
  const run = (operation: (tx: RealmTransaction) => unknown, accountId?: number) =>
    commits.run(
      operation,
      (outcome) => {
        heard.push(outcome.isDone ? `reply ${outcome.reply}` : `refused ${outcome.error}`);
      },
      accountId,
    );
  return { run };
}
