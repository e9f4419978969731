/** A list of ids after a change, and those that were in it, or missing, before. */
export interface Changed {
  readonly members: number[];
  readonly wrong: readonly number[];
}

/** Adds ids to an ascending list. */
export const added = (ids: readonly number[], more: readonly number[]): Changed =>
  change(ids, more, (members, at, id) => members.splice(at, 0, id), false);

/** Takes ids from an ascending list. */
export const removed = (ids: readonly number[], gone: readonly number[]): Changed =>
  change(ids, gone, (members, at) => members.splice(at, 1), true);

/** Changes a copy: it costs a few microseconds even for a list of everyone. */
function change(
  ids: readonly number[],
  changing: readonly number[],
  apply: (members: number[], at: number, id: number) => void,
  isExpected: boolean,
): Changed {
  const members = [...ids];
  const wrong: number[] = [];
  for (const id of changing) {
    const at = placeOf(members, id);
    if ((members[at] === id) === isExpected) apply(members, at, id);
    else wrong.push(id);
  }
  return { members, wrong };
}

/** Returns where an id is, or where it would be. */
function placeOf(ids: readonly number[], id: number): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ids[middle] ?? id) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
