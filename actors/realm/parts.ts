import type { AnyActorRef } from 'xstate';
import { BackgroundTurns } from '../../src/domain/background-turns.ts';
import { COMMIT_MS_MAX } from '../../src/domain/limits/turns.ts';
import type { ApiError } from '../../src/domain/wire/errors.ts';
import type { EventBody, LogEntry } from '../../src/domain/wire/events/log-entry.ts';
import { openRealmRecord, type RealmRecord } from '../../src/metrics/recorders.ts';
import type { FileStore } from '../../storage/files/file-store.ts';
import type { Space } from '../../storage/files/space.ts';
import type { RealmStore } from '../../storage/store.ts';
import type { ViewFollowers } from '../../storage/told-views.ts';
import type { Operation, RealmReader } from '../../storage/transaction.ts';
import { type Clock, momentMs } from '../clock.ts';
import { isAttached } from '../event-queue/queue.ts';
import { sendOrThrow } from '../send-or-throw.ts';
import { type Census, openCensus } from './census.ts';
import { type Commits, openCommits } from './commits.ts';
import { type FanOut, openFanOut } from './fan-out.ts';
import { type Holder, type Holds, openHolds } from './holds.ts';
import {
  type Housekeeping,
  isHeartbeatDue,
  openHousekeeping,
  removeQueue,
} from './housekeeping.ts';
import { KeyUses } from './key-uses.ts';
import { type EndOfQueue, openQueues, type Queues } from './queues.ts';
import type { FollowerTree } from './realm-tree.ts';
import { openScheduler, type Scheduler, type SchedulerInput } from './scheduler.ts';
import type { Settle } from './waiting-operations.ts';

export interface RealmInput {
  readonly openStore: () => RealmStore;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly space: Space;
  /** Returns the event that tells of a restart; null if clients need not be told. */
  readonly restartEvent: () => EventBody | null;
  readonly onCommitFailed: (error: unknown) => void;
  /** In a process that goes on after that: the refusal of those who wait. */
  readonly refusal?: (() => ApiError) | undefined;
  /** UNIX milliseconds of the newest commit of another process, whose clock may be ahead. */
  readonly notBefore?: number | undefined;
  readonly onBug: (error: unknown) => void;
  /** Called when the password of an account counts no more, after too many wrong codes. */
  readonly onSecondStepLocked?: ((userId: number) => void) | undefined;
  readonly logBytesMax?: number | undefined;
  readonly commitMsMax?: number | undefined;
  /** The counts of all realms; by default nobody reads them. */
  readonly record?: RealmRecord | undefined;
  /** The turns of work that nobody waits for; by default the realm has its own. */
  readonly background?: BackgroundTurns | undefined;
  readonly scheduler: SchedulerInput;
  /** The other processes that serve clients of the realm; by default there are none. */
  readonly followers?: Followers | undefined;
  /** Called when the last commit is done, before the store is closed. */
  readonly onLastCommit?: (() => void) | undefined;
}

/** The processes that serve clients for this one, as a realm tells them of its commits. */
export interface Followers {
  /** They have views of their own, and are told of what changes these. */
  readonly views?: ViewFollowers;
  /** Tells all of them of the events of a commit, in order, when its callers were answered. */
  announce(entries: readonly LogEntry[]): void;
  /** Tells one that a queue which it holds has ended. */
  ended(holder: Holder, queueId: string, why: EndOfQueue): void;
  /** Tells one that a consumer of a queue has come to this process at this moment (`momentMs`). */
  replaced?(holder: Holder, queueId: string, at: number): void;
  /** Describes who listens there, as they told it last. */
  trees(): readonly FollowerTree[];
}

/** The parts of a realm while it runs. */
export interface RealmParts {
  /** The realm's actor, whose children its channels and attached queues are. */
  readonly actor: AnyActorRef;
  /** The other processes that serve clients of it. */
  readonly followers: Followers | undefined;
  readonly store: RealmStore;
  readonly reader: RealmReader;
  readonly files: FileStore;
  readonly commits: Commits;
  readonly fanOut: FanOut;
  readonly queues: Queues;
  readonly holds: Holds;
  readonly keyUses: KeyUses;
  readonly onSecondStepLocked: RealmInput['onSecondStepLocked'];
  readonly housekeeping: Housekeeping;
  /** The counts of the metrics that a scrape does not take itself. */
  readonly census: Census;
  readonly record: RealmRecord;
  readonly scheduler: Scheduler;
  readonly door: Door;
  readonly space: Space;
  readonly now: () => number;
  dismissConsumers(retryAfterMs: () => number): void;
  /** Closes the store after the last commit. */
  close(): Promise<void>;
}

/** The door is open while operations are taken. */
export interface Door {
  open(): void;
  close(): void;
  isOpen(): boolean;
}

interface OwnedInput extends RealmInput {
  /** The realm's actor. */
  readonly owner: AnyActorRef;
}

/** Opens the store and its queues, and tells the queues that the server was restarted. */
export async function openRealmParts(input: OwnedInput): Promise<RealmParts> {
  const store = input.openStore();
  try {
    return await partsOver(store, input);
  } catch (error) {
    // The supervisor opens it again a second later.
    await store.close();
    throw error;
  }
}

async function partsOver(store: RealmStore, input: OwnedInput): Promise<RealmParts> {
  const { clock, record = openRealmRecord(), background = new BackgroundTurns() } = input;
  const shared = { clock, record, background };
  const { reader } = store;
  const fanOut = openFanOut({
    reader,
    clock,
    owner: input.owner,
    record,
    head: reader.head(),
    isHeartbeatDue: (queue) => isHeartbeatDue(queue, clock.now()),
  });
  const commits = openCommits({
    ...shared,
    store,
    commitMsMax: input.commitMsMax ?? COMMIT_MS_MAX,
    notBefore: input.notBefore,
    space: input.space,
    refusal: input.refusal,
    broadcast: announcing(input, fanOut),
    onWakeAt: (at) => scheduler.noteDue(at),
    onQueuesEnded: (ids) => endQueues(ids, { queues, reader }),
    onFailed: input.onCommitFailed,
    onBug: input.onBug,
  });
  const run = runner(commits, input);
  const door = openDoor();
  const scheduler = openScheduler({
    ...shared,
    input: input.scheduler,
    reader,
    commits: () => commits,
    onBug: input.onBug,
    wake: () => sendOrThrow(input.owner, { type: 'wake' }),
    isActive: door.isOpen,
  });
  const { queues, holds } = openQueuesOf(input, {
    fanOut,
    record,
    logStart: () => housekeeping.logStart(),
    onExpired: (queue) => run((tx) => removeQueue(tx, queue)),
  });
  const keyUses = new KeyUses();
  const housekeeping = openHousekeeping({
    store,
    fanOut,
    queues,
    holds,
    keyUses,
    clock,
    run,
    ...(input.logBytesMax === undefined ? {} : { logBytesMax: input.logBytesMax }),
  });
  await reopenQueues(input, { reader, queues, commits });
  return {
    actor: input.owner,
    followers: input.followers,
    store,
    reader,
    files: input.files,
    commits,
    fanOut,
    queues,
    holds,
    keyUses,
    onSecondStepLocked: input.onSecondStepLocked,
    housekeeping,
    census: openCensus({ store, clock, isActive: door.isOpen }),
    record,
    scheduler,
    door,
    space: input.space,
    now: () => clock.now(),
    dismissConsumers: (retryAfterMs) => dismissConsumers(queues, fanOut, retryAfterMs),
    close: () => close({ commits, housekeeping, store }, input),
  };
}

/** Runs the realm's own operations, which are refused by bugs alone. */
const runner =
  (commits: Commits, { onBug }: RealmInput) =>
  (operation: Operation<void>, then?: () => void) => {
    commits.run(operation, (outcome) => {
      // It was refused because of a commit that was told of.
      if (!outcome.isDone && commits.hasFailed()) return;
      if (!outcome.isDone) onBug(outcome.error);
      else then?.();
    });
  };

/** Tells those of events who listen elsewhere, and then those who listen here. */
const announcing =
  ({ followers }: RealmInput, fanOut: FanOut) =>
  (entries: readonly LogEntry[]) => {
    followers?.announce(entries);
    fanOut.broadcast(entries);
  };

type QueuesOf = Pick<
  Parameters<typeof openQueues>[0],
  'fanOut' | 'record' | 'logStart' | 'onExpired'
>;

/** Opens the queues, with those that other processes hold. */
function openQueuesOf({ clock, owner, followers }: OwnedInput, given: QueuesOf) {
  /** When the latest consumer of a queue has come here, if others may come elsewhere. */
  const came = new Map<string, number>();
  const queues = openQueues({
    ...given,
    clock,
    owner,
    onEnded(id, why) {
      came.delete(id);
      const holder = holds.end(id);
      if (holder !== undefined) followers?.ended(holder, id, why);
    },
    onExpired(queue) {
      came.delete(queue.id);
      given.onExpired(queue);
    },
    onAttached(id) {
      if (followers?.replaced === undefined) return;
      const at = momentMs();
      came.set(id, at);
      const holder = holds.end(id);
      if (holder !== undefined) followers.replaced(holder, id, at);
    },
  });
  const holds = openHolds({
    queueOf: (id) => queues.all().get(id),
    now: () => clock.now(),
    keepsHere(id, at) {
      const queue = queues.all().get(id);
      if (queue === undefined || !isAttached(queue)) return false;
      if (queue.consumer !== null && (came.get(id) ?? 0) > at) return true;
      came.delete(id);
      queues.replace(queue);
      return false;
    },
  });
  return { queues, holds };
}

async function close(
  { commits, housekeeping, store }: Pick<RealmParts, 'commits' | 'housekeeping' | 'store'>,
  { onLastCommit }: RealmInput,
) {
  await commits.idle();
  housekeeping.writeUses();
  await commits.idle();
  onLastCommit?.();
  // A large store on a busy disk takes its time.
  await store.close();
}

async function reopenQueues(
  input: RealmInput,
  { reader, queues, commits }: Pick<RealmParts, 'reader' | 'queues' | 'commits'>,
) {
  for (const [[id], row] of reader.queues.range({})) queues.open(id, row);
  // On a full disk a realm is opened to be read, and nobody can be told that it was away.
  if (queues.all().size > 0 && !input.space.isFull()) await emitRestart(commits, input);
}

function endQueues(
  ids: readonly string[],
  { queues, reader }: Pick<RealmParts, 'queues' | 'reader'>,
) {
  for (const id of ids) {
    const queue = queues.all().get(id);
    if (queue === undefined) continue;
    const isActive = reader.users.get([queue.userId])?.isActive === true;
    queues.end(id, isActive ? 'queue gone' : 'account gone');
  }
}

function emitRestart(commits: Commits, { restartEvent }: RealmInput) {
  return new Promise<void>((resolve, reject) => {
    const settle: Settle<void> = (outcome) => {
      if (outcome.isDone) resolve();
      else reject(outcome.error);
    };
    const event = restartEvent();
    if (event === null) return resolve();
    commits.run((tx) => {
      tx.emit({ event, audience: { everyone: true } });
    }, settle);
  });
}

function dismissConsumers(queues: Queues, fanOut: FanOut, retryAfterMs: () => number) {
  for (const queue of queues.all().values()) {
    if (!isAttached(queue) || queue.consumer === null) continue;
    const { consumer } = queue;
    fanOut.disconnect(queue);
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
