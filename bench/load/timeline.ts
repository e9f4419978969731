/** A load as it was from one moment to the next. */
export interface TimelinePoint {
  /** From the start of the run. */
  readonly seconds: number;
  /** Messages that were completed, a second. */
  readonly perSecond: number;
  readonly p50Ms: number | null;
  readonly maxMs: number | null;
}

interface Timeline {
  /** Something came to its end now, after so long. */
  readonly add: (latencyMs: number) => void;
  readonly points: () => readonly TimelinePoint[];
}

const SLICE_MS = 200;
// A shorter stretch says nothing of a rate.
const SLICE_MS_MIN = 50;

/** Counts what comes to its end in each fifth of a second. */
export function startTimeline(startMs: number): Timeline {
  const slices: number[][] = [];
  return {
    add: (latencyMs) => {
      const index = Math.floor((performance.now() - startMs) / SLICE_MS);
      while (slices.length <= index) slices.push([]);
      slices[index]?.push(latencyMs);
    },
    points: () => {
      // The last slice is not over.
      const endMs = performance.now() - startMs;
      return slices.flatMap((slice, index) => {
        const lengthMs = Math.min(SLICE_MS, endMs - index * SLICE_MS);
        if (lengthMs < SLICE_MS_MIN) return [];
        return [pointOf(slice, { seconds: (index * SLICE_MS + lengthMs) / 1000, lengthMs })];
      });
    },
  };
}

function pointOf(
  slice: number[],
  { seconds, lengthMs }: { readonly seconds: number; readonly lengthMs: number },
): TimelinePoint {
  slice.sort((one, other) => one - other);
  return {
    seconds,
    perSecond: (slice.length * 1000) / lengthMs,
    p50Ms: slice[Math.floor(slice.length / 2)] ?? null,
    maxMs: slice.at(-1) ?? null,
  };
}
