import type { AttachmentRow, UploadedImage } from '../../../storage/tables/messages/attachments.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { THUMBNAIL_MESSAGES_PER_STEP } from '../../domain/limits.ts';
import { type UploadedFile, withThumbnail } from '../../markdown/uploads.ts';
import type { Reads } from '../access/groups.ts';
import * as outbox from '../access/outbox.ts';
import * as heldContents from '../indexes/held-contents.ts';
import * as searchIndex from '../search/index.ts';
import * as updateEvents from './update-events.ts';

/** A letter that asks for the thumbnails of a file. */
export interface Wanted {
  readonly attachmentId: number;
}

/** A letter that asks for messages to be shown anew, as the thumbnails are there or never will be. */
export interface Decided extends Wanted {
  readonly file: UploadedFile;
  /** The first of them. */
  readonly from: number;
}

/** The file whose thumbnails are still to be made. */
export function pending(
  reads: Reads,
  { attachmentId }: Wanted,
): { readonly row: AttachmentRow; readonly image: UploadedImage } | undefined {
  const row = reads.attachments.get([attachmentId]);
  if (row === undefined || row.image === null || row.image.isReady) return undefined;
  return { row, image: row.image };
}

/** They are there, or there will be none: messages that wait for them are shown anew. False when the file is gone. */
export function settle(
  tx: RealmTransaction,
  wanted: Wanted,
  { isMade }: { isMade: boolean },
): boolean {
  const found = pending(tx, wanted);
  if (found === undefined) return false;
  const image = isMade ? { ...found.image, isReady: true } : null;
  tx.attachments.put([wanted.attachmentId], { ...found.row, image });
  const { pathId, contentType } = found.row;
  show(tx, { ...wanted, file: { pathId, contentType, image }, from: 0 });
  return true;
}

/** Any number of messages may wait: those after the first ones are for another letter, written in the same commit. */
export function show(tx: RealmTransaction, { attachmentId, file, from }: Decided) {
  const start = [attachmentId, 'message', from];
  const end = [attachmentId, 'message', Number.MAX_SAFE_INTEGER];
  const limit = THUMBNAIL_MESSAGES_PER_STEP;
  const ids = Array.from(tx.attachmentUses.keys({ start, end, limit }), ([, , id]) => id);
  for (const id of ids) {
    const message = tx.messages.get([id]);
    if (message === undefined) continue;
    const renderedContent = withThumbnail(message.renderedContent, file);
    if (renderedContent === message.renderedContent) continue;
    const shown = { ...message, renderedContent };
    heldContents.noteChange(tx, message, shown);
    searchIndex.noteChange(tx, message, shown);
    tx.messages.put([id], shown);
    updateEvents.announceRendering(tx, shown);
  }
  const last = ids.at(-1);
  if (last === undefined || ids.length < limit) return;
  const content: Decided = { attachmentId, file, from: last + 1 };
  outbox.post(tx, { kind: 'thumbnail', content });
}
