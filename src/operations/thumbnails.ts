import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { AttachmentRow, UploadedImage } from '../../storage/tables/attachments.ts';
import type { MessageRow } from '../../storage/tables/messages.ts';
import { withThumbnail } from '../domain/markdown/uploads.ts';
import type { Reads } from './groups.ts';
import * as updateEvents from './update-events.ts';

/** A letter that asks for the thumbnails of a file. */
export interface Wanted {
  readonly attachmentId: number;
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
  const { row } = found;
  const image = isMade ? { ...found.image, isReady: true } : null;
  tx.attachments.put([wanted.attachmentId], { ...row, image });
  const { pathId, contentType } = row;
  for (const [, , messageId] of tx.attachmentUses.keysUnder([wanted.attachmentId, 'message'])) {
    const message = tx.messages.get([messageId]);
    if (message === undefined) continue;
    const html = withThumbnail(message.renderedContent, { pathId, contentType, image });
    if (html !== message.renderedContent) show(tx, { ...message, renderedContent: html });
  }
  return true;
}

function show(tx: RealmTransaction, message: MessageRow) {
  tx.messages.put([message.id], message);
  updateEvents.announceRendering(tx, message);
}
