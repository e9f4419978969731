import * as errors from '../../src/domain/wire/errors.ts';
import type { QueueOptions } from '../../src/domain/wire/events/queue-options.ts';
import type { FollowerStore } from '../../storage/follower-store.ts';
import type { QueueRow } from '../../storage/tables/realm/events.ts';
import type { RealmReader, RealmTransaction } from '../../storage/transaction.ts';
import type { Settle, Settled } from './waiting-operations.ts';

/** A queue that a client asks for. */
export interface AskedQueue extends Pick<QueueRow, 'keyHash' | 'program'> {
  readonly userId: number;
  readonly options: Omit<QueueOptions, 'allPublicChannels' | 'narrow'>;
  /** As the client wants it; a bot has defaults for what is not said. */
  readonly wanted: {
    readonly allPublicChannels: boolean | undefined;
    readonly narrow: QueueOptions['narrow'];
  };
}

export interface StoredQueue {
  readonly id: string;
  readonly row: QueueRow;
}

/** How the writer is asked for queues. */
export interface QueueWriter {
  /** Returns false if too much is under way. */
  add(asked: AskedQueue, settle: Settle<StoredQueue>): boolean;
  /** Has the queue begin at a later position, which is in its row when this is settled. */
  begin(queueId: string, position: number, settle: Settle<undefined>): boolean;
}

/** All that a snapshot is made of, as it is committed at one moment. */
export type SnapshotReads = RealmReader & Pick<RealmTransaction, 'view' | 'now'>;

/** Registers clients in a process that only reads: the writer stores their queues. */
export interface Registrar {
  /** Reads a snapshot for somebody who gets no queue. */
  read<State>(make: (reads: SnapshotReads) => State, settle: Settle<State>): void;
  /** Has a queue stored, and reads the snapshot that its events continue. */
  register<State>(
    asked: AskedQueue,
    make: (reads: SnapshotReads, queue: StoredQueue) => State,
    settle: Settle<Registered<State>>,
  ): void;
  /** Snapshots that wait may be read now. */
  look(): void;
  /** Refuses those that wait: the store closes. */
  stop(): void;
}

export interface Registered<State> {
  readonly queue: StoredQueue;
  /** The newest event that the state includes. */
  readonly head: number;
  readonly state: State;
}

interface RegistrarInput {
  readonly store: FollowerStore;
  readonly writer: QueueWriter;
  readonly now: () => number;
}

/** Snapshots are read for so long (ms) before others are served. */
const TURN_MS = 8;
/** A commit that was seen is told of right away. Without news for so long, all rows are read. */
const UNTOLD_MS_MAX = 1_000;
/** How often it is looked for commits that nothing else tells of. */
const LOOK_MS = 50;
/** A process that does not see the commit of a queue for so long (ms) is cut off, and refuses. */
const UNSEEN_MS_MAX = 10_000;
/** Seconds after which a client is asked to come back when the writer has too much to do. */
const BUSY_SECONDS = 1;

interface Waiting {
  /** The state has to include this event. */
  readonly position: number;
  readonly since: number;
  /** The function throws once this process stops. */
  readonly read: (reads: () => SnapshotReads) => void;
}

export function openRegistrar({ store, writer, now }: RegistrarInput): Registrar {
  const snapshots = openSnapshots({ store, now });

  /** The queue must not deliver what the state includes, even to who names no position. */
  function beginAtHead<State>(made: Registered<State>, settle: Settle<Registered<State>>) {
    const { queue, head } = made;
    const isTaken = writer.begin(queue.id, head, (outcome) => {
      settle(outcome.isDone ? { isDone: true, reply: made } : outcome);
    });
    if (!isTaken) settle(BUSY);
  }

  return {
    read: (make, settle) =>
      snapshots.whenSeen(0, (reads) => settle(outcomeOf(() => make(reads())))),
    register<State>(
      asked: AskedQueue,
      make: (reads: SnapshotReads, queue: StoredQueue) => State,
      settle: Settle<Registered<State>>,
    ) {
      const isTaken = writer.add(asked, (outcome) => {
        if (!outcome.isDone) return settle(outcome);
        const queue = outcome.reply;
        const { startedAt } = queue.row;
        snapshots.whenSeen(startedAt, (reads) => {
          const made = outcomeOf(() => registered(queue, reads(), make));
          if (made.isDone && made.reply.head > startedAt) beginAtHead(made.reply, settle);
          else settle(made);
        });
      });
      if (!isTaken) settle(BUSY);
    },
    look: snapshots.look,
    stop: snapshots.stop,
  };
}

const BUSY: Settled<never> = { isDone: false, error: errors.rateLimitHit(BUSY_SECONDS) };

const registered = <State>(
  queue: StoredQueue,
  reads: SnapshotReads,
  make: (reads: SnapshotReads, queue: StoredQueue) => State,
): Registered<State> => ({ queue, head: reads.head(), state: make(reads, queue) });

function outcomeOf<Reply>(make: () => Reply): Settled<Reply> {
  try {
    return { isDone: true, reply: make() };
  } catch (error) {
    return { isDone: false, error };
  }
}

function stopped(): never {
  throw errors.serverStopping();
}

/** Reads snapshots, some in each turn, once everything that they have to include is seen. */
function openSnapshots({ store, now }: Pick<RegistrarInput, 'store' | 'now'>) {
  const { reader, views } = store;
  const reads: SnapshotReads = {
    ...reader,
    view: (kind) => views.use(kind, now()),
    get now() {
      return now();
    },
  };
  let waiting: Waiting[] = [];
  let isPlanned = false;
  let isStopped = false;

  /** All that is read from here to the end of the turn is of one moment. */
  function look() {
    if (waiting.length === 0) return;
    store.refresh();
    const begun = performance.now();
    const areTold = views.areTold();
    const head = reader.head();
    const rest = waiting;
    const left: Waiting[] = [];
    let hasDue = false;
    waiting = [];
    try {
      for (let one = rest.shift(); one !== undefined; one = rest.shift()) {
        const at = performance.now();
        const waitedMs = at - one.since;
        const isSeen = head >= one.position;
        const isDue = isSeen && (areTold || waitedMs >= UNTOLD_MS_MAX);
        if (isDue && at - begun < TURN_MS) one.read(() => reads);
        else if (!isSeen && waitedMs >= UNSEEN_MS_MAX) one.read(stopped);
        else left.push(one);
        hasDue ||= isDue;
      }
    } finally {
      // An exception in one caller's answer must not cost another caller theirs.
      waiting = [...left, ...rest, ...waiting];
      plan(hasDue);
    }
  }

  /** Has it looked again, in the next turn if something may be read then. */
  function plan(isSoon: boolean) {
    if (waiting.length === 0 || isPlanned) return;
    isPlanned = true;
    const lookAgain = () => {
      isPlanned = false;
      look();
    };
    if (isSoon) setImmediate(lookAgain);
    else setTimeout(lookAgain, LOOK_MS).unref();
  }

  return {
    whenSeen(position: number, read: Waiting['read']) {
      if (isStopped) return read(stopped);
      waiting.push({ position, since: performance.now(), read });
      plan(true);
    },
    look,
    stop() {
      isStopped = true;
      for (const { read } of waiting) read(stopped);
      waiting = [];
    },
  };
}
