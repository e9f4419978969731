import type { AnyActorRef } from 'xstate';
import { COMMIT_MS_MAX } from '../../src/domain/limits.ts';
import type { EventBody } from '../../src/domain/wire/events/log-entry.ts';
import type { FileStore } from '../../storage/files/file-store.ts';
import type { Space } from '../../storage/files/space.ts';
import type { RealmStore } from '../../storage/store.ts';
import type { Operation, RealmReader } from '../../storage/transaction.ts';
import type { Clock } from '../clock.ts';
import { tell } from '../tell.ts';
import { type Agenda, type AgendaInput, openAgenda } from './agenda.ts';
import { type Commits, openCommits } from './commits.ts';
import { type Feed, openFeed } from './feed.ts';
import {
  type Housekeeping,
  isHeartbeatDue,
  openHousekeeping,
  removeQueue,
} from './housekeeping.ts';
import { KeyUses } from './key-uses.ts';
import { openQueues, type Queues } from './queues.ts';
import type { Settle } from './waiting-operations.ts';

export interface RealmInput {
  readonly openStore: () => RealmStore;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly space: Space;
  readonly restartEvent: () => EventBody;
  readonly onCommitFailed: (error: unknown) => void;
  readonly onBug: (error: unknown) => void;
  readonly logBytesMax?: number | undefined;
  readonly commitMsMax?: number | undefined;
  readonly agenda: AgendaInput;
}

/** What a realm is made of while it runs. */
export interface RealmParts {
  readonly store: RealmStore;
  readonly reader: RealmReader;
  readonly files: FileStore;
  readonly commits: Commits;
  readonly feed: Feed;
  readonly queues: Queues;
  readonly keyUses: KeyUses;
  readonly housekeeping: Housekeeping;
  readonly agenda: Agenda;
  readonly door: Door;
  readonly space: Space;
  readonly now: () => number;
  dismissConsumers(retryAfterMs: () => number): void;
  /** Closes the store after the last commit. */
  close(): Promise<void>;
}

/** Whether operations are taken. */
export interface Door {
  open(): void;
  close(): void;
  isOpen(): boolean;
}

/** Opens the store, takes up the queues that are in it, and tells them that the server was restarted. */
export async function openRealmParts(
  input: RealmInput & { readonly owner: AnyActorRef },
): Promise<RealmParts> {
  const { clock } = input;
  const store = input.openStore();
  const { reader } = store;
  const feed = openFeed({
    reader,
    clock,
    owner: input.owner,
    head: reader.head(),
    isHeartbeatDue: (queue) => isHeartbeatDue(queue, clock.now()),
  });
  const commits = openCommits({
    store,
    commitMsMax: input.commitMsMax ?? COMMIT_MS_MAX,
    clock,
    space: input.space,
    announce: feed.announce,
    onWakeAt: (at) => {
      if (agenda.isEarlier(at)) wake();
    },
    onQueuesEnded: (ids) => endQueues(ids, { queues, reader }),
    onFailed: input.onCommitFailed,
    onBug: input.onBug,
  });
  const run = (operation: Operation<void>, then?: () => void) => {
    commits.run(operation, (outcome) => {
      if (!outcome.isDone) input.onBug(outcome.error);
      else then?.();
    });
  };
  const door = openDoor();
  const wake = () => tell(input.owner, { type: 'wake' });
  const agenda = openAgenda({
    input: input.agenda,
    reader,
    clock,
    commits: () => commits,
    onBug: input.onBug,
    wake,
    isActive: door.isOpen,
  });
  const queues = openQueues({
    feed,
    clock,
    logStart: () => housekeeping.logStart(),
    onExpired: (queue) => run((tx) => removeQueue(tx, queue)),
  });
  const keyUses = new KeyUses();
  const housekeeping = openHousekeeping({
    store,
    feed,
    queues,
    keyUses,
    clock,
    run,
    ...(input.logBytesMax === undefined ? {} : { logBytesMax: input.logBytesMax }),
  });
  for (const [[id], row] of reader.queues.range({})) queues.open(id, row);
  // On a full disk a realm is opened to be read, and nobody can be told that it was away.
  if (queues.all().size > 0 && !input.space.isFull()) await emitRestart(commits, input);
  return {
    store,
    reader,
    files: input.files,
    commits,
    feed,
    queues,
    keyUses,
    housekeeping,
    agenda,
    door,
    space: input.space,
    now: () => clock.now(),
    dismissConsumers: (retryAfterMs) => dismissConsumers(queues, feed, retryAfterMs),
    async close() {
      await commits.idle();
      housekeeping.writeUses();
      await commits.idle();
      await store.close();
    },
  };
}

function endQueues(
  ids: readonly string[],
  { queues, reader }: Pick<RealmParts, 'queues' | 'reader'>,
) {
  for (const id of ids) {
    const queue = queues.all().get(id);
    if (queue === undefined) continue;
    const isActive = reader.users.get([queue.userId])?.isActive === true;
    queues.end(queue, isActive ? 'queue gone' : 'account gone');
  }
}

function emitRestart(commits: Commits, { restartEvent }: RealmInput) {
  return new Promise<void>((resolve, reject) => {
    const settle: Settle<void> = (outcome) => {
      if (outcome.isDone) resolve();
      else reject(outcome.error);
    };
    commits.run((tx) => {
      tx.emit({ event: restartEvent(), audience: { everyone: true } });
    }, settle);
  });
}

function dismissConsumers(queues: Queues, feed: Feed, retryAfterMs: () => number) {
  for (const queue of queues.all().values()) {
    const { consumer } = queue;
    if (consumer === null) continue;
    feed.stop(queue);
    consumer.stopping(retryAfterMs());
  }
}

function openDoor(): Door {
  let isOpen = false;
  return {
    open: () => {
      isOpen = true;
    },
    close: () => {
      isOpen = false;
    },
    isOpen: () => isOpen,
  };
}
