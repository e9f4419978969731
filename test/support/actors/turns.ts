/** Resolves in the next turn of the event loop, after what other code has left for it. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A commit takes a few turns, and each step of catching up takes one. */
const TURNS_MAX = 100_000;

/** Lets turns pass, and no time of a test clock, until something is so. */
export async function turnsUntil(isSo: () => boolean) {
  for (let count = 0; !isSo(); count++) {
    if (count === TURNS_MAX) throw new Error('it has not come to that');
    await turn();
  }
}
