import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HeldRows } from '../../storage/held-store.ts';
import type { Key } from '../../storage/key.ts';
import { TABLES } from '../../storage/schema.ts';
import type { TableReader } from '../../storage/table.ts';
import { ROW_SHAPES } from '../archives/row-shapes.ts';
import type { TableName } from '../archives/tables.ts';
import { isFoundBySender } from '../operations/search/sender-lists.ts';
import type { FileCheck } from './check-files.ts';
import type { Findings } from './findings.ts';
import { COUNTED, INDEX_RULES, NUMBERED, type RequiredRow } from './index-rules.ts';

interface Input {
  readonly rows: HeldRows;
  readonly files: FileCheck;
  readonly findings: Findings;
}

/**
 * Rows that are read before the event loop has a turn, in which the process hears that its command
 * has ended.
 */
const ROWS_A_TURN = 500;

/**
 * Reads every row of every table and checks what it demands of other tables and of files. Returns
 * the number of rows.
 */
export async function checkRows({ rows, files, findings }: Input): Promise<number> {
  let count = 0;
  for (const name of Object.keys(TABLES) as TableName[]) {
    const table = TABLES[name].name;
    const shape = shapeFor(name);
    const follow = openFollowing(name, rows, findings);
    try {
      for (const { key, row, fault } of rows.all(name)) {
        count += 1;
        if (count % ROWS_A_TURN === 0) await nextTurn();
        const wrong = fault ?? shape(row);
        const where = JSON.stringify(key);
        if (wrong !== undefined) {
          findings.note(table, { what: wrong, where });
          continue;
        }
        for (const what of follow.row(key, row ?? {})) findings.note(table, { what, where });
        const looking = files.row(name, key, row ?? {});
        if (looking !== undefined) await looking;
      }
    } catch (error) {
      findings.note(table, { what: `cannot be read on: ${(error as Error).message}`, where: '' });
    }
    for (const what of follow.end()) findings.note(table, { what, where: '' });
  }
  await files.end();
  return count;
}

/**
 * Each column of tables that are in archives is checked; of other tables, only that values are
 * rows.
 */
function shapeFor(name: TableName): (row: object | undefined) => string | undefined {
  if (!Object.hasOwn(ROW_SHAPES, name)) return () => undefined;
  const schema = ROW_SHAPES[name as keyof typeof ROW_SHAPES];
  return (row) => {
    const issue = schema.safeParse(row).error?.issues[0];
    return issue && `is of another shape: ${issue.path.join('.')}: ${issue.message}`;
  };
}

interface Following {
  row(key: Key, row: object): Iterable<string>;
  /** Called after the last row. */
  end(): Iterable<string>;
}

function openFollowing(name: TableName, { reader }: HeldRows, findings: Findings): Following {
  const requiredBy = INDEX_RULES[name] as
    | ((key: Key, row: object) => readonly RequiredRow[])
    | undefined; // each table's own
  const isThere = ([table, key]: RequiredRow) =>
    (reader[table] as unknown as TableReader<Key, object>).has(key) ||
    (table === 'senderMessages' && isFoundBySender(reader, Number(key[0]), Number(key[1])));
  const numbered = openNumbers(name, reader);
  let event: number | undefined;
  return {
    *row(key, row) {
      for (const required of requiredBy?.(key, row) ?? []) {
        if (isThere(required)) continue;
        // The fault counts for the table that should have the row.
        const [table, missing] = required;
        const what = `a row is missing that ${TABLES[name].name} ${JSON.stringify(key)} asks for`;
        findings.note(TABLES[table].name, { what, where: JSON.stringify(missing) });
      }
      numbered.row(key, row);
      if (name !== 'events') return;
      const [id] = key as [number];
      if (event !== undefined && id !== event + 1)
        yield `events ${event + 1} to ${id - 1} are missing`;
      if ((row as { readonly id: number }).id !== id) yield 'is the row of another event';
      event = id;
    },
    *end() {
      yield* numbered.end();
      if (name !== 'events') return;
      const head = reader.counters.get(['counters'])?.event ?? 0;
      if (event !== undefined && event !== head) {
        yield `its last event is ${event}, and ${head} were numbered`;
      }
    },
  };
}

/**
 * Checks that no id is above the last one of its sequence: the sequence would give it out again.
 */
function openNumbers(name: TableName, reader: HeldRows['reader']) {
  let highest = 0;
  const given = () => {
    if (Object.hasOwn(COUNTED, name)) {
      const sequence = COUNTED[name as keyof typeof COUNTED];
      return reader.counters.get(['counters'])?.[sequence] ?? 0;
    }
    if (!Object.hasOwn(NUMBERED, name)) return Number.POSITIVE_INFINITY;
    return reader.sequences.get([NUMBERED[name as keyof typeof NUMBERED]])?.last ?? 0;
  };
  return {
    row(key: Key, row: object) {
      // The service's own accounts have ids above all others.
      if ('isSystem' in row && row.isSystem === true) return;
      const last = key.at(-1);
      if (typeof last === 'number' && last > highest) highest = last;
    },
    *end() {
      const last = given();
      if (highest > last) yield `has number ${highest}, and the last one given out is ${last}`;
    },
  };
}
