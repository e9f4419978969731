import { ABORT, type RootDatabase } from 'lmdb';
import type { LogEntry } from '../src/domain/wire/events/log-entry.ts';
import type { TraceContext } from '../src/domain/wire/trace-context.ts';
import type { AuditRecorder } from './audit/recorder.ts';
import type { openTransactionRows } from './cache/transaction-rows.ts';
import type { Writes } from './table.ts';
import type { AuditRow } from './tables/realm/audit.ts';
import type { Counters, Sequence } from './tables/realm/realm.ts';
import type { Operation, Outcome, RealmTransaction, Writers } from './transaction.ts';
import type { openViews } from './views.ts';

export const NO_COUNTERS: Counters = { event: 0, message: 0, user: 0, channel: 0, recipient: 0 };
const isCounter = (sequence: keyof Counters | Sequence): sequence is keyof Counters =>
  Object.hasOwn(NO_COUNTERS, sequence);

/**
 * Operations that share a nested transaction. LMDB copies each page that a nested transaction
 * writes to, and what sends write is spread over two dozen pages: a third of a send's CPU time,
 * when each had one of its own. More would save little, and when one of them fails late, so many
 * are run again.
 */
const OPERATIONS_PER_GROUP = 32;

export type Batch = ReturnType<typeof openBatch>;

/**
 * Runs operations in order, each so that it leaves nothing behind when it throws. Most that throw
 * do so before they have written anything. When one throws later, its whole group is undone, and
 * each of the group is run again in a nested transaction of its own. The next operation is asked
 * for when the one before it is done.
 */
export function runAll(
  env: RootDatabase,
  batch: Batch,
  operations: Iterable<Operation<unknown>>,
): Outcome[] {
  const outcomes: Outcome[] = [];
  const source = operations[Symbol.iterator]();
  for (let next = source.next(); next.done !== true; next = source.next()) {
    const { group, shared } = runTogether(env, batch, groupOf(next.value, source));
    outcomes.push(...(shared ?? group.map((operation) => runAlone(env, batch, operation))));
  }
  return outcomes;
}

/** Ends where the source does, or at the size of a group. The next group goes on from there. */
function* groupOf(first: Operation<unknown>, source: Iterator<Operation<unknown>>) {
  yield first;
  for (let size = 1; size < OPERATIONS_PER_GROUP; size++) {
    const next = source.next();
    if (next.done === true) return;
    yield next.value;
  }
}

interface Group {
  readonly group: readonly Operation<unknown>[];
  /**
   * The outcomes; undefined if an operation failed after it had written, behind others. Then none
   * of the group has left anything.
   */
  readonly shared: readonly Outcome[] | undefined;
}

function runTogether(
  env: RootDatabase,
  batch: Batch,
  operations: Iterable<Operation<unknown>>,
): Group {
  const before = batch.savepoint();
  const group: Operation<unknown>[] = [];
  const outcomes: Outcome[] = [];
  let late: { readonly error: unknown } | undefined;
  // Inside a transaction it runs at once and returns no promise.
  void env.childTransaction(() => {
    for (const operation of operations) {
      group.push(operation);
      const outcome = attempt(batch, operation);
      if ('hasWritten' in outcome) {
        late = { error: outcome.error };
        return ABORT;
      }
      outcomes.push(outcome);
    }
    return undefined;
  });
  if (late === undefined) {
    batch.keep();
    return { group, shared: outcomes };
  }
  batch.undo(before);
  // The first of a group has had a nested transaction of its own.
  return { group, shared: group.length === 1 ? [late] : undefined };
}

/**
 * Runs operations behind those with these outcomes, and adds theirs. `turn` resolves with the
 * operations of the next turn, undefined when there is none. All are a group of one nested
 * transaction, as one for each would cost more than a short operation.
 */
export async function runInTurns(
  env: RootDatabase,
  batch: Batch,
  outcomes: Outcome[],
  turn: () => Promise<Iterable<Operation<unknown>> | undefined>,
) {
  const before = batch.savepoint();
  const count = outcomes.length;
  const group: Operation<unknown>[] = [];
  const isUndone = await env.childTransaction(async () => {
    for (let taken = await turn(); taken !== undefined; taken = await turn()) {
      for (const operation of taken) {
        group.push(operation);
        const outcome = attempt(batch, operation);
        if ('hasWritten' in outcome) return ABORT;
        outcomes.push(outcome);
      }
    }
    return undefined;
  });
  if (isUndone !== ABORT) return batch.keep();
  batch.undo(before);
  outcomes.splice(count, group.length, ...group.map((each) => runAlone(env, batch, each)));
}

function attempt(
  batch: Batch,
  operation: Operation<unknown>,
): Outcome | { readonly error: unknown; readonly hasWritten: true } {
  const before = batch.savepoint();
  try {
    return batch.outcomeOf(batch.run(operation));
  } catch (error) {
    if (batch.hasWrittenSince(before)) return { error, hasWritten: true };
    batch.forget(before);
    return { error };
  }
}

function runAlone(env: RootDatabase, batch: Batch, operation: Operation<unknown>): Outcome {
  const before = batch.savepoint();
  try {
    let reply: unknown;
    void env.childTransaction(() => {
      reply = batch.run(operation);
    });
    batch.keep();
    return batch.outcomeOf(reply);
  } catch (error) {
    batch.undo(before);
    return { error };
  }
}

export interface BatchInput {
  readonly writes: Writes;
  readonly views: ReturnType<typeof openViews>;
  readonly caches: ReturnType<typeof openTransactionRows>;
  readonly audit: AuditRecorder;
}

interface Savepoint {
  readonly counters: Counters;
  readonly writeCount: number;
  /** The length of the journal; 0 without one. */
  readonly noted: number;
}

/**
 * Holds what the operations of a commit are handed, the numbers given out, and the effects of
 * each operation.
 */
export function openBatch(tables: Writers, { writes, views, caches, audit }: BatchInput) {
  const sequences = openSequences(tables);
  let now = 0;
  let effects = noEffects();
  let trace: TraceContext | null = null;
  const transaction: RealmTransaction = {
    ...tables,
    head: () => sequences.counters().event,
    get now() {
      return now;
    },
    nextId: sequences.next,
    lastId: sequences.last,
    wakeAt(at) {
      effects.wakeAt = Math.min(effects.wakeAt, at);
    },
    endQueue(id) {
      tables.queues.remove([id]);
      effects.endedQueues.push(id);
    },
    view: (kind) => views.use(kind, now),
    actAs: audit.actAs,
    audit: audit.add,
    get trace() {
      return trace;
    },
    follow(context) {
      trace = context;
    },
    emit(entry) {
      const id = sequences.next('event');
      const logged: LogEntry = { ...entry, id, at: now };
      tables.events.put([id], logged);
      effects.events.push(logged);
      return id;
    },
  };
  /** Takes back the numbers of an operation that has written nothing, and its effects. */
  function forget({ counters }: Savepoint) {
    sequences.restore(counters);
    effects = noEffects();
    trace = null;
    audit.forget();
  }
  const logAct = (row: AuditRow) => tables.auditLog.put([sequences.next('audit')], row);
  return {
    transaction,
    /** Runs an operation, and logs what it has changed in the same nested transaction. */
    run(operation: Operation<unknown>): unknown {
      const reply = operation(transaction);
      trace = null;
      audit.finish(now, logAct);
      return reply;
    },
    begin(at: number) {
      sequences.begin();
      now = at;
      views.dropIdle(at);
    },
    savepoint: (): Savepoint => ({
      counters: sequences.counters(),
      writeCount: writes.count,
      noted: writes.journal?.length() ?? 0,
    }),
    hasWrittenSince: ({ writeCount }: Savepoint) => writes.count !== writeCount,
    forget,
    /** The store has taken back everything that was written since. */
    undo(before: Savepoint) {
      writes.journal?.cutTo(before.noted);
      caches.takeBack();
      // Only tables of this store feed views, under their own names, with keys of theirs.
      views.takeBack((name, key) => tables[name as 'users'].get(key as never));
      forget(before);
    },
    /** Everything that the operation wrote stands. */
    keep() {
      views.keep();
      caches.keep();
    },
    outcomeOf(reply: unknown): Outcome {
      const { events, wakeAt, endedQueues } = effects;
      effects = noEffects();
      return { reply, events, wakeAt, endedQueues };
    },
    end: sequences.end,
  };
}

/** The effects of an operation besides its writes. */
const noEffects = () => ({
  events: [] as LogEntry[],
  wakeAt: Number.POSITIVE_INFINITY,
  endedQueues: [] as string[],
});

/**
 * The sequences of a commit. Those that nearly every operation takes a number of are written once,
 * at its end.
 */
function openSequences({ counters: stored, sequences }: Pick<Writers, 'counters' | 'sequences'>) {
  let before: Counters = NO_COUNTERS;
  let counters: Counters = NO_COUNTERS;
  const last = (sequence: keyof Counters | Sequence) =>
    isCounter(sequence) ? counters[sequence] : (sequences.get([sequence])?.last ?? 0);
  return {
    begin() {
      before = stored.get(['counters']) ?? NO_COUNTERS;
      counters = before;
    },
    counters: () => counters,
    restore(former: Counters) {
      counters = former;
    },
    last,
    next(sequence: keyof Counters | Sequence): number {
      const id = last(sequence) + 1;
      if (isCounter(sequence)) counters = { ...counters, [sequence]: id };
      else sequences.put([sequence], { last: id });
      return id;
    },
    end() {
      if (counters !== before) stored.put(['counters'], counters);
    },
  };
}
