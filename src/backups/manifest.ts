import { z } from 'zod';
import { ObjectStoreError } from '../../storage/objects/object-error.ts';

/** The version of the format. It is raised when an older program would misread a backup. */
export const FORMAT_VERSION = 1;

const size = z.int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** The manifest of a backup. It is written last. */
export const manifest = z.strictObject({
  format: z.literal('confab backup'),
  format_version: z.literal(FORMAT_VERSION),
  confab_version: z.string().max(100),
  /** The schema of the rows of all realms (`storage/schema.ts`). */
  schema_version: z.int().positive(),
  started_at: z.iso.datetime(),
  finished_at: z.iso.datetime(),
  realms: z.array(
    z.strictObject({
      id: z.int().positive(),
      string_id: z.string(),
      name: z.string(),
      /** The time that its rows show. */
      as_of: z.iso.datetime(),
      last_event_id: size,
      last_message_id: size,
      /**
       * The number of uploaded files that rows name, and how many of them the server did not have.
       */
      files: size,
      missing_files: size,
    }),
  ),
  /** Realms that were not served, and are not in the backup. */
  left_out: z
    .array(
      z.strictObject({ id: z.int().positive(), string_id: z.string().nullable(), why: z.string() }),
    )
    .default([]),
  /** The list of all other files, with their sizes and hashes. */
  files: z.strictObject({ count: size, bytes: size, list_sha256: sha256 }),
});
export type Manifest = z.output<typeof manifest>;

/** A line of the list. The path cannot lead out of the backup. */
export const listedFile = z.strictObject({
  path: z.string().regex(/^(?:[\w-][\w.-]*\/){0,5}[\w-][\w.-]*$/),
  bytes: size,
  sha256,
});
export type ListedFile = z.output<typeof listedFile>;

export const MANIFEST = 'manifest.json';
/** The file with the hash of the manifest, in the format of `sha256sum --check`. */
export const MANIFEST_HASH = 'manifest.json.sha256';
export const FILE_LIST = 'files.jsonl';

/** The suffix of a backup that is being written. */
export const UNFINISHED = '.part';

/** The names that backups get: they sort by time. Those of a folder may be unfinished. */
export const BACKUP_NAME = /^confab-\d{4}-\d\d-\d\dT\d{6}Z-[0-9a-f]{4}(?:\.part)?$/;

/** An error of a backup command, with one line for the operator. */
export class BackupError extends Error {}

/** Tests for an error that the operator can mend: of a backup, or of the storage that it is in. */
export const isBackupFault = (error: unknown): error is Error =>
  error instanceof BackupError || error instanceof ObjectStoreError;
