import type { Recorders } from '../../metrics/recorders.ts';

/** Additions to the counts of a process: pairs of the place of a count and a number. */
export type Added = readonly number[];

/** A number in the counts, as it can be read and written. */
interface Count {
  readonly owner: Record<string, number>;
  readonly name: string;
  readonly path: string;
}

/** Values that go up and down. A gateway that is gone has none of them any more. */
const GAUGES: ReadonlySet<string> = new Set(['http.inFlight', 'http.pollsParked']);

/**
 * Lists all numbers in the counts, in an order that is the same in all processes of the program.
 * An object that is found in two places is counted once.
 */
function countsIn(recorders: Recorders): readonly Count[] {
  const counts: Count[] = [];
  const seen = new Set<object>();
  const walk = (owner: object, path: string) => {
    if (seen.has(owner) || owner instanceof Map) return;
    seen.add(owner);
    for (const [name, value] of Object.entries(owner)) {
      const inner = `${path}${name}`;
      if (typeof value === 'number') {
        counts.push({ owner: owner as Record<string, number>, name, path: inner }); // by the test
      } else if (typeof value === 'object' && value !== null) walk(value, `${inner}.`);
    }
  };
  walk(recorders, '');
  return counts;
}

/** Returns a function that tells what was added to the counts since it was called last. */
export function openAdditions(recorders: Recorders): () => Added {
  const counts = countsIn(recorders);
  const before = Float64Array.from(counts, ({ owner, name }) => owner[name] ?? 0);
  return () => {
    const added: number[] = [];
    for (const [place, { owner, name }] of counts.entries()) {
      const value = owner[name] ?? 0;
      const more = value - (before[place] ?? 0);
      if (more === 0) continue;
      added.push(place, more);
      before[place] = value;
    }
    return added;
  };
}

/** The counts of one gateway, as a part of those of the server. */
export interface GatewayCounts {
  add(added: Added): void;
  /** The gateway is gone, and with it whatever was open there. */
  gone(): void;
}

/** Returns what adds the counts of gateways to those of the server. */
export function openSum(recorders: Recorders): () => GatewayCounts {
  const counts = countsIn(recorders);
  return () => {
    const total = new Float64Array(counts.length);
    const { sockets } = recorders;
    const openedBy = counts.findIndex(({ path }) => path === 'sockets.opened');
    const isClosed = ({ path }: Count) => path.startsWith('sockets.closed.');
    return {
      add(added) {
        for (let at = 0; at + 1 < added.length; at += 2) {
          const place = added[at] ?? 0;
          const more = added[at + 1] ?? 0;
          const count = counts[place];
          if (count === undefined) continue;
          count.owner[count.name] = (count.owner[count.name] ?? 0) + more;
          total[place] = (total[place] ?? 0) + more;
        }
      },
      gone() {
        let closed = 0;
        for (const [place, count] of counts.entries()) {
          const sum = total[place] ?? 0;
          if (GAUGES.has(count.path))
            count.owner[count.name] = (count.owner[count.name] ?? 0) - sum;
          if (isClosed(count)) closed += sum;
        }
        sockets.closed.gone += (total[openedBy] ?? 0) - closed;
      },
    };
  };
}
