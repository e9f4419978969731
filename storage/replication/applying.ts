import { asBinary, type RootDatabase } from 'lmdb';
import type { Logins } from '../accounts-version.ts';
import type { Databases, TableName } from '../databases.ts';
import type { KeyPart } from '../key.ts';
import { keyBytes } from '../lmdb-internals.ts';
import { schemaTable } from '../migrations/schema-version.ts';
import { TABLES } from '../schema.ts';
import type { TableDatabase } from '../table.ts';
import { DamagedRecord, type Place, type WriteSet, type WrittenRow } from './commit-log.ts';

/** Writes the commits of a log to a store, those of its owner and those of others. */
export interface Applying {
  /** Returns the newest record that reads see; null before the first. */
  applied(): Place | null;
  /**
   * Writes the rows of a record, and its place, in one transaction. Resolves when they are on disk
   * and reads see them.
   * Throws for a damaged record, which changes nothing. After any rejection the store must be
   * closed.
   */
  apply(writes: WriteSet, place: Place): Promise<void>;
}

/** The tables by the names under which they are stored. */
const KNOWN: ReadonlyMap<string, { readonly name: TableName; readonly decidesLogins: boolean }> =
  new Map(
    Object.entries(TABLES).map(([name, { name: stored, decidesLogins }]) => [
      stored,
      { name: name as TableName, decidesLogins }, // a name that TABLES has
    ]),
  );

/** The row of a store that has its place in the log, as `write` puts it. */
export const APPLIED = 'applied';

interface ApplyingInput {
  readonly env: RootDatabase<unknown, string>;
  readonly databases: Databases;
  readonly logins: Logins;
  /** Queues what is written with a record, once it is known to be whole; by default nothing. */
  readonly onChecked?: (writes: WriteSet) => void;
}

export function openApplying(input: ApplyingInput): Applying {
  const { env, databases, logins, onChecked } = input;
  const schema = schemaTable(env);
  let applied = placeIn(schema.get(APPLIED));
  /** The newest record that is on its way into the store. */
  let newest = applied;

  /** Queues the writes, off the main thread; those of one turn are one transaction. */
  async function write(writes: WriteSet, place: Place): Promise<void> {
    let loginsChanged = false;
    for (const [stored, rows] of writes) {
      const table = KNOWN.get(stored);
      if (table === undefined) throw new DamagedRecord(`there is no table ${stored}`);
      loginsChanged ||= table.decidesLogins && rows.length > 0;
      writeRows(databases[table.name], rows);
    }
    const accountsVersion = loginsChanged ? logins.noteQueued() : undefined;
    // The same promise as that of all writes of this transaction.
    await schema.put(APPLIED, [place.sequence, place.id, place.epoch]);
    if (accountsVersion !== undefined) logins.reached(accountsVersion);
  }

  return {
    applied: () => applied,
    async apply(writes, place) {
      checkPlace(place, newest);
      checkWrites(writes);
      newest = place;
      // All of it is queued in this turn, and so is one transaction.
      onChecked?.(writes);
      await write(writes, place);
      applied = place;
    },
  };
}

function writeRows(database: TableDatabase, rows: readonly WrittenRow[]) {
  for (const [key, row] of rows) {
    // lmdb's types know neither readonly arrays nor values that are encoded.
    if (row === null) void database.remove(key as KeyPart[]);
    else void database.put(key as KeyPart[], asBinary(row as Buffer) as unknown as unknown[]);
  }
}

/** Reads the place that a store has noted. */
export function placeIn(stored: unknown): Place | null {
  if (!Array.isArray(stored)) return null;
  const [sequence, id, epoch] = stored as [number, string, number]; // as `write` puts it
  return { sequence, id, epoch };
}

function checkPlace(place: Place, newest: Place | null) {
  const { sequence, id, epoch } = place;
  if (!isCount(sequence) || !isCount(epoch) || typeof id !== 'string' || id === '') {
    throw new DamagedRecord('a record has no place in its log');
  }
  if (newest !== null && sequence <= newest.sequence) {
    throw new DamagedRecord(
      `record ${sequence} comes behind record ${newest.sequence}, which the store has`,
    );
  }
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

/**
 * LMDB refuses a bad key when the writes before it are queued already, so all are looked at first.
 */
function checkWrites(writes: unknown) {
  if (!Array.isArray(writes)) throw new DamagedRecord('the writes of a record are no list');
  for (const part of writes as unknown[]) {
    if (!Array.isArray(part)) throw new DamagedRecord('the writes of a record are of no table');
    const [stored, rows] = part as [string, unknown]; // a name that is none is not known
    if (!KNOWN.has(stored)) throw new DamagedRecord(`there is no table ${String(stored)}`);
    if (!Array.isArray(rows)) throw new DamagedRecord(`the rows of ${stored} are no list`);
    for (const written of rows as unknown[]) {
      if (!Array.isArray(written)) throw new DamagedRecord(`a row of ${stored} is none`);
      const [key, row] = written as [unknown, unknown];
      if (!isKey(key)) throw new DamagedRecord(`a row of ${stored} has no key`);
      if (!isRow(row)) throw new DamagedRecord(`a row of ${stored} is none`);
    }
  }
}

/** LMDB's bound, as lmdb sets it. */
const KEY_BYTES_MAX = 1978;
/** No key with so few characters in so few parts reaches it. */
const SHORT = { characters: 256, parts: 8 };

function isKey(key: unknown): boolean {
  if (!Array.isArray(key) || key.length === 0) return false;
  let characters = 0;
  for (const part of key) {
    if (typeof part === 'string') characters += part.length;
    else if (!Number.isFinite(part)) return false;
  }
  if (characters <= SHORT.characters && key.length <= SHORT.parts) return true;
  try {
    return keyBytes(key as KeyPart[]) <= KEY_BYTES_MAX;
  } catch {
    return false;
  }
}

/** Rows are msgpack arrays. */
const isRow = (row: unknown): boolean =>
  row === null || (row instanceof Uint8Array && isArrayType(row[0] ?? 0));

const isArrayType = (type: number) => (type & 0xf0) === 0x90 || type === 0xdc || type === 0xdd;
