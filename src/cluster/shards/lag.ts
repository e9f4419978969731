/** How far a node is behind the owner of a shard. */
export interface Behind {
  /** The records that the owner has spoken of, and that are not applied here. */
  readonly records: number;
  /** How long the first of them has been waited for. */
  readonly ms: number;
}

export interface Lag {
  /** The owner has stored a record of this number. */
  heard(sequence: number, applied: number): void;
  behind(applied: number): Behind;
}

/** Measures by what the owner says, so that no clocks are compared. */
export function openLag(now = () => performance.now()): Lag {
  let newest = 0;
  /** The record that is waited for, and since when. */
  let awaited: { readonly sequence: number; readonly since: number } | null = null;
  const isWaiting = (applied: number) => awaited !== null && awaited.sequence > applied;
  return {
    heard(sequence, applied) {
      newest = Math.max(newest, sequence);
      if (isWaiting(applied)) return;
      awaited = sequence > applied ? { sequence, since: now() } : null;
    },
    behind(applied) {
      if (awaited === null || !isWaiting(applied)) return { records: 0, ms: 0 };
      return { records: newest - applied, ms: now() - awaited.since };
    },
  };
}
