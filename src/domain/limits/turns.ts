// Bounds of the rate of requests, and their turns on the one thread, each with its reason.

/**
 * Requests a minute if the operator sets no limit. A bucket holds a minute's worth, so a bot may do
 * at once what it does in a minute; people need far fewer. For one account these are a hundred
 * requests a second, fifty messages, twenty pages of history or searches, five files, one request
 * that sends mails.
 */
export const REQUESTS_PER_MINUTE = 6_000;
export const SENDS_PER_MINUTE = 3_000;
export const SEARCHES_PER_MINUTE = 1_200;
export const UPLOADS_PER_MINUTE = 300;
export const MAILS_PER_MINUTE = 60;
/**
 * Log-ins a minute from one address: as many as an office has people who log in at nine. To check a
 * password costs a core tens of milliseconds.
 */
export const LOGINS_PER_MINUTE = 60;
/** Requests a minute from one address without valid credentials. */
export const ANONYMOUS_REQUESTS_PER_MINUTE = 1_200;
/**
 * The highest limit that an operator may set: sums stay exact for three months, and are wrong by
 * less than a request for centuries.
 */
export const REQUESTS_PER_MINUTE_MAX = 1_000_000;
/**
 * Accounts, and addresses, whose requests are counted at once; each takes some 100 bytes, in two
 * generations.
 */
export const RATED_NAMES_MAX = 100_000;
/**
 * Milliseconds for which requests hold the thread before other work runs: commits, deliveries, and
 * requests of other accounts that have arrived meanwhile.
 */
export const TURN_MS_MAX = 6;
/**
 * Length of the window in milliseconds within which requests hold the thread for `TURN_MS_MAX`
 * before they wait for each other.
 */
export const TURN_WINDOW_MS = 12;
/** Requests of one account that wait for their turn; each holds its parameters. */
export const TURNS_OF_ACCOUNT_MAX = 1_000;
/** Operations that may wait for one commit; beyond, the server says it is busy. */
export const OPERATIONS_WAITING_MAX = 50_000;
/** Operations of one account among the waiting ones. */
export const OPERATIONS_OF_ACCOUNT_MAX = 10_000;
/** Operations of one commit: what they did is held in memory until it is on disk. */
export const OPERATIONS_PER_COMMIT_MAX = 4_096;
/**
 * Milliseconds after which a commit takes no further operation, because no other request is served
 * meanwhile. A send takes some 60 microseconds, so a commit holds more than a hundred.
 */
export const COMMIT_MS_MAX = 8;
/**
 * Milliseconds after which a commit takes no further operation of long work, which others have
 * turns in between: an operation of an account waits for less, as it ends the commit.
 */
export const TURNS_PER_COMMIT_MS_MAX = 100;
/**
 * Milliseconds that work which nobody waits for (`BackgroundTurns`) waits at most while commits of
 * others are under way and it rests, and that it rests at most. Where there is always a commit, a
 * piece of it comes this often.
 */
export const BACKGROUND_WAIT_MS_MAX = 6;
export const BACKGROUND_REST_MS_MAX = 4;
/** Milliseconds that a clean stop takes as a whole. */
export const STOP_MS_MAX = 5_000;
/** A balancer asks every few seconds, and has to hear that a server stops before it does. */
export const DRAIN_MS_MAX = 600_000;
/** Processes that serve clients: more than a machine's cores gain nothing. */
export const GATEWAYS_MAX = 15;
