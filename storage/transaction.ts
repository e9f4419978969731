import type { AuditActor } from '../src/domain/wire/audit.ts';
import type { LogEntry, NewLogEntry } from '../src/domain/wire/events/log-entry.ts';
import type { TraceContext } from '../src/domain/wire/trace-context.ts';
import type { AuditAct } from './audit/recorder.ts';
import type { Readers, TableName } from './databases.ts';
import type { TABLES } from './schema.ts';
import type { Table, TableWriter } from './table.ts';
import type { Counters, Sequence } from './tables/realm/realm.ts';
import type { MaterializedView, ViewKind } from './views.ts';

type Tables = typeof TABLES;
export type Writers = {
  readonly [Name in keyof Tables]: Tables[Name] extends Table<infer K, infer R>
    ? TableWriter<K, R>
    : never;
};

/** Reads what is committed. Code that was handed a reader cannot write. */
export interface RealmReader extends Readers {
  /** The id of the newest event; events up to it are reflected in what is read. */
  head(): number;
  /**
   * Changes with every commit that may have changed who may log in. Until then an account that was
   * read stays as it was.
   */
  accountsVersion(): number;
}

/** An operation is handed this: it sees all earlier operations of its batch, and its own writes. */
export interface RealmTransaction extends Writers {
  head(): number;
  /** UNIX milliseconds; the time of everything this operation does. */
  readonly now: number;
  /** The next number of a sequence; a refused operation gives its numbers back. */
  nextId(sequence: Exclude<keyof Counters, 'event'> | Sequence): number;
  /** The newest number of a sequence. */
  lastId(sequence: keyof Counters | Sequence): number;
  /**
   * A table says that there is something to do at this time (UNIX milliseconds): the realm looks
   * again then.
   */
  wakeAt(at: number): void;
  /** Removes the row of a queue, and says so: once it is committed, the queue ends. */
  endQueue(id: string): void;
  /** A materialized view, exactly as its tables are now. */
  view<Name extends TableName, View extends MaterializedView>(kind: ViewKind<Name, View>): View;
  /** Says who acts, for the audit log; without it the server acts by itself. */
  actAs(actor: AuditActor): void;
  /** Adds an act to the audit log that no row of an audited table says. */
  audit(act: AuditAct): void;
  /** The trace of the request that the operation is of; null if it names none. */
  readonly trace: TraceContext | null;
  /** Says that the operation is of this trace. */
  follow(trace: TraceContext): void;
  /** Adds an event, in the same commit as the change. Returns its id. */
  emit(entry: NewLogEntry): number;
}

/**
 * Checks and writes in one synchronous step. A throw undoes only this operation. It may be run
 * again after it was undone with others, so it keeps nothing but in the transaction and in its
 * reply.
 */
export type Operation<Reply> = (tx: RealmTransaction) => Reply;

export type Outcome =
  | {
      readonly reply: unknown;
      readonly events: readonly LogEntry[];
      readonly wakeAt: number;
      readonly endedQueues: readonly string[];
    }
  | { readonly error: unknown };

/** Reads the rows that were committed at one moment, whatever is written since. */
export interface RealmSnapshot {
  /** Throws once the snapshot is closed, be it with its store. */
  readonly reader: RealmReader;
  /** Pages that have been replaced since the moment are used again from now on. */
  close(): void;
}
