// Bounds of what operators see, each with its reason.

/** Code points of an unknown command that its refusal repeats: enough to see what was mistyped. */
export const COMMAND_NAME_LENGTH_MAX = 40;
/** The first realms that have metrics of their own, if the operator wants any. */
export const METRICS_REALMS_MAX = 50;
/** Inspection events that are kept while somebody inspects the actors, some 200 bytes each. */
export const INSPECTED_EVENTS_MAX = 2_000;
/** The console has a sample a second of the last quarter of an hour: 230 KB. */
export const SAMPLE_MS = 1_000;
export const SAMPLES_KEPT = 900;
/** The newest records of the log that the console has, and how many characters they may have. */
export const LOG_RECORDS_KEPT = 1_000;
export const LOG_CHARACTERS_KEPT = 2 * 1024 * 1024;
/** A one-time address of the console is opened soon after it was printed. */
export const CONSOLE_TOKEN_MS = 5 * 60_000;
export const CONSOLE_TOKENS_MAX = 16;
/** A session of the console ends when nothing was asked in it for so long. */
export const CONSOLE_SESSION_MS = 12 * 60 * 60_000;
export const CONSOLE_SESSIONS_MAX = 32;
/** Wrong tokens of the operator in a minute. */
export const CONSOLE_LOGINS_PER_MINUTE = 10;
/** Open pages of the console, and what one of them may leave unread. */
export const CONSOLE_STREAMS_MAX = 16;
export const CONSOLE_STREAM_BYTES_MAX = 4 * 1024 * 1024;
export const CONSOLE_BODY_BYTES_MAX = 64 * 1024;
/** Rows that a table of the console shows, and actors of each kind of a realm. */
export const CONSOLE_ROWS_MAX = 200;
export const CONSOLE_ACTORS_MAX = 100;
/** Waiting polls that the console counts by program: their rows are read, some 2 µs each. */
export const CONSOLE_POLLS_MAX = 2_000;
export const CONSOLE_REALMS_MAX = 50;
/** Acts of the audit log that the console shows at once. */
export const CONSOLE_AUDIT_ENTRIES = 100;
/** A request of the command line; the largest are accounts that are imported from a file. */
export const CONTROL_REQUEST_BYTES_MAX = 256 * 1024 * 1024;
