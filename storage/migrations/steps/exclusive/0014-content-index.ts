import { CONTENTS, contentBits } from '../../../../src/domain/rules/search/message-contents.ts';
import { EVERYWHERE } from '../../../tables/messages/contents.ts';
import type { Writers } from '../../../transaction.ts';

/** Schema 14: the content index lists what messages contain, so that `has` finds them. */
export function fillContentIndex(tables: Writers) {
  for (const [[id], row] of tables.messages.range({})) {
    const bits = contentBits(row);
    for (const bit of CONTENTS) {
      if ((bits & bit) === 0) continue;
      tables.contentIndex.put([bit, row.recipientId, id], {});
      tables.contentIndex.put([bit, EVERYWHERE, id], {});
    }
  }
}
