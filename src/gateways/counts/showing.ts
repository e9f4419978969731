import { CONSOLE_ACTORS_MAX, CONSOLE_POLLS_MAX } from '../../domain/limits/operator.ts';
import type { Served } from '../../served.ts';
import type { OpenSocket } from '../../transport/event-socket.ts';
import type { FollowedRealms } from '../serving/followed-realms.ts';
import type { Shown, SocketCounts } from './shown.ts';

/** The sockets that one gateway describes; describing ten thousand takes it some milliseconds. */
const SOCKETS_MAX = 10_000;
const BOUNDS = {
  channels: CONSOLE_ACTORS_MAX + 1,
  queues: CONSOLE_ACTORS_MAX + 1,
  polls: CONSOLE_POLLS_MAX + 1,
};

/** Describes the clients of this gateway. */
export function shownBy(served: Served, followed: FollowedRealms): Shown {
  const sockets: OpenSocket[] = [];
  for (const socket of served.sockets()) {
    if (sockets.length === SOCKETS_MAX) break;
    sockets.push(socket);
  }
  const realms = followed
    .all()
    .map((following) => [following.realm.id, following.describe(BOUNDS)] as const);
  return { sockets, realms };
}

/** Gateways describe their clients so often, while somebody looks. */
const SHOWN_MS = 500;

/** Keeps what gateways have shown of their clients. */
export interface Showing {
  take(gateway: number, shown: Shown): void;
  gone(gateway: number): void;
  /** Returns what they have shown last, and has them show it again. */
  all(): Iterable<Shown>;
}

/** Asks the gateways only while somebody looks. */
export function openShowing(ask: () => void): Showing {
  const latest = new Map<number, Shown>();
  let askedAt = Number.NEGATIVE_INFINITY;
  return {
    take: (gateway, shown) => void latest.set(gateway, shown),
    gone: (gateway) => void latest.delete(gateway),
    all() {
      const now = performance.now();
      if (now - askedAt >= SHOWN_MS) {
        askedAt = now;
        ask();
      }
      return latest.values();
    },
  };
}

interface Clients {
  readonly socketCounts: () => Iterable<SocketCounts>;
  readonly shown: () => Iterable<Shown>;
}

/** Shows the sockets of the gateways as those of the server: this process itself has none. */
export const withShown = (served: Served, { socketCounts, shown }: Clients): Served => ({
  ...served,
  socketCount: () => Array.from(socketCounts(), ({ open }) => open).reduce(sum, 0),
  socketsBehind: () => Array.from(socketCounts(), ({ behind }) => behind).reduce(sum, 0),
  *sockets() {
    for (const { sockets } of shown()) yield* sockets;
  },
});

const sum = (one: number, other: number) => one + other;
