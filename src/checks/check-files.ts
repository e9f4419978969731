import { statSync } from 'node:fs';
import { join } from 'node:path';
import { diskCode, diskFault } from '../../storage/files/disk-fault.ts';
import type { FileName } from '../../storage/files/file-store.ts';
import type { Key } from '../../storage/key.ts';
import type { RowOf, TableName } from '../archives/tables.ts';
import * as attachments from '../operations/files/attachments.ts';
import { NAMED_BY } from '../operations/files/named-files.ts';
import type { Findings } from './findings.ts';

interface NamedFile {
  readonly fileName: FileName;
  /** The size that the row gives; undefined if it gives none. */
  readonly size?: number;
}

type FilesOf = { readonly [Name in TableName]?: (row: RowOf<Name>) => readonly NamedFile[] };

const FILES_OF: FilesOf = {
  attachments(row) {
    const fileName = attachments.fileNameOf(row);
    const small = row.image?.isReady ? attachments.thumbnailFileNames(fileName, row.image) : [];
    return [{ fileName, size: row.size }, ...withoutSize(small.map((one) => one.fileName))];
  },
  users: (row) => withoutSize(NAMED_BY.users(row)),
  realmEmoji: (row) => withoutSize(NAMED_BY.realmEmoji(row)),
  realm: (row) => withoutSize(NAMED_BY.realm(row)),
  exports: (row) => withoutSize(NAMED_BY.exports(row)),
};

const withoutSize = (names: readonly FileName[]): NamedFile[] =>
  names.map((fileName) => ({ fileName }));

/** So many files are asked for at once in a store that is elsewhere. */
const ASKED_MAX = 16;

export interface FileCheck {
  /** Resolves when the next row can be looked at. */
  row(table: TableName, key: Key, row: object): Promise<void> | undefined;
  /** Resolves when all files were looked for. */
  end(): Promise<void>;
  count(): number;
}

interface Input {
  /** The folder of uploaded files. */
  readonly folder: string;
  /** Returns the size of a file in the store that machines share; undefined where there is none. */
  readonly sizeInStore?: ((name: FileName) => Promise<number | undefined>) | undefined;
  readonly findings: Findings;
  /** Tells whether the row is still there: a file is removed after its row. */
  readonly isThere: (table: TableName, key: Key) => boolean;
}

/** Checks that the files which rows name exist, as the rows are read. */
export function checkFiles({ folder, sizeInStore, findings, isThere }: Input): FileCheck {
  let count = 0;
  let isAway = false;
  const asked = new Set<Promise<void>>();

  function note(what: string | undefined, named: NamedBy) {
    if (what !== undefined && isThere(named.table, named.key)) say(what, named);
  }

  function say(what: string, { table, key, fileName }: NamedBy) {
    const where = `${fileName.folder}/${fileName.file} of ${table} ${JSON.stringify(key)}`;
    findings.note('files', { what, where });
  }

  /** Looks in the store for a file that the folder does not have. */
  async function ask(look: (name: FileName) => Promise<number | undefined>, named: Looked) {
    if (isAway) return;
    try {
      note(faultOfSize(await look(named.fileName), named.size), named);
    } catch (error) {
      // It is said once, and the others are not asked for.
      if (isAway) return;
      isAway = true;
      say(`cannot be looked for in the shared storage: ${(error as Error).message}`, named);
    }
  }

  return {
    count: () => count,
    row(table, key, row) {
      const named = (FILES_OF[table] as ((row: object) => readonly NamedFile[]) | undefined)?.(row); // each table's own
      for (const { fileName, size } of named ?? []) {
        count += 1;
        const what = faultOf(join(folder, fileName.folder, fileName.file), size);
        if (what !== MISSING || sizeInStore === undefined) note(what, { table, key, fileName });
        else {
          const asking = ask(sizeInStore, { table, key, fileName, size }).finally(() =>
            asked.delete(asking),
          );
          asked.add(asking);
        }
      }
      return asked.size < ASKED_MAX ? undefined : Promise.race(asked);
    },
    async end() {
      await Promise.all(asked);
    },
  };
}

interface NamedBy {
  readonly table: TableName;
  readonly key: Key;
  readonly fileName: FileName;
}

interface Looked extends NamedBy {
  readonly size: number | undefined;
}

const MISSING = 'is missing';

const faultOfSize = (found: number | undefined, size: number | undefined): string | undefined => {
  if (found === undefined) return MISSING;
  return size === undefined || found === size
    ? undefined
    : `has ${found} bytes, and its row says ${size}`;
};

function faultOf(path: string, size: number | undefined): string | undefined {
  try {
    const file = statSync(path);
    if (!file.isFile()) return 'is no file';
    return faultOfSize(file.size, size);
  } catch (error) {
    return diskCode(error) === 'ENOENT' ? MISSING : diskFault(error);
  }
}
