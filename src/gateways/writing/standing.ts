import type { Load } from '../../metrics/load.ts';
import type { SocketCounts } from '../counts/shown.ts';
import type { GatewayProcess } from '../gateway-process.ts';

/** The gateways as the operator sees them. */
export interface GatewaysStanding {
  /** How many there should be. */
  readonly wanted: number;
  readonly gateways: readonly GatewayStanding[];
  /** How many have ended by themselves, and the last time. */
  readonly ended: number;
  readonly lastEnd: Ended | null;
}

interface GatewayStanding extends Load {
  readonly number: number;
  readonly pid: number | null;
  /** UNIX milliseconds. */
  readonly since: number;
  readonly sockets: number;
  readonly behind: number;
  /** Bytes that were sent to it and that it has not taken yet. */
  readonly unsentBytes: number;
}

interface Ended {
  /** UNIX milliseconds. */
  readonly at: number;
  readonly why: string;
}

type Seen = GatewayProcess & { readonly sockets: SocketCounts; readonly load: Load };

/** Counts gateways that end, and describes those that run. */
export function openStanding(wanted: number, all: ReadonlyMap<number, Seen>) {
  let ended = 0;
  let lastEnd: Ended | null = null;
  return {
    noteEnd(why: string) {
      ended += 1;
      lastEnd = { at: Date.now(), why };
    },
    view: (): GatewaysStanding => ({
      wanted,
      gateways: Array.from(all.values(), ({ number, pid, startedAt, sockets, load, stream }) => ({
        number,
        pid,
        since: startedAt,
        sockets: sockets.open,
        behind: sockets.behind,
        ...load,
        unsentBytes: stream.unsentBytes(),
      })),
      ended,
      lastEnd,
    }),
  };
}
