/** Counts who holds something. `letGo` is called when the last one lets go of it. */
export function openHolders(letGo: () => Promise<void>) {
  let count = 0;
  return {
    isHeld: () => count > 0,
    /** Holds it until the returned function is called, which may be called again. */
    hold() {
      let isHolding = true;
      count += 1;
      return async () => {
        if (!isHolding) return;
        isHolding = false;
        count -= 1;
        if (count === 0) await letGo();
      };
    },
  };
}
