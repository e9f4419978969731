import type { Key } from '../key.ts';
import type { WriteSet, WrittenRow } from './commit-log.ts';

/** The rows that the operations of a commit put and remove, in order. */
export interface Journal {
  /** Null is a row that is removed. Throws if the commit has become too long for the log. */
  note(table: string, key: Key, row: Uint8Array | null): void;
  /** Returns how many rows are noted; `cutTo` takes it. */
  length(): number;
  /** Returns the bytes of the rows that are noted. */
  bytes(): number;
  /** Forgets the rows of operations that were undone. */
  cutTo(length: number): void;
  /** Returns all rows by their tables, and forgets them. */
  take(): WriteSet;
}

/** A commit takes no further operation once it has written so much: a record of usual size. */
export const COMMIT_BYTES_FULL = 4 * 1024 * 1024;
/**
 * Every holder of a realm keeps a record in memory while it applies it. There is room for an
 * operation of 64 MiB, more than any endpoint writes, behind those that came before it.
 */
const COMMIT_BYTES_MAX = COMMIT_BYTES_FULL + 64 * 1024 * 1024;

/** A key and the places of a row in a record take about so many bytes beside the row. */
const BYTES_PER_ROW = 32;

const sizeOf = (row: Uint8Array | null) => BYTES_PER_ROW + (row?.length ?? 0);

const TOO_LONG = `a commit has more than ${COMMIT_BYTES_MAX} bytes, which is too long for the log`;

interface Noted {
  readonly table: string;
  readonly row: WrittenRow;
}

/**
 * Keeps every write: to find the last one of each key costs as much as the few repeats that it
 * saves.
 */
export function openJournal(): Journal {
  let noted: Noted[] = [];
  let bytes = 0;
  return {
    note(table, key, row) {
      const size = sizeOf(row);
      if (bytes + size > COMMIT_BYTES_MAX) throw new RangeError(TOO_LONG);
      noted.push({ table, row: [key, row] });
      bytes += size;
    },
    length: () => noted.length,
    bytes: () => bytes,
    cutTo(length) {
      for (let index = length; index < noted.length; index++) {
        bytes -= sizeOf(noted[index]?.row[1] ?? null);
      }
      noted.length = length;
    },
    take() {
      const byTable = new Map<string, WrittenRow[]>();
      for (const { table, row } of noted) {
        const rows = byTable.get(table);
        if (rows === undefined) byTable.set(table, [row]);
        else rows.push(row);
      }
      noted = [];
      bytes = 0;
      return [...byTable];
    },
  };
}
