/** What a turn of the event loop has for them: everybody else waits so long, a send twice, before its commit and after it. */
const BEGINNING_MS = 15;

/** Connections that begin, some of them only when it is their turn. */
export interface Arrivals<Connection> {
  add(connection: Connection): void;
}

/**
 * Begins connections in the order they came: the first of a turn at once, the others for a part of each turn. Ten thousand
 * clients come back at once after a restart; all of them begun as they come would keep everybody else waiting for seconds.
 */
export function openArrivals<Connection>(
  begin: (connection: Connection) => void,
): Arrivals<Connection> {
  let waiting: Connection[] = [];
  let next = 0;
  let isPlanned = false;

  function plan() {
    isPlanned = true;
    setImmediate(beginSome);
  }

  function beginSome() {
    isPlanned = false;
    const endMs = performance.now() + BEGINNING_MS;
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
