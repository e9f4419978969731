import { ascending } from '../objects.ts';

/** A list of ids after a change, and those that were in it, or missing, before. */
export interface Changed {
  readonly members: number[];
  readonly wrong: readonly number[];
}

export function added(ids: readonly number[], more: readonly number[]): Changed {
  const known = new Set(ids);
  const wrong = more.filter((id) => known.has(id));
  return { members: ascending(new Set([...ids, ...more])), wrong };
}

export function removed(ids: readonly number[], gone: readonly number[]): Changed {
  const known = new Set(ids);
  const wrong = gone.filter((id) => !known.has(id));
  for (const id of gone) known.delete(id);
  return { members: [...known], wrong };
}
