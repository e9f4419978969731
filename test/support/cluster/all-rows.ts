import { open } from 'lmdb';
import { TABLES } from '../../../storage/schema.ts';

/** A count of this store alone, of what its views were told: no log has it. */
const OWN_ROW = 'schema "views version" ';

/** Every row of a store that a log decides, as its bytes: a line each, by table and key. */
export async function allRows(folder: string): Promise<readonly string[]> {
  const env = open<unknown, string>({
    path: folder,
    readOnly: true,
    maxDbs: Object.keys(TABLES).length + 8,
    overlappingSync: false,
  });
  try {
    const names = [...env.getKeys({})];
    return names
      .flatMap((name) => rowsOf(env.openDB({ name, encoding: 'binary' }), name))
      .filter((row) => !row.startsWith(OWN_ROW));
  } finally {
    await env.close();
  }
}

interface Binary {
  getRange(options: object): Iterable<{ readonly key: unknown; readonly value: unknown }>;
}

const rowsOf = (database: unknown, name: string): string[] =>
  Array.from(
    (database as Binary).getRange({}),
    ({ key, value }) => `${name} ${JSON.stringify(key)} ${(value as Buffer).toString('hex')}`,
  );
