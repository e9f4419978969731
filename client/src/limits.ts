/** Durations of the connection, in milliseconds. */
export interface Timing {
  /**
   * A socket that has not opened within this time is given up, and the queue is polled, while
   * another one is tried beside the polls: some proxies take an upgrade and never answer it.
   */
  readonly hangMs: number;
  /**
   * A socket that is tried beside polls, and the first one after it, have to open and to greet
   * within this time: a TLS handshake on a poor network.
   */
  readonly connectMs: number;
  /**
   * A connection without any frame for this long is asked for a sign of life: the server sends a
   * heartbeat after 45 to 50 seconds.
   */
  readonly silenceMs: number;
  /** The same while an answer is awaited: nearly all answers take less than a second. */
  readonly answerMs: number;
  /** A connection that was asked for a sign of life is given up after this time. */
  readonly pongMs: number;
  /** A parked poll is given up after this time; the server answers within 50 seconds. */
  readonly pollMs: number;
  /** One HTTP request may take this long: a search on a busy server, or a large file. */
  readonly requestMs: number;
  /** The first pause before a new attempt is at most this long. It doubles with each failure. */
  readonly retryMs: number;
  /** No pause is longer: a server that is back is noticed within half a minute. */
  readonly retryMaxMs: number;
  /**
   * While it polls, the client tries whether a socket opens after this time; it doubles, too, and
   * begins short again with each sign that the network is another one.
   */
  readonly probeMs: number;
  readonly probeMaxMs: number;
  /** The news of a connection that is back are shown for this long before `live`. */
  readonly newsMs: number;
  /** Events are acknowledged at most this long after the application has taken them. */
  readonly ackMs: number;
}

export const TIMING: Timing = {
  hangMs: 3_500,
  connectMs: 10_000,
  silenceMs: 55_000,
  answerMs: 10_000,
  pongMs: 10_000,
  pollMs: 70_000,
  requestMs: 60_000,
  retryMs: 500,
  retryMaxMs: 30_000,
  probeMs: 15_000,
  probeMaxMs: 300_000,
  newsMs: 2_000,
  ackMs: 1_000,
};

/** A connection that lasted this long was a good one: the pauses begin short again. */
export const STEADY_MS = 5_000;
/** Requests that wait for their answers on one socket; the server works on 64 at once. */
export const SOCKET_REQUESTS_MAX = 64;
/** HTTP requests at once: browsers make six to one host, and a parked poll is one of them. */
export const HTTP_REQUESTS_MAX = 5;
/** Calls that wait for their turn; the next one is refused. */
export const CALLS_WAITING_MAX = 10_000;
/** Characters of a frame; the server takes 1 MiB, and a character may be three bytes. */
export const FRAME_LENGTH_MAX = 300_000;
/** A call waits this long, all in all, for a busy or absent server. */
export const PATIENCE_MS = 60_000;
/** Events that an iterator holds for a slow consumer before the connection is paused. */
export const ITERATOR_EVENTS_MAX = 10_000;
/** Unacknowledged events after which the acknowledgement does not wait. */
export const UNACKNOWLEDGED_MAX = 500;

/** Entries that an outbox holds; nobody writes more while there is no network. */
export const OUTBOX_ENTRIES_MAX = 1_000;
/** Characters of all entries together, as JSON. */
export const OUTBOX_LENGTH_MAX = 8_000_000;
/**
 * An entry of this age is no longer sent by itself: the server knows its key for 24 hours, and an
 * hour of those is left for clocks that differ and a request that takes long.
 */
export const OUTBOX_AGE_MS_MAX = 23 * 3_600_000;
/** Conversations that are sent to at once. */
export const CONVERSATIONS_AT_ONCE = 4;
/** A send that the server fails to carry out this often, with a bug of its own, is given up. */
export const SERVER_FAULTS_MAX = 5;
