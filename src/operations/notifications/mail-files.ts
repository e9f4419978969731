import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { ApiError } from '../../domain/wire/errors.ts';
import * as attachments from '../files/attachments.ts';

/** A file of a mail. Its bytes are on disk, or it was too large or one too many for that. */
export interface MailFile {
  /** The name with no character that means something in Markdown. */
  readonly name: string;
  /** The file as it was stored; null if only its name is told. */
  readonly stored: attachments.NewAttachment | null;
}

/** The files of a mail as its message has them. */
export interface Added {
  /** Markdown: the links, and the names of the others. */
  readonly text: string;
  readonly ids: readonly number[];
  /** The paths of those whose bytes are to be kept. */
  readonly pathIds: readonly string[];
}

/**
 * Adds the files of a mail to those of a user. A file that the quota of the organization does not
 * allow is left out and named: the words of the mail are not lost for it.
 */
export function addFiles(tx: RealmTransaction, user: UserRow, files: readonly MailFile[]): Added {
  const links: string[] = [];
  const others: string[] = [];
  const ids: number[] = [];
  const pathIds: string[] = [];
  for (const { name, stored } of files) {
    const id = stored === null ? undefined : allowed(tx, user, stored);
    if (stored === null || id === undefined) {
      others.push(`\n- ${name}`);
      continue;
    }
    ids.push(id);
    pathIds.push(stored.pathId);
    links.push(`\n- [${name}](/user_uploads/${stored.pathId})`);
  }
  const shown = links.length === 0 ? '' : `\n\nAttached files:\n${links.join('')}`;
  const named =
    others.length === 0 ? '' : `\n\nAttached files that were not stored:\n${others.join('')}`;
  return { text: `${shown}${named}`, ids, pathIds };
}

function allowed(
  tx: RealmTransaction,
  user: UserRow,
  file: attachments.NewAttachment,
): number | undefined {
  try {
    attachments.refuseOverQuota(tx, file.size);
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
  return attachments.add(tx, user, file);
}
