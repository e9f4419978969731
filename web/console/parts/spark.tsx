import type { Sample } from '../../../src/console/wire.ts';

/** A quarter of an hour in as many steps as a tile has room for. */
const STEPS = 90;
const STEP_SECONDS = 10;
const HEIGHT = 26;

/** A line of the last quarter of an hour, from nothing to the largest value. */
export function Spark({ samples, index }: { samples: readonly Sample[]; index: number }) {
  const steps = stepsOf(samples, index);
  const most = Math.max(...steps.map((value) => value ?? 0));
  const y = (value: number) =>
    (HEIGHT - 1 - (most === 0 ? 0 : (value / most) * (HEIGHT - 3))).toFixed(1);
  let line = '';
  let area = '';
  let from: number | null = null;
  for (const [x, value] of [...steps, null].entries()) {
    if (value !== null) {
      line += `${from === null ? 'M' : 'L'}${x} ${y(value)}`;
      area += `${from === null ? `M${x} ${HEIGHT}L` : 'L'}${x} ${y(value)}`;
      from ??= x;
    } else if (from !== null) {
      area += `L${x - 1} ${HEIGHT}Z`;
      from = null;
    }
  }
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${STEPS - 1} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path class="area" d={area} />
      <path class="line" d={line} />
    </svg>
  );
}

/** Returns the largest value of each step; steps lie on the clock, so that they do not flicker. */
function stepsOf(samples: readonly Sample[], index: number): (number | null)[] {
  const steps = new Array<number | null>(STEPS).fill(null);
  const newest = Math.floor((samples.at(-1)?.[0] ?? 0) / STEP_SECONDS);
  for (const sample of samples) {
    const value = sample[index] ?? null;
    const at = STEPS - 1 - newest + Math.floor((sample[0] ?? 0) / STEP_SECONDS);
    if (value !== null && at >= 0) steps[at] = Math.max(steps[at] ?? 0, value);
  }
  return steps;
}
