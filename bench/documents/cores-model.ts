import type { Figure } from '../suite/results.ts';
import { numberText } from '../suite/texts.ts';

// The model of a machine with more cores than the measured one. A message costs the writer some CPU
// time and the gateways some; each is on a core of its own. Two answers are given. By one, neither
// costs more with many gateways than where it cost least. By the other both grow by as much for
// each gateway as they did where that was measured: each has a stream of its own and reads all
// events, and on few cores its writes carry fewer messages.

export interface Machine {
  readonly cores: number;
  /** At most as many as the other cores, and as `CONFAB_GATEWAYS` takes. */
  readonly gateways: number;
}

export const MACHINES: readonly Machine[] = [
  { cores: 2, gateways: 0 },
  { cores: 2, gateways: 1 },
  { cores: 8, gateways: 7 },
  { cores: 32, gateways: 15 },
];

export interface Expected {
  readonly what: string;
  /** How many a second: if costs grow with each gateway, and if they do not. */
  readonly atLeast: number;
  readonly atMost: number;
  /** The kind of process that has no more CPU time to give, by the lower answer. */
  readonly limit: 'one process' | 'the writer' | 'the gateways';
  /** The CPU times that it is computed from. */
  readonly madeOf: string;
}

const ALL = 'CPU of all per message';
const WRITER = 'CPU of the writer per message';
const GATEWAYS = 'CPU of gateways per message';

/** Returns a line for each load of the run whose messages were counted. */
export function expectations(figures: readonly Figure[], machine: Machine): readonly Expected[] {
  const curves = figures.flatMap(({ at, metric }) =>
    at !== undefined && metric === ALL ? [at.curve] : [],
  );
  return [...new Set(curves)]
    .filter((curve) => !isLone(curve))
    .flatMap((curve) => expectation(figures, curve, machine) ?? []);
}

/** One message at a time keeps no core busy: it says nothing of how many there can be. */
const isLone = (curve: string) => /(^|[ ,])(W = )?1( in flight)?$/.test(curve);

function expectation(
  figures: readonly Figure[],
  curve: string,
  { gateways }: Machine,
): Expected | undefined {
  const own = figures.filter(({ at }) => at?.curve === curve);
  const what = /sockets/.test(curve) ? `messages to ${curve}` : curve;
  if (gateways === 0) {
    const all = pointsOf(own, ALL).find(([count]) => count === 0)?.[1];
    if (all === undefined) return undefined;
    const madeOf = `${numberText(all)} µs of the process`;
    const perSecond = MICROSECONDS / all;
    return { what, atLeast: perSecond, atMost: perSecond, limit: 'one process', madeOf };
  }
  const writer = lineThrough(pointsOf(own, WRITER))?.(gateways);
  const served = lineThrough(pointsOf(own, GATEWAYS))?.(gateways);
  if (writer === undefined || served === undefined) return undefined;
  const leastWriter = Math.min(writer, leastOf(pointsOf(own, WRITER)));
  const leastServed = Math.min(served, leastOf(pointsOf(own, GATEWAYS)));
  const perSecond = (byWriter: number, byGateways: number) =>
    Math.min(MICROSECONDS / byWriter, (gateways * MICROSECONDS) / byGateways);
  const range = (least: number, grown: number) =>
    numberText(least) === numberText(grown)
      ? numberText(least)
      : `${numberText(least)} to ${numberText(grown)}`;
  return {
    what,
    atLeast: perSecond(writer, served),
    atMost: perSecond(leastWriter, leastServed),
    limit: gateways * writer > served ? 'the writer' : 'the gateways',
    madeOf: `${range(leastWriter, writer)} µs of the writer, ${range(leastServed, served)} µs of all gateways`,
  };
}

const leastOf = (points: readonly Point[]) =>
  Math.min(...points.flatMap(([gateways, us]) => (gateways > 0 ? [us] : [])));

const MICROSECONDS = 1e6;

type Point = readonly [gateways: number, microseconds: number];

const pointsOf = (figures: readonly Figure[], metric: string): readonly Point[] =>
  figures.flatMap(({ at, metric: named, median }) =>
    at !== undefined && named === metric ? [[at.value, median] as const] : [],
  );

/**
 * Returns the line of least squares through what was measured with gateways. It does not fall: more
 * gateways make no message cheaper.
 */
export function lineThrough(points: readonly Point[]): ((gateways: number) => number) | undefined {
  const measured = points.filter(([gateways]) => gateways > 0);
  if (measured.length === 0) return undefined;
  const mean = (of: (point: Point) => number) =>
    measured.reduce((sum, point) => sum + of(point), 0) / measured.length;
  const x = mean(([gateways]) => gateways);
  const y = mean(([, microseconds]) => microseconds);
  const spread = mean(([gateways]) => (gateways - x) ** 2);
  const slope = spread === 0 ? 0 : mean(([g, us]) => (g - x) * (us - y)) / spread;
  return (gateways) => y + Math.max(0, slope) * (gateways - x);
}
