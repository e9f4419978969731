import { CONTENTS, contentBits } from '../../src/domain/message-contents.ts';
import type { Writers } from '../realm-store.ts';
import { EVERYWHERE } from '../tables/held-contents.ts';

/** Schema 14: what messages hold is listed, so that `has` finds them. */
export function listHeldContents(tables: Writers) {
  for (const [[id], row] of tables.messages.range({})) {
    const bits = contentBits(row);
    for (const bit of CONTENTS) {
      if ((bits & bit) === 0) continue;
      tables.heldContents.put([bit, row.recipientId, id], {});
      tables.heldContents.put([bit, EVERYWHERE, id], {});
    }
  }
}
