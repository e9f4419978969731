import type { FileName } from '../../storage/files/file-store.ts';
import type { Worker } from './dispatcher.ts';

/** A disk that cannot remove a file now may be able to later. */
const PAUSES_MS = [60_000, 3_600_000, 86_400_000];

/** Removes the bytes of files whose rows are gone. */
export const fileRemover = (onLost: (error: unknown) => void): Worker => ({
  pausesMs: PAUSES_MS,
  deliver({ content }, { realm }) {
    // Only `files/attachments.ts` writes entries of this kind.
    return realm.files.remove(content as FileName);
  },
  async giveUp(_entry, _origin, error) {
    onLost(error);
  },
});
