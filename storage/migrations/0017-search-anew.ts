import type { Writers } from '../transaction.ts';

/**
 * Schema 17: texts are taken apart in another way than they were (src/domain/rules/search/words.ts), so the index is made anew. That begins
 * when the realm is open, in small steps, and so does the removal of what there is of the old one.
 */
export function forgetIndex(tables: Writers) {
  const removed = [...tables.searchSegments.keys({})].map(([id]) => id);
  const merge = tables.searchProgress.get(['search'])?.merge;
  if (merge) removed.push(merge.segmentId);
  if (removed.length === 0) return;
  const none = { throughMessageId: 0, segments: [], merge: null, restsUntil: 0 };
  tables.searchProgress.put(['search'], { ...none, removed });
}
