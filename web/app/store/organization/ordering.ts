/** Returns the ids with one of them moved by a step; null where it is at that end. */
export function moved(ids: readonly number[], id: number, by: -1 | 1): number[] | null {
  const at = ids.indexOf(id);
  const to = at + by;
  if (at < 0 || to < 0 || to >= ids.length) return null;
  const next = [...ids];
  next.splice(at, 1);
  next.splice(to, 0, id);
  return next;
}
