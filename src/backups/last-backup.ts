import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFileMeanwhile } from '../../storage/files/replace-file.ts';

const NOTE = 'last-backup.json';

const time = z.int().nonnegative();
const note = z.strictObject({
  /** UNIX milliseconds of the end of the last backup that was made; null: there was none. */
  lastSuccessAt: time.nullable(),
  /** The address of that backup, how long it took, and how large it is. */
  backup: z.string().nullable(),
  durationMs: time.nullable(),
  bytes: time.nullable(),
  files: time.nullable(),
  /** UNIX milliseconds and the cause of the last failure since; null: there was none. */
  lastFailureAt: time.nullable(),
  lastFailure: z.string().nullable(),
});

/** The time and the result of the last backup, for the operator and for metrics. */
export type LastBackup = Readonly<z.output<typeof note>>;

const NONE: LastBackup = Object.freeze({
  lastSuccessAt: null,
  backup: null,
  durationMs: null,
  bytes: null,
  files: null,
  lastFailureAt: null,
  lastFailure: null,
});

/**
 * Notes by their data directories, which this process has locked: after the first look no file is
 * read.
 */
const known = new Map<string, LastBackup>();

/** Returns the last backup of a data directory. It costs a look into memory. */
export function lastBackup(data: string): LastBackup {
  const last = known.get(data) ?? noteIn(data);
  known.set(data, last);
  return last;
}

function noteIn(data: string): LastBackup {
  try {
    return note.parse(JSON.parse(readFileSync(join(data, NOTE), 'utf8')));
  } catch {
    return NONE;
  }
}

interface Made {
  readonly at: number;
  readonly backup: string;
  readonly bytes: number;
  readonly files: number;
  readonly durationMs: number;
}

export const noteBackup = (data: string, { at, ...made }: Made) =>
  keep(data, { ...NONE, lastSuccessAt: at, ...made });

export const noteFailure = (data: string, { at, why }: { at: number; why: string }) =>
  keep(data, { ...lastBackup(data), lastFailureAt: at, lastFailure: why });

/** A note that cannot be written, as on a full disk, holds until the process ends. */
async function keep(data: string, last: LastBackup) {
  known.set(data, last);
  await replaceFileMeanwhile(join(data, NOTE), `${JSON.stringify(last)}\n`).catch(() => undefined);
}
