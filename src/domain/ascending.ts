/** The order of lists of ids. */
export const ascending = (one: number, other: number): number => one - other;

/** Each of them once, ascending. */
export const inOrder = (ids: Iterable<number>): number[] => [...new Set(ids)].sort(ascending);

/** Where an id is in an ascending list, or belongs. */
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

/** Whether an id is in an ascending list. */
export const isIn = (ids: readonly number[], id: number): boolean => ids[placeIn(ids, id)] === id;
