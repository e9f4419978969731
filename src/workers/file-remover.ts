import type { FileName } from '../../storage/files/file-store.ts';
import type { Worker } from './dispatcher.ts';

/** A disk that cannot remove a file now may be able to later. */
const PAUSES_MS = [60_000, 3_600_000, 86_400_000];

/** Removes the bytes of files that have no row any more. */
export const fileRemover = (onLost: (error: unknown) => void): Worker => ({
  pausesMs: PAUSES_MS,
  deliver({ content }, { realm }) {
    // What `files/attachments.ts` writes in its entries.
    return realm.files.remove(content as FileName);
  },
  async giveUp(_entry, _origin, error) {
    onLost(error);
  },
});
