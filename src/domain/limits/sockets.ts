// Bounds of sockets, each with its reason.

/** A frame from a client: a message of 10,000 four-byte code points as JSON escapes fits. */
export const SOCKET_FRAME_BYTES_MAX = 1024 * 1024;
/** Requests of one socket that are worked on at once; the next ones wait. */
export const SOCKET_REQUESTS_UNDER_WAY_MAX = 64;
/**
 * Requests of one socket that are unanswered; the next one is refused until one of them is
 * answered.
 */
export const SOCKET_REQUESTS_MAX = 1_000;
/** Bytes of the frames of the requests that wait on one socket. */
export const SOCKET_REQUEST_BYTES_WAITING_MAX = 4 * 1024 * 1024;
/** Bytes a socket may leave unread before it is no longer fed and continues from the log. */
export const SOCKET_BACKPRESSURE_BYTES_MAX = 64 * 1024;
/** A socket that drained nothing for so long is closed with 4008. */
export const SOCKET_STALLED_MS_MAX = 60_000;
