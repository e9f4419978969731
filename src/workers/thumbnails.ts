import type { Entry } from '../operations/access/outbox.ts';
import * as attachments from '../operations/files/attachments.ts';
import * as thumbnails from '../operations/messages/thumbnails.ts';
import type { Worker } from './dispatcher.ts';

/**
 * A disk that is full now may have room later; messages show the image as on its way until then.
 */
const PAUSES_MS = [10_000, 300_000];

/** Makes the thumbnails of uploaded images. */
export function thumbnailMaker(): Worker {
  return {
    pausesMs: PAUSES_MS,
    async deliver(entry, { realm }) {
      const wanted = wantedIn(entry);
      if ('file' in wanted) {
        await realm.perform((tx) => thumbnails.show(tx, wanted));
        return;
      }
      const found = thumbnails.pending(realm.reader, wanted);
      if (found === undefined) return;
      const original = attachments.fileNameOf(found.row);
      const fileNames = attachments.thumbnailFileNames(original, found.image);
      for (const { fileName, isMoving } of fileNames) {
        if (!(await realm.files.shrink(original, { to: fileName, isMoving }))) {
          await realm.perform((tx) => thumbnails.settle(tx, wanted, { isMade: false }));
          return;
        }
      }
      const isKept = await realm.perform((tx) => thumbnails.settle(tx, wanted, { isMade: true }));
      if (isKept) return;
      for (const { fileName } of fileNames) await realm.files.remove(fileName);
    },
    async giveUp(entry, { realm }) {
      const wanted = wantedIn(entry);
      if ('file' in wanted) return;
      await realm.perform((tx) => thumbnails.settle(tx, wanted, { isMade: false }));
    },
  };
}

/** What only `files/attachments.ts` and `thumbnails.ts` post under this kind. */
const wantedIn = (entry: Entry) => entry.content as thumbnails.Wanted | thumbnails.Decided;
