// Bounds of event queues and the log that they read, each with its reason.

/** Idle life of an event queue unless asked otherwise (specification, "Limits"). */
export const QUEUE_IDLE_SECONDS = 600;
/** The longest idle life a client may ask for: 7 days. */
export const QUEUE_IDLE_SECONDS_MAX = 604_800;
/** A poll or socket hears a heartbeat this long after its last event or connect. */
export const HEARTBEAT_MS = 45_000;
/** Log rows that one catch-up step reads before other work runs. */
export const CATCH_UP_ROWS_PER_STEP = 500;
/**
 * About as many characters of events: a frame, or an answer to a poll, is held until it is sent.
 */
export const CATCH_UP_CONTENT_PER_STEP = 512 * 1024;
/** The log keeps at least this much time, even if no queue needs it. */
export const LOG_KEPT_MS_MIN = 600_000;
/**
 * Bytes of event rows of a realm; beyond, the oldest rows are removed and the queues that still
 * needed them expire.
 */
export const LOG_BYTES_MAX = 4 * 1024 * 1024 * 1024;
/**
 * Rows removed in one step, beside as many as were logged since the step before: bulk deletes are
 * slow in LMDB, some ten µs a row, and sends wait for a step.
 */
export const LOG_ROWS_PER_TRIM = 200;
/**
 * Announced events held in memory, shared by all queues, so that a fresh catch-up reads no disk.
 */
export const RECENT_EVENTS_MAX = 4_096;
export const RECENT_EVENT_BYTES_MAX = 16 * 1024 * 1024;
/** Event types that a queue names; there are fewer than 70. */
export const EVENT_TYPES_MAX = 500;
/**
 * Characters of the name of an event type, or of an operand of a queue's narrow. They are kept as
 * long as the queue lives.
 */
export const QUEUE_WORD_LENGTH_MAX = 255;
