/**
 * A histogram whose bounds double: the first bound is `first`, the last 65,536 times as much. It
 * has four steps an octave, from which a quantile is read; a scrape gets the octaves. It is ours
 * since one record of the registry's library costs 900 ns, and one of these 15 (decision 0175).
 */
export class Histogram {
  readonly first: number;
  /** The values by step: up to the first bound, four steps an octave, and beyond the last. */
  readonly steps = new Float64Array(STEPS);
  count = 0;
  sum = 0;
  private readonly scale: number;

  constructor(first: number) {
    this.first = first;
    this.scale = FIRST / first;
  }

  record(value: number) {
    this.count += 1;
    this.sum += value;
    const step = stepOf(value * this.scale);
    this.steps[step] = (this.steps[step] ?? 0) + 1;
  }

  /** Returns the bounds with how many values are at most so large; the last one is infinite. */
  octaves(): readonly (readonly [bound: number, count: number])[] {
    const octaves: [number, number][] = [];
    let below = 0;
    for (let step = 0; step < STEPS; step++) {
      below += this.steps[step] ?? 0;
      if (step === BEYOND) octaves.push([Number.POSITIVE_INFINITY, below]);
      else if (step % STEPS_PER_OCTAVE === 0) {
        octaves.push([this.first * 2 ** (step / STEPS_PER_OCTAVE), below]);
      }
    }
    return octaves;
  }

  /** Returns the bound of the step that this share of the values does not exceed; 0 for none. */
  quantile(share: number): number {
    const wanted = this.count * share;
    let below = 0;
    for (let step = 0; step < STEPS && this.count > 0; step++) {
      below += this.steps[step] ?? 0;
      if (below >= wanted) return boundOf(step) * this.first;
    }
    return 0;
  }
}

/** The first bound in the whole numbers that steps are told by; its octaves have bits for them. */
const FIRST_BITS = 7;
const FIRST = 2 ** FIRST_BITS;
const OCTAVES = 16;
const STEP_BITS = 2;
const STEPS_PER_OCTAVE = 2 ** STEP_BITS;
const BEYOND = OCTAVES * STEPS_PER_OCTAVE + 1;
const STEPS = BEYOND + 1;
const LARGEST = FIRST * 2 ** OCTAVES;

/** Returns the step of a value. A bound belongs to the step below it, as Prometheus has it. */
function stepOf(scaled: number): number {
  if (scaled <= FIRST) return 0;
  if (!(scaled <= LARGEST)) return BEYOND;
  const whole = Math.ceil(scaled) - 1;
  const bits = 31 - Math.clz32(whole);
  const within = (whole >>> (bits - STEP_BITS)) & (STEPS_PER_OCTAVE - 1);
  return 1 + (bits - FIRST_BITS) * STEPS_PER_OCTAVE + within;
}

/** Returns the upper bound of a step, in first bounds. */
function boundOf(step: number): number {
  if (step === BEYOND) return Number.POSITIVE_INFINITY;
  if (step === 0) return 1;
  const octave = Math.floor((step - 1) / STEPS_PER_OCTAVE);
  const within = (step - 1) % STEPS_PER_OCTAVE;
  return 2 ** octave * (1 + (within + 1) / STEPS_PER_OCTAVE);
}
