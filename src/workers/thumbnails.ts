import type { Entry } from '../operations/access/outbox.ts';
import * as attachments from '../operations/files/attachments.ts';
import * as thumbnails from '../operations/messages/thumbnails.ts';
import type { Worker } from './dispatcher.ts';

/** A full disk may have room later; until then messages show that the image is being prepared. */
const PAUSES_MS = [10_000, 300_000];

/** Makes the thumbnails of uploaded images. */
export function thumbnailMaker(): Worker {
  return {
    pausesMs: PAUSES_MS,
    async deliver(entry, { realm }) {
      const task = taskIn(entry);
      if ('file' in task) {
        await realm.perform((tx) => thumbnails.show(tx, task));
        return;
      }
      const found = thumbnails.pending(realm.reader, task);
      if (found === undefined) return;
      const original = attachments.fileNameOf(found.row);
      const fileNames = attachments.thumbnailFileNames(original, found.image);
      for (const { fileName, isMoving } of fileNames) {
        if (!(await realm.files.shrink(original, { to: fileName, isMoving }))) {
          await realm.perform((tx) => thumbnails.settle(tx, task, { isMade: false }));
          return;
        }
      }
      const isKept = await realm.perform((tx) => thumbnails.settle(tx, task, { isMade: true }));
      if (isKept) return;
      for (const { fileName } of fileNames) await realm.files.remove(fileName);
    },
    async giveUp(entry, { realm }) {
      const task = taskIn(entry);
      if ('file' in task) return;
      await realm.perform((tx) => thumbnails.settle(tx, task, { isMade: false }));
    },
  };
}

/**
 * Reads the content of the entry, which only `files/attachments.ts` and `messages/thumbnails.ts`
 * write.
 */
const taskIn = (entry: Entry) => entry.content as thumbnails.ThumbnailTask | thumbnails.RenderTask;
