import { diskCode, diskFault } from '../../storage/files/disk-fault.ts';
import { StoreTooNew } from '../../storage/migrations/schema-version.ts';
import { ObjectStoreError } from '../../storage/objects/object-error.ts';
import { refusalCode } from '../admin/commands/refusals.ts';
import { DataDirectoryError } from '../admin/data-directory.ts';
import { ArchiveError } from '../archives/archive-error.ts';
import { BackupError } from '../backups/manifest.ts';
import { LogSetupError } from '../cluster/log/errors.ts';
import { SnapshotError } from '../cluster/snapshots/manifest.ts';
import { ApiError } from '../domain/wire/errors.ts';
import { ConfigError } from '../settings/reading.ts';
import { CommandError, EXIT, type ExitCode } from './exit-codes.ts';

/** Errors that say in one line what the operator can mend. */
const REFUSALS = [
  ApiError,
  ArchiveError,
  BackupError,
  DataDirectoryError,
  LogSetupError,
  ObjectStoreError,
  SnapshotError,
  StoreTooNew,
];

/** Prints an error in one line and ends the process; a bug is printed with its trace. */
export function refuse(error: unknown): never {
  process.stderr.write(`confab: ${faultOf(error)}\n`);
  process.exit(isCheck() ? EXIT.usage : exitCodeOf(error));
}

/** The exit code 1 of a check says that there is damage, so a check that fails has another. */
const isCheck = () => process.argv.slice(2).find((word) => !word.startsWith('-')) === 'check';

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommandError) return error.exitCode;
  if (error instanceof ConfigError) return EXIT.usage;
  if (error instanceof ApiError) return refusalCode(error);
  if (REFUSALS.some((kind) => error instanceof kind)) return EXIT.refused;
  if (diskCode(error) === 'ENOENT') return EXIT.notFound;
  return diskCode(error) === undefined ? EXIT.no : EXIT.refused;
}

function faultOf(error: unknown): string {
  const isKnown = [CommandError, ConfigError, ...REFUSALS].some((kind) => error instanceof kind);
  if (isKnown) return (error as Error).message;
  return diskCode(error) === undefined
    ? `internal error: ${(error as Error | null)?.stack ?? error}`
    : diskFault(error);
}
