import type { Realm } from '../../actors/realm/realm-handle.ts';
import * as attachments from '../operations/attachments.ts';
import type { Letter } from '../operations/outbox.ts';
import * as thumbnails from '../operations/thumbnails.ts';
import type { Courier } from './couriers.ts';

/** A disk that is full now may have room later; messages show the picture as on its way until then. */
const PAUSES_MS = [10_000, 300_000];

/** Makes the thumbnails of uploaded pictures. */
export function thumbnailMaker(): Courier {
  return {
    pausesMs: PAUSES_MS,
    async carry(letter, { realm }) {
      const wanted = wantedIn(letter);
      const found = thumbnails.pending(realm.reader, wanted);
      if (found === undefined) return;
      const original = attachments.placeOf(found.row);
      const places = attachments.thumbnailPlaces(original, found.image);
      for (const { place, isMoving } of places) {
        if (!(await realm.files.shrink(original, { to: place, isMoving }))) {
          return await end(realm, wanted, { isMade: false });
        }
      }
      const isKept = await realm.perform((tx) => thumbnails.settle(tx, wanted, { isMade: true }));
      if (isKept) return;
      for (const { place } of places) await realm.files.remove(place);
    },
    async giveUp(letter, { realm }) {
      await end(realm, wantedIn(letter), { isMade: false });
    },
  };
}

async function end(realm: Realm, wanted: thumbnails.Wanted, outcome: { isMade: boolean }) {
  await realm.perform((tx) => thumbnails.settle(tx, wanted, outcome));
}

/** What only `attachments.ts` posts under this kind. */
const wantedIn = (letter: Letter) => letter.content as thumbnails.Wanted;
