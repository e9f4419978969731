import type { AttachmentRow, UploadedImage } from '../../../storage/tables/messages/attachments.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { THUMBNAIL_MESSAGES_PER_STEP } from '../../domain/limits/files.ts';
import { linkedFiles } from '../../domain/rules/search/message-contents.ts';
import { isWaiting, type UploadedFile, withThumbnail } from '../../markdown/uploads.ts';
import type { Reads } from '../access/groups.ts';
import * as outbox from '../access/outbox.ts';
import * as attachments from '../files/attachments.ts';
import * as contentIndex from '../indexes/content-index.ts';
import * as searchIndex from '../search/index.ts';
import * as updateEvents from './update-events.ts';

/** An outbox entry that asks for the thumbnails of a file. */
export interface ThumbnailTask {
  readonly attachmentId: number;
}

/**
 * An outbox entry that asks for messages to be rendered again, because the thumbnails are ready or
 * cannot be made.
 */
export interface RenderTask extends ThumbnailTask {
  readonly file: UploadedFile;
  /** The id of the first message that is still to be rendered. */
  readonly from: number;
}

/** Returns the file if its thumbnails are still to be made. */
export function pending(
  reads: Reads,
  { attachmentId }: ThumbnailTask,
): { readonly row: AttachmentRow; readonly image: UploadedImage } | undefined {
  const row = reads.attachments.get([attachmentId]);
  if (row === undefined || row.image === null || row.image.isReady) return undefined;
  return { row, image: row.image };
}

/**
 * Stores whether the thumbnails were made, and renders messages that wait for them again. Returns
 * false if the file is gone.
 */
export function settle(
  tx: RealmTransaction,
  task: ThumbnailTask,
  { isMade }: { isMade: boolean },
): boolean {
  const found = pending(tx, task);
  if (found === undefined) return false;
  const image = isMade ? { ...found.image, isReady: true } : null;
  tx.attachments.put([task.attachmentId], { ...found.row, image });
  const { pathId, contentType } = found.row;
  show(tx, { ...task, file: { pathId, contentType, image }, from: 0 });
  return true;
}

/**
 * Renders waiting messages again. There may be any number of them, so a further outbox entry in the
 * same commit asks for the rest.
 */
export function show(tx: RealmTransaction, { attachmentId, file, from }: RenderTask) {
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
    contentIndex.noteChange(tx, message, shown);
    searchIndex.noteChange(tx, message, shown);
    tx.messages.put([id], shown);
    updateEvents.announceRendering(tx, shown);
  }
  const last = ids.at(-1);
  if (last === undefined || ids.length < limit) return;
  const content: RenderTask = { attachmentId, file, from: last + 1 };
  outbox.post(tx, { kind: 'thumbnail', content });
}

/**
 * Returns the markup of a message that was rendered before this transaction, where images whose
 * thumbnails are settled by now wait for them no more.
 */
export function shownNow(reads: Reads, html: string): string {
  if (!isWaiting(html)) return html;
  let shown = html;
  for (const pathId of linkedFiles(html, [])) {
    const { contentType = '', image = null } = attachments.byPath(reads, pathId)?.row ?? {};
    if (image?.isReady !== false) shown = withThumbnail(shown, { pathId, contentType, image });
  }
  return shown;
}
