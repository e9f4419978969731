/**
 * Milliseconds of a turn of the event loop that beginning connections may take: other work waits so
 * long, a send twice, before its commit and after it.
 */
const BEGINNING_MS = 15;

/** Begins connections that come, some of them at once and the others later. */
export interface ConnectionThrottle<Connection> {
  add(connection: Connection): void;
}

/**
 * Begins connections in the order of arrival: the first of a turn at once, the others for a part of
 * each turn. After a restart ten thousand clients come back at once; to begin all of them as they
 * come would block other work for seconds.
 */
export function openConnectionThrottle<Connection>(
  begin: (connection: Connection) => void,
): ConnectionThrottle<Connection> {
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
