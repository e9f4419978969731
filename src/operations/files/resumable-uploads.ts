import type { FileName } from '../../../storage/files/file-store.ts';
import type { ResumableUploadRow } from '../../../storage/tables/messages/attachments.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  UNFINISHED_UPLOAD_MS_MAX,
  UNFINISHED_UPLOADS_PER_USER_MAX,
  UPLOADS_PER_STEP,
} from '../../domain/limits/files.ts';
import * as errors from '../../domain/wire/errors.ts';
import * as uploadErrors from '../../domain/wire/upload-errors.ts';
import type { Reads } from '../access/groups.ts';
import * as outbox from '../access/outbox.ts';
import * as attachments from './attachments.ts';

export type ResumableUpload = ResumableUploadRow;

/** Begins a file that comes in parts, and reserves its space. */
export function create(
  tx: RealmTransaction,
  user: UserRow,
  { id, length, metadata }: { id: string; length: number; metadata: string },
) {
  const few = { limit: UNFINISHED_UPLOADS_PER_USER_MAX };
  if ([...tx.unfinishedUploads.keysUnder([user.id], few)].length === few.limit) {
    throw errors.badRequest('Too many unfinished uploads');
  }
  attachments.refuseOverQuota(tx, length);
  attachments.promise(tx, length);
  tx.unfinishedUploads.put([user.id, id], {});
  const standing = 'unfinished';
  put(tx, id, { ownerId: user.id, metadata, length, offset: 0, standing, attachmentId: null });
}

/** Stores the row; every change extends its time. */
function put(tx: RealmTransaction, id: string, row: Omit<ResumableUploadRow, 'until'>) {
  const until = tx.now + UNFINISHED_UPLOAD_MS_MAX;
  const former = tx.resumableUploads.get([id]);
  if (former !== undefined) tx.resumableUploadTimes.remove([former.until, id]);
  tx.resumableUploads.put([id], { ...row, until });
  tx.resumableUploadTimes.put([until, id], {});
  tx.wakeAt(until);
}

/** Returns one's own upload, unless it has expired. */
export function own(
  reads: Reads,
  user: Pick<UserRow, 'id'>,
  { id, now }: { id: string; now: number },
): ResumableUploadRow {
  const row = reads.resumableUploads.get([id]);
  if (row === undefined) throw uploadErrors.noSuchUpload();
  if (row.ownerId !== user.id) throw uploadErrors.uploadOfAnother();
  const isLate = row.standing === 'unfinished' && row.until <= now;
  if (row.standing === 'expired' || isLate) throw uploadErrors.uploadExpired();
  return row;
}

/** Stores how many of its bytes are on disk. */
export function save(
  tx: RealmTransaction,
  user: UserRow,
  { id, offset }: { id: string; offset: number },
) {
  put(tx, id, { ...unfinished(tx, user, id), offset });
}

/** Makes a complete upload an ordinary file. */
export function finish(
  tx: RealmTransaction,
  user: UserRow,
  { id, file }: { id: string; file: Omit<attachments.NewAttachment, 'size'> },
) {
  const row = unfinished(tx, user, id);
  const { length } = row;
  const attachmentId = attachments.addPromised(tx, user, { ...file, size: length });
  tx.unfinishedUploads.remove([user.id, id]);
  put(tx, id, { ...row, offset: length, standing: 'kept', attachmentId });
}

/**
 * Returns the file of a finished upload, also for clients that missed the answer to its last part.
 */
export function finished(reads: Reads, { attachmentId }: ResumableUploadRow) {
  const file = attachmentId === null ? undefined : reads.attachments.get([attachmentId]);
  if (file === undefined) throw uploadErrors.uploadExpired();
  return file;
}

/** Gives up an unfinished upload. */
export function remove(tx: RealmTransaction, user: UserRow, id: string) {
  const row = unfinished(tx, user, id);
  abandon(tx, id, row);
  tx.resumableUploadTimes.remove([row.until, id]);
  tx.resumableUploads.remove([id]);
}

function unfinished(tx: RealmTransaction, user: UserRow, id: string): ResumableUploadRow {
  const row = own(tx, user, { id, now: tx.now });
  if (row.standing !== 'unfinished') throw errors.badRequest('The upload is finished');
  return row;
}

function abandon(tx: RealmTransaction, id: string, { ownerId, length }: ResumableUploadRow) {
  attachments.promise(tx, -length);
  tx.unfinishedUploads.remove([ownerId, id]);
  outbox.post(tx, { kind: 'removedFile', content: fileNameOf(id) });
}

/** Returns the name under which its bytes are stored, from the first one on. */
export const fileNameOf = (id: string): FileName => ({ folder: id.slice(0, 2), file: id.slice(2) });

/** Tests whether its bytes may be stored. */
export function hasBytes(reads: Reads, id: string): boolean {
  const standing = reads.resumableUploads.get([id])?.standing;
  return standing === 'unfinished' || standing === 'kept';
}

type TimeKey = [until: number, id: string];

/** Returns when the next upload expires or is forgotten (UNIX milliseconds). */
export function nextAt(reads: Pick<Reads, 'resumableUploadTimes'>): number | undefined {
  for (const [until] of reads.resumableUploadTimes.keys({ limit: 1 })) return until;
  return undefined;
}

export const due = (reads: Pick<Reads, 'resumableUploadTimes'>, now: number): TimeKey[] =>
  Array.from(reads.resumableUploadTimes.keys({ end: [now + 1], limit: UPLOADS_PER_STEP }));

/**
 * Marks an unfinished upload as expired, which its client is told for a while, and forgets others.
 */
export function end(tx: RealmTransaction, [until, id]: TimeKey) {
  const row = tx.resumableUploads.get([id]);
  if (row?.until !== until) return;
  if (row.standing === 'unfinished') {
    abandon(tx, id, row);
    put(tx, id, { ...row, standing: 'expired' });
    return;
  }
  tx.resumableUploadTimes.remove([until, id]);
  tx.resumableUploads.remove([id]);
}
