/**
 * Returns the known name that was probably meant by a mistyped one, or undefined if none is near: a
 * third of its characters may be wrong, or its end may be missing.
 */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  const begun = known.filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()));
  if (begun.length > 0 && typed.length >= BEGINNING_LENGTH_MIN) return begun[0];
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const name of known) {
    const distance = distanceOf(typed.toLowerCase(), name.toLowerCase());
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { name, distance };
  }
  const isNear = best !== undefined && best.distance <= Math.max(1, Math.floor(typed.length / 3));
  return isNear ? best?.name : undefined;
}

const BEGINNING_LENGTH_MIN = 3;

/** The names that are compared have some tens of characters. */
const LENGTH_MAX = 100;

/**
 * Counts the characters to insert, remove, replace or swap with their neighbour (the optimal string
 * alignment distance).
 */
function distanceOf(from: string, to: string): number {
  if (from.length > LENGTH_MAX || to.length > LENGTH_MAX) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const [above = 0, left = 0] = [last[column], current[column - 1]];
      const replaced = (last[column - 1] ?? 0) + (isSame ? 0 : 1);
      const swapped = isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : replaced;
      current.push(Math.min(above + 1, left + 1, replaced, swapped));
    }
    [beforeLast, last] = [last, current];
  }
  return last[to.length] ?? 0;
}
