import type { FileName } from '../../../storage/files/file-store.ts';
import type { AttachmentRow, UploadedImage } from '../../../storage/tables/messages/attachments.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  ATTACHMENT_MESSAGES_LISTED_MAX,
  ATTACHMENT_ROWS_LISTED_MAX,
  ATTACHMENT_UNUSED_MS_MAX,
  ATTACHMENTS_LISTED_MAX,
  ATTACHMENTS_PER_STEP,
} from '../../domain/limits/files.ts';
import { THUMBNAIL_HEIGHT, THUMBNAIL_WIDTH } from '../../domain/limits/images.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Attachment } from '../../domain/wire/personal-objects.ts';
import * as uploadErrors from '../../domain/wire/upload-errors.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import * as outbox from '../access/outbox.ts';
import { type Found, isReadable } from './attachment-access.ts';

/** A file whose bytes are on disk. */
export type NewAttachment = Pick<
  AttachmentRow,
  'pathId' | 'name' | 'size' | 'contentType' | 'image'
>;

/** Adds an uploaded file, which is not linked yet. */
export function add(tx: RealmTransaction, user: UserRow, file: NewAttachment): number {
  refuseOverQuota(tx, file.size);
  return note(tx, user, file);
}

/** Does the same for a file whose space was reserved. */
export function addPromised(tx: RealmTransaction, user: UserRow, file: NewAttachment): number {
  promise(tx, -file.size);
  return note(tx, user, file);
}

function note(tx: RealmTransaction, user: UserRow, file: NewAttachment): number {
  const id = tx.nextId('attachment');
  const row = markUnused(tx, id, {
    ...file,
    ownerId: user.id,
    createdAt: tx.now,
    unusedUntil: null,
  });
  tx.attachmentPaths.put([row.pathId], { attachmentId: id });
  tx.userAttachments.put([user.id, id], {});
  addSpace(tx, row.size);
  if (row.image !== null) outbox.post(tx, { kind: 'thumbnail', content: { attachmentId: id } });
  tx.emit({
    event: { type: 'attachment', op: 'add', attachment: objectOf(tx, id, row), ...space(tx) },
    audience: { users: [user.id] },
  });
  return id;
}

const MIB = 1024 * 1024;

/**
 * Refuses more bytes than the organization may have (setting `upload_quota_mib`), counting reserved
 * ones.
 */
export function refuseOverQuota(reads: Reads, bytes: number) {
  const quotaMib = realmSetting(reads, 'upload_quota_mib');
  if (quotaMib === null) return;
  const { bytes: used, promised } = spaceOf(reads);
  if (used + promised + bytes > quotaMib * MIB) throw uploadErrors.uploadQuotaReached();
}

/** Reserves space for an upload; a negative number releases it. */
export function promise(tx: RealmTransaction, bytes: number) {
  const space = spaceOf(tx);
  tx.uploadSpace.put(['space'], { ...space, promised: space.promised + bytes });
}

/** Returns one's own files, newest first, and the space that all of the organization take. */
export function list(reads: Reads, userId: number) {
  const newest = { isReverse: true, limit: ATTACHMENTS_LISTED_MAX };
  const attachments: Attachment[] = [];
  let rows = 0;
  for (const [, id] of reads.userAttachments.keysUnder([userId], newest)) {
    const attachment = find(reads, id);
    if (attachment === undefined) continue;
    rows += 1 + attachment.messages.length;
    if (rows > ATTACHMENT_ROWS_LISTED_MAX) break;
    attachments.push(attachment);
  }
  return { attachments, ...space(reads) };
}

const space = (reads: Reads) => ({ upload_space_used: spaceUsed(reads) });

/** Removes one's own file, even if it is linked. */
export function remove(tx: RealmTransaction, user: UserRow, id: number) {
  const row = tx.attachments.get([id]);
  if (row?.ownerId !== user.id) throw errors.invalidAttachment();
  erase(tx, id, row);
}

/**
 * Erases a file. The links of messages stay in their tables: there may be any number of them, and
 * without the row they are not found.
 */
function erase(tx: RealmTransaction, id: number, row: AttachmentRow) {
  markUsed(tx, id, row);
  tx.attachments.remove([id]);
  tx.attachmentPaths.remove([row.pathId]);
  tx.userAttachments.remove([row.ownerId, id]);
  addSpace(tx, -row.size);
  for (const fileName of fileNamesOf(row))
    outbox.post(tx, { kind: 'removedFile', content: fileName });
  if (row.image?.isReady === false) {
    // Messages would wait for its thumbnail for ever.
    const file = { pathId: row.pathId, contentType: row.contentType, image: null };
    outbox.post(tx, { kind: 'thumbnail', content: { attachmentId: id, file, from: 0 } });
  }
  tx.emit({
    event: { type: 'attachment', op: 'remove', attachment: { id }, ...space(tx) },
    audience: { users: [row.ownerId] },
  });
}

/** Returns the file of a path, if there is one. */
export function byPath(reads: Reads, pathId: string): Found | undefined {
  const id = reads.attachmentPaths.get([pathId])?.attachmentId;
  const row = id === undefined ? undefined : reads.attachments.get([id]);
  return id === undefined || row === undefined ? undefined : { id, row };
}

/** Returns the file of a path for a user who may read it; null, for no user, may read nothing. */
export function readable(reads: Reads, user: UserRow | null, pathId: string): Found {
  const found = byPath(reads, pathId);
  if (found === undefined) throw errors.noSuchFile();
  if (user === null || !isReadable(reads, user, found)) throw errors.fileNotReadable();
  return found;
}

export function existing(reads: Reads, id: number): Found {
  const row = reads.attachments.get([id]);
  if (row === undefined) throw errors.noSuchFile();
  return { id, row };
}

/**
 * The name under which the bytes of a file are stored: its path without the name that its uploader
 * gave it.
 */
export function fileNameOf({ pathId }: Pick<AttachmentRow, 'pathId'>): FileName {
  const [, folder = '', file = ''] = pathId.split('/');
  return { folder, file };
}

/**
 * Returns the names of the bytes of a file and of its thumbnails, some of which may exist without a
 * row.
 */
const fileNamesOf = (row: AttachmentRow): FileName[] => {
  const fileName = fileNameOf(row);
  const small = row.image === null ? [] : thumbnailFileNames(fileName, row.image);
  return [fileName, ...small.map((thumbnail) => thumbnail.fileName)];
};

const SIZE = `${THUMBNAIL_WIDTH}x${THUMBNAIL_HEIGHT}`;
const FORMATS = { still: SIZE, moving: `${SIZE}-anim` };

/** The thumbnails of an image are stored beside it, under names that follow from its own. */
export const thumbnailFileNames = (
  { folder, file }: FileName,
  { isAnimated }: Pick<UploadedImage, 'isAnimated'>,
): { readonly fileName: FileName; readonly isMoving: boolean }[] =>
  [false, ...(isAnimated ? [true] : [])].map((isMoving) => ({
    fileName: { folder, file: `${file}-${isMoving ? FORMATS.moving : FORMATS.still}` },
    isMoving,
  }));

/**
 * Returns the name of the thumbnail of a format (`840x560.webp`), or undefined if there is none.
 */
export function thumbnailFileName(row: AttachmentRow, format: string): FileName | undefined {
  if (!row.image?.isReady) return undefined;
  const fileNames = thumbnailFileNames(fileNameOf(row), row.image);
  return fileNames.find(
    ({ isMoving }) => `${isMoving ? FORMATS.moving : FORMATS.still}.webp` === format,
  )?.fileName;
}

/** Tests whether a file has these bytes. */
export function isOf(reads: Reads, realmId: number, { folder, file }: FileName): boolean {
  const start = `${realmId}/${folder}/${file}/`;
  for (const [pathId] of reads.attachmentPaths.keys({ start: [start], limit: 1 })) {
    return pathId.startsWith(start);
  }
  return false;
}

/** Returns a file as clients see it. */
export function find(reads: Reads, id: number): Attachment | undefined {
  const row = reads.attachments.get([id]);
  return row === undefined ? undefined : objectOf(reads, id, row);
}

const objectOf = (reads: Reads, id: number, row: AttachmentRow): Attachment => ({
  id,
  name: row.name,
  path_id: row.pathId,
  size: row.size,
  create_time: row.createdAt,
  messages: Array.from(
    reads.attachmentUses.under([id, 'message'], LISTED),
    ([[, , messageId], { sentAt }]) => ({ id: messageId, date_sent: sentAt * 1000 }),
  ),
});

/**
 * The first messages are listed; later links change nothing that clients see, so they are not
 * announced.
 */
const LISTED = { limit: ATTACHMENT_MESSAGES_LISTED_MAX };

/** Tests whether this message is among those that clients see as linking the file. */
export function isListed(reads: Reads, id: number, messageId: number): boolean {
  for (const [, , listed] of reads.attachmentUses.keysUnder([id, 'message'], LISTED)) {
    if (listed === messageId) return true;
  }
  return false;
}

/** Tells the owner which messages link the file now. */
export function announceUpdate(tx: RealmTransaction, id: number) {
  const row = tx.attachments.get([id]);
  if (row === undefined) return;
  const attachment = objectOf(tx, id, row);
  tx.emit({
    event: { type: 'attachment', op: 'update', attachment, ...space(tx) },
    audience: { users: [row.ownerId] },
  });
}

/** Marks a file without links, which is removed if that stays so. */
export function markUnused(tx: RealmTransaction, id: number, row: AttachmentRow): AttachmentRow {
  const unusedUntil = tx.now + ATTACHMENT_UNUSED_MS_MAX;
  const unused = { ...row, unusedUntil };
  tx.attachments.put([id], unused);
  tx.unusedAttachments.put([unusedUntil, id], {});
  tx.wakeAt(unusedUntil);
  return unused;
}

/** Marks a file as linked again. */
export function markUsed(tx: RealmTransaction, id: number, row: AttachmentRow) {
  if (row.unusedUntil === null) return;
  tx.unusedAttachments.remove([row.unusedUntil, id]);
  tx.attachments.put([id], { ...row, unusedUntil: null });
}

type TimeKey = [unusedUntil: number, id: number];

/** Returns when the next file without links is removed (UNIX milliseconds). */
export function nextAt(reads: Pick<Reads, 'unusedAttachments'>): number | undefined {
  for (const [unusedUntil] of reads.unusedAttachments.keys({ limit: 1 })) return unusedUntil;
  return undefined;
}

/** Returns files that have long had no links. */
export const due = (reads: Pick<Reads, 'unusedAttachments'>, now: number): TimeKey[] =>
  Array.from(reads.unusedAttachments.keys({ end: [now + 1], limit: ATTACHMENTS_PER_STEP }));

/** Removes such a file, unless it was linked since it was found. */
export function expire(tx: RealmTransaction, [unusedUntil, id]: TimeKey) {
  const row = tx.attachments.get([id]);
  if (row?.unusedUntil === unusedUntil) erase(tx, id, row);
}

/** Counts the space of imported files, and requests their missing thumbnails. */
export function takeStock(tx: RealmTransaction) {
  let bytes = 0;
  for (const [[id], { size, image }] of tx.attachments.range({})) {
    bytes += size;
    if (image?.isReady === false) {
      outbox.post(tx, { kind: 'thumbnail', content: { attachmentId: id } });
    }
  }
  tx.uploadSpace.put(['space'], { bytes, promised: 0 });
}

const spaceUsed = (reads: Reads): number => spaceOf(reads).bytes;

const spaceOf = (reads: Reads) => reads.uploadSpace.get(['space']) ?? { bytes: 0, promised: 0 };

function addSpace(tx: RealmTransaction, bytes: number) {
  const space = spaceOf(tx);
  tx.uploadSpace.put(['space'], { ...space, bytes: space.bytes + bytes });
}
