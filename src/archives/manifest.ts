import { z } from 'zod';
import { ARCHIVE_TABLES_MAX } from '../domain/limits/archives.ts';

/** The version of the format. It is raised when an older server would misread an archive. */
export const FORMAT_VERSION = 1;

const size = z.int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const content = { bytes: size, sha256 };

/** The manifest of an archive. It is the last file, so an archive without it was cut off. */
export const manifest = z.strictObject({
  format: z.literal('confab realm'),
  format_version: z.literal(FORMAT_VERSION),
  /** The version of the program that wrote it, for people only. */
  confab_version: z.string().max(100),
  /** The schema of the rows (`storage/schema.ts`). */
  schema_version: z.int().positive(),
  kind: z.enum(['whole', 'standard', 'public']),
  /** The time that the archive shows, as ISO 8601. */
  exported_at: z.iso.datetime(),
  realm: z.strictObject({ id: z.int().positive(), string_id: z.string(), name: z.string() }),
  tables: z
    .array(z.strictObject({ name: z.string().max(100), rows: size, ...content }))
    .max(ARCHIVE_TABLES_MAX),
  /** The list of files. `missing` counts files that were deleted while the archive was written. */
  files: z.strictObject({ count: size, missing: size, ...content }),
});
export type Manifest = z.output<typeof manifest>;

/** A row of a table, as a line. */
export const archivedRow = z.strictObject({
  key: z
    .array(z.union([z.string().max(600), z.number()]))
    .min(1)
    .max(5),
  row: z.record(z.string().max(100), z.unknown()),
});

/** An uploaded file, as a line of the list. */
export const archivedFile = z.strictObject({
  folder: z.string().regex(/^[\w-]{2}$/),
  file: z.string().regex(/^[\w-]{10,100}$/),
  ...content,
});
export type ArchivedFile = z.output<typeof archivedFile>;

export const MANIFEST = 'manifest.json';
export const FILE_LIST = 'files.jsonl';
export const tablePath = (name: string) => `tables/${name}.jsonl`;
export const filePath = ({ folder, file }: Pick<ArchivedFile, 'folder' | 'file'>) =>
  `files/${folder}/${file}`;
