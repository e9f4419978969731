import { z } from 'zod';

/** Raised when backups change so that an older program would misread them. */
export const FORMAT_VERSION = 1;

const size = z.int().nonnegative();
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** What a backup says of itself. It is written last. */
export const manifest = z.strictObject({
  format: z.literal('confab backup'),
  format_version: z.literal(FORMAT_VERSION),
  confab_version: z.string().max(100),
  /** Of the rows of all realms (`storage/schema.ts`). */
  schema_version: z.int().positive(),
  started_at: z.iso.datetime(),
  finished_at: z.iso.datetime(),
  realms: z.array(
    z.strictObject({
      id: z.int().positive(),
      string_id: z.string(),
      name: z.string(),
      /** The moment that its rows show. */
      as_of: z.iso.datetime(),
      last_event_id: size,
      last_message_id: size,
      /** Uploaded files that rows name, and those of them that the server did not have. */
      files: size,
      missing_files: size,
    }),
  ),
  /** Realms that were not served, and are not in it. */
  left_out: z
    .array(
      z.strictObject({ id: z.int().positive(), string_id: z.string().nullable(), why: z.string() }),
    )
    .default([]),
  /** Every other file is a line of the list, which has its size and hash. */
  files: z.strictObject({ count: size, bytes: size, list_sha256: sha256 }),
});
export type Manifest = z.output<typeof manifest>;

/** A line of the list. The path leads nowhere but into the backup. */
export const listedFile = z.strictObject({
  path: z.string().regex(/^(?:[\w-][\w.-]*\/){0,5}[\w-][\w.-]*$/),
  bytes: size,
  sha256,
});
export type ListedFile = z.output<typeof listedFile>;

export const MANIFEST = 'manifest.json';
/** The hash of the manifest, as `sha256sum --check` reads it. */
export const MANIFEST_HASH = 'manifest.json.sha256';
export const FILE_LIST = 'files.jsonl';

/** What the name of a backup ends with while it is being written. */
export const UNFINISHED = '.part';

/** Why a backup cannot be made, read or restored, in one line for the operator. */
export class BackupError extends Error {}
