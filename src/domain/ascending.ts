/** Sorts lists of ids in ascending order. */
export const ascending = (one: number, other: number): number => one - other;

/** Returns each id once, ascending. */
export const inOrder = (ids: Iterable<number>): number[] => [...new Set(ids)].sort(ascending);

/** Returns the index of an id in an ascending list, or the index at which it would be inserted. */
export function placeIn(ids: readonly number[], id: number): number {
  let from = 0;
  let to = ids.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((ids[middle] ?? id) < id) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Tests whether an ascending list contains an id. */
export const isIn = (ids: readonly number[], id: number): boolean => ids[placeIn(ids, id)] === id;
