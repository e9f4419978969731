/** What a turn of the event loop has for them: everybody else waits so long, a send twice, before its commit and after it. */
const BEGINNING_MS_MIN = 10;
/** Where the rest of a turn takes longer, they get as much of it, up to here: else they would come in at a snail's pace. */
const BEGINNING_MS_MAX = 15;

/** Connections that begin, some of them only when it is their turn. */
export interface Arrivals<Connection> {
  add(connection: Connection): void;
}

/**
 * Begins connections in the order they came: the first of a turn at once, the others for about half of each turn. Ten thousand
 * clients come back at once after a restart; all of them begun as they come would keep everybody else waiting for seconds.
 */
export function openArrivals<Connection>(
  begin: (connection: Connection) => void,
): Arrivals<Connection> {
  let waiting: Connection[] = [];
  let next = 0;
  let pausedAtMs = 0;
  let isPlanned = false;

  function plan() {
    isPlanned = true;
    pausedAtMs = performance.now();
    setImmediate(beginSome);
  }

  function beginSome() {
    isPlanned = false;
    const startMs = performance.now();
    const others = Math.min(BEGINNING_MS_MAX, startMs - pausedAtMs);
    const endMs = startMs + Math.max(BEGINNING_MS_MIN, others);
    while (performance.now() < endMs) {
      const connection = waiting[next];
      if (connection === undefined) break;
      next += 1;
      begin(connection);
    }
    if (next < waiting.length) plan();
    else {
      waiting = [];
      next = 0;
    }
  }

  return {
    add(connection) {
      if (isPlanned) return void waiting.push(connection);
      plan();
      begin(connection);
    },
  };
}
