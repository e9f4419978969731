import type { FileReference, HistoryChannel, HistoryUser } from '../../history.ts';
import type { ArchiveSource } from '../../sources/archive-source.ts';

export interface SlackArchive {
  readonly archive: ArchiveSource;
  /** The path of the folder with `users.json`: `''`, or with `/` at its end. */
  readonly root: string;
  /** Files that lie in the archive, by Slack's id of a file. */
  readonly files: ReadonlyMap<string, FileReference>;
  /** Users who are bots, by the ids by which messages name them. */
  readonly bots: ReadonlyMap<string, string>;
  readonly users: ReadonlyMap<string, HistoryUser>;
}

export interface Conversation {
  readonly id: string;
  readonly folder: string;
  readonly members: readonly string[];
  /** Null for a direct conversation. */
  readonly row: HistoryChannel | null;
}

const DAY_FILE = /^\d{4}-\d{2}-\d{2}\.json$/;

/** Returns the entries of a conversation's days, the earliest first. */
export const daysOf = (archive: ArchiveSource, folder: string): string[] =>
  archive
    .names()
    .filter((name) => name.startsWith(folder) && DAY_FILE.test(name.slice(folder.length)))
    .sort();

/**
 * The export of Slack has no files. Tools that add them put a file into a folder with its id, or
 * its id before its name: `__uploads/F0123ABCD/plan.pdf`, `attachments/F0123ABCD-plan.pdf`.
 */
const FILE_ENTRY = /(?:^|\/)(F[A-Z0-9]{6,20})[-/]([^/]+)$/;

export function filesIn(archive: ArchiveSource): Map<string, FileReference> {
  const files = new Map<string, FileReference>();
  for (const entry of archive.names()) {
    const [, id, name] = FILE_ENTRY.exec(entry) ?? [];
    if (id !== undefined && name !== undefined) files.set(id, { entry, name });
  }
  return files;
}
