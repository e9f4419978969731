import type { FileName } from '../../../storage/files/file-store.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { ExportRow } from '../../../storage/tables/realm/exports.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  EXPORT_ATTEMPTS_MAX,
  EXPORT_KEPT_MS,
  EXPORTED_MESSAGES_MAX,
  EXPORTED_UPLOADS_BYTES_MAX,
  EXPORTS_LISTED_MAX,
  EXPORTS_PER_WEEK_MAX,
} from '../../domain/limits/archives.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { RealmExport } from '../../domain/wire/realm-objects.ts';
import { accounts, type Reads } from '../access/groups.ts';
import * as outbox from '../access/outbox.ts';
import * as realms from '../access/realms.ts';

/** An outbox entry that asks for an archive to be written, or for an expired one to be removed. */
export interface ExportTask {
  readonly exportId: number;
  readonly isOver?: true;
}

/** Requests an archive, which is written in idle time (reference/endpoints.md 2.7). */
export function request(tx: RealmTransaction, user: UserRow, type: ExportRow['type']): number {
  refuseTooMany(tx);
  if (
    tx.messages.count() > EXPORTED_MESSAGES_MAX ||
    bytesUploaded(tx) > EXPORTED_UPLOADS_BYTES_MAX
  ) {
    throw errors.badRequest(
      `The organization has more than ${EXPORTED_MESSAGES_MAX} messages or 10 GiB of files. ` +
        'Ask the operator of the server for an export.',
    );
  }
  forgetOldest(tx);
  const id = tx.nextId('export');
  const fresh = { attempts: 0, archive: null, failedAt: null, deletedAt: null };
  tx.exports.put([id], { actingUserId: user.id, type, askedAt: tx.now, ...fresh });
  outbox.post(tx, { kind: 'export', content: { exportId: id } satisfies ExportTask });
  announce(tx);
  return id;
}

function refuseTooMany(tx: RealmTransaction) {
  const week = tx.now - WEEK_MS;
  const recent = Array.from(tx.exports.range({})).filter(([, { askedAt }]) => askedAt > week);
  if (recent.length >= EXPORTS_PER_WEEK_MAX) {
    throw errors.badRequest('Exceeded rate limit.');
  }
}

const WEEK_MS = 7 * 86_400_000;

const bytesUploaded = (reads: Reads) => reads.uploadSpace.get(['space'])?.bytes ?? 0;

function forgetOldest(tx: RealmTransaction) {
  const rows = Array.from(tx.exports.range({}));
  const ended = rows.filter(([, row]) => !isPending(row));
  for (const [key, row] of ended.slice(0, Math.max(0, rows.length - EXPORTS_LISTED_MAX + 1))) {
    removeArchive(tx, row);
    tx.exports.remove(key);
  }
}

const isPending = ({ archive, failedAt, deletedAt }: ExportRow) =>
  archive === null && failedAt === null && deletedAt === null;

/** Returns all exports, oldest first. */
export const list = (reads: Reads): RealmExport[] =>
  Array.from(reads.exports.range({}), ([[id], row]) => ({
    id,
    acting_user_id: row.actingUserId,
    export_time: row.askedAt / 1000,
    export_type: row.type,
    export_url: row.archive === null ? null : urlOf(reads, row.archive, row.askedAt),
    deleted_timestamp: secondsOf(row.deletedAt),
    failed_timestamp: secondsOf(row.failedAt),
    pending: isPending(row),
  }));

const secondsOf = (ms: number | null) => (ms === null ? null : ms / 1000);

/** The path of archives. */
export const EXPORTS_ROOT = '/user_uploads/exports/';

const urlOf = (reads: Reads, { folder, file }: FileName, askedAt: number): string =>
  `${EXPORTS_ROOT}${folder}${file}/${nameOf(reads, askedAt)}`;

function nameOf(reads: Reads, askedAt: number): string {
  const day = new Date(askedAt).toISOString().slice(0, 10);
  return `${realms.existing(reads).stringId}-${day}.zip`;
}

/** Returns the archive of a link; undefined if it is gone, or never existed. */
export function at(
  reads: Reads,
  path: string,
): { readonly fileName: FileName; readonly name: string } | undefined {
  const [token = ''] = path.slice(EXPORTS_ROOT.length).split('/', 1);
  for (const [, { archive, askedAt }] of reads.exports.range({})) {
    if (archive === null || `${archive.folder}${archive.file}` !== token) continue;
    return { fileName: archive, name: nameOf(reads, askedAt) };
  }
  return undefined;
}

/** Tests whether these are the bytes of an archive. */
export function isOf(reads: Reads, { folder, file }: FileName): boolean {
  for (const [, { archive }] of reads.exports.range({})) {
    if (archive?.folder === folder && archive.file === file) return true;
  }
  return false;
}

/** Begins an archive; returns its type, or undefined if it is not pending any more. */
export function begin(tx: RealmTransaction, id: number): ExportRow['type'] | undefined {
  const row = tx.exports.get([id]);
  if (row === undefined || !isPending(row)) return undefined;
  if (row.attempts >= EXPORT_ATTEMPTS_MAX) {
    end(tx, id, { ...row, failedAt: tx.now });
    return undefined;
  }
  tx.exports.put([id], { ...row, attempts: row.attempts + 1 });
  return row.type;
}

/** Notes that the archive is on disk; returns false if it is not pending any more. */
export function finish(tx: RealmTransaction, id: number, archive: FileName): boolean {
  const row = tx.exports.get([id]);
  if (row === undefined || !isPending(row)) return false;
  end(tx, id, { ...row, archive });
  const content: ExportTask = { exportId: id, isOver: true };
  outbox.post(tx, { kind: 'export', content }, tx.now + EXPORT_KEPT_MS);
  return true;
}

export function fail(tx: RealmTransaction, id: number) {
  const row = tx.exports.get([id]);
  if (row !== undefined && isPending(row)) end(tx, id, { ...row, failedAt: tx.now });
}

/** Deletes an archive whose time is over. */
export function expire(tx: RealmTransaction, id: number) {
  const row = tx.exports.get([id]);
  if (row !== undefined && row.archive !== null) erase(tx, id, row);
}

/** Deletes an archive; its entry stays on the list. */
export function remove(tx: RealmTransaction, id: number) {
  const row = tx.exports.get([id]);
  if (row === undefined) throw errors.badRequest('Invalid data export ID');
  if (row.deletedAt !== null) throw errors.badRequest('Export already deleted');
  if (row.failedAt !== null) throw errors.badRequest('Export failed, nothing to delete');
  if (row.archive === null) throw errors.badRequest('Export still in progress');
  erase(tx, id, row);
}

function erase(tx: RealmTransaction, id: number, row: ExportRow) {
  removeArchive(tx, row);
  end(tx, id, { ...row, archive: null, deletedAt: tx.now });
}

function removeArchive(tx: RealmTransaction, { archive }: ExportRow) {
  if (archive !== null) outbox.post(tx, { kind: 'removedFile', content: archive });
}

function end(tx: RealmTransaction, id: number, row: ExportRow) {
  tx.exports.put([id], row);
  announce(tx);
}

function announce(tx: RealmTransaction) {
  tx.emit({
    event: { type: 'realm_export', exports: list(tx) },
    audience: HUMAN_ADMINISTRATORS,
  });
}

/** The audience of "human admins" (reference/events-and-register.md 4). */
const HUMAN_ADMINISTRATORS = { administrators: true, peopleAlone: true } as const;

/** Returns the active people, and whether they let their private data be exported. */
export const consents = (reads: Reads) =>
  Array.from(accounts(reads))
    .filter(({ botType, isActive }) => botType === null && isActive)
    .map((user) => ({ user_id: user.id, consented: isConsenting(user) }));

const isConsenting = ({ settings }: Pick<UserRow, 'settings'>): boolean =>
  settings.allow_private_data_export === true;

/** Announces the consent of a person who is on that list. */
export function announceConsent(tx: RealmTransaction, user: UserRow) {
  if (user.botType !== null || !user.isActive) return;
  tx.emit({
    event: { type: 'realm_export_consent', user_id: user.id, consented: isConsenting(user) },
    audience: HUMAN_ADMINISTRATORS,
  });
}
