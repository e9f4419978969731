/** What a load saw from one moment to the next. */
export interface TimelinePoint {
  /** From the start of the run. */
  readonly seconds: number;
  /** What came to its end, a second. */
  readonly perSecond: number;
  readonly p50Ms: number | null;
  readonly maxMs: number | null;
}

export interface Timeline {
  /** Something came to its end now, after so long. */
  readonly add: (latencyMs: number) => void;
  readonly points: () => readonly TimelinePoint[];
}

const SLICE_MS = 250;

/** Counts what comes to its end in each quarter of a second. */
export function startTimeline(startMs: number): Timeline {
  const slices: number[][] = [];
  return {
    add: (latencyMs) => {
      const index = Math.floor((performance.now() - startMs) / SLICE_MS);
      while (slices.length <= index) slices.push([]);
      slices[index]?.push(latencyMs);
    },
    points: () => slices.map(pointOf),
  };
}

function pointOf(slice: number[], index: number): TimelinePoint {
  slice.sort((one, other) => one - other);
  return {
    seconds: ((index + 1) * SLICE_MS) / 1000,
    perSecond: (slice.length * 1000) / SLICE_MS,
    p50Ms: slice[Math.floor(slice.length / 2)] ?? null,
    maxMs: slice.at(-1) ?? null,
  };
}
