import { statSync } from 'node:fs';
import { join } from 'node:path';
import { diskCode, diskFault } from '../../storage/files/disk-fault.ts';
import type { FileName } from '../../storage/files/file-store.ts';
import type { Key } from '../../storage/key.ts';
import type { RowOf, TableName } from '../archives/tables.ts';
import { imageNamed } from '../domain/rules/files/image-names.ts';
import { IMAGE_SETTINGS } from '../domain/rules/realm/realm-state.ts';
import * as attachments from '../operations/files/attachments.ts';
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
    return [
      { fileName, size: row.size },
      ...small.map((thumbnail) => ({ fileName: thumbnail.fileName })),
    ];
  },
  users: ({ uploadedAvatar }) =>
    uploadedAvatar === null
      ? []
      : [{ fileName: uploadedAvatar.small }, { fileName: uploadedAvatar.medium }],
  realmEmoji: ({ fileName, stillFileName }) => imagesOf([fileName, stillFileName]),
  realm: ({ settings }) =>
    imagesOf(IMAGE_SETTINGS.map((image) => settings[image]?.split('/').at(-1))),
  exports: ({ archive }) => (archive === null ? [] : [{ fileName: archive }]),
};

const imagesOf = (names: readonly (string | null | undefined)[]): NamedFile[] =>
  names.flatMap((name) => {
    const image = imageNamed(name ?? '');
    return image === undefined ? [] : [{ fileName: image.fileName }];
  });

export interface FileCheck {
  row(table: TableName, key: Key, row: object): void;
  count(): number;
}

interface Input {
  /** The folder of uploaded files. */
  readonly folder: string;
  readonly findings: Findings;
  /** Tells whether the row is still there: a file is removed after its row. */
  readonly isThere: (table: TableName, key: Key) => boolean;
}

/** Checks that the files which rows name exist, as the rows are read. */
export function checkFiles({ folder, findings, isThere }: Input): FileCheck {
  let count = 0;
  return {
    count: () => count,
    row(table, key, row) {
      const named = (FILES_OF[table] as ((row: object) => readonly NamedFile[]) | undefined)?.(row); // each table's own
      for (const { fileName, size } of named ?? []) {
        count += 1;
        const what = faultOf(join(folder, fileName.folder, fileName.file), size);
        if (what === undefined || !isThere(table, key)) continue;
        const where = `${fileName.folder}/${fileName.file} of ${table} ${JSON.stringify(key)}`;
        findings.note('files', { what, where });
      }
    },
  };
}

function faultOf(path: string, size: number | undefined): string | undefined {
  try {
    const file = statSync(path);
    if (!file.isFile()) return 'is no file';
    if (size === undefined || file.size === size) return undefined;
    return `has ${file.size} bytes, and its row says ${size}`;
  } catch (error) {
    return diskCode(error) === 'ENOENT' ? 'is missing' : diskFault(error);
  }
}
