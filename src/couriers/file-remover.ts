import type { FileName } from '../../storage/files/file-store.ts';
import type { Courier } from './couriers.ts';

/** A disk that cannot remove a file now may be able to later. */
const PAUSES_MS = [60_000, 3_600_000, 86_400_000];

/** Removes the bytes of files that have no row any more. */
export const fileRemover = (onLost: (error: unknown) => void): Courier => ({
  pausesMs: PAUSES_MS,
  carry({ content }, { realm }) {
    // What `files/attachments.ts` writes in its letters.
    return realm.files.remove(content as FileName);
  },
  async giveUp(_letter, _origin, error) {
    onLost(error);
  },
});
