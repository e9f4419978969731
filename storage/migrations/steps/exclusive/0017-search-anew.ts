import type { Writers } from '../../../transaction.ts';

/**
 * Schema 17 builds the search index again, because texts are split into words in another way
 * (src/domain/rules/search/words.ts). Building begins when the realm is open, in small steps, and
 * so does the removal of the old index.
 */
export function forgetIndex(tables: Writers) {
  const removed = [...tables.searchSegments.keys({})].map(([id]) => id);
  const merge = tables.searchProgress.get(['search'])?.merge;
  if (merge) removed.push(merge.segmentId);
  if (removed.length === 0) return;
  const none = { throughMessageId: 0, segments: [], merge: null, restsUntil: 0 };
  tables.searchProgress.put(['search'], { ...none, removed });
}
