// Bounds of credentials and sessions, each with its reason.

/** Characters of a password. */
export const PASSWORD_LENGTH_MIN = 6;
export const PASSWORD_LENGTH_MAX = 100;
/** API keys of one user; beyond, the oldest one from a password login is removed. */
export const API_KEYS_PER_USER_MAX = 20;
/**
 * Wrong passwords for one account from one address in `LOGIN_FAILURES_MS` before 429
 * (reference/endpoints.md section 3).
 */
export const LOGIN_FAILURES_MAX = 5;
export const LOGIN_FAILURES_MS = 1_800_000;
/**
 * Sessions of browsers of one user: more than a person has browsers. The one that began first makes
 * room for the next.
 */
export const SESSIONS_PER_USER_MAX = 20;
/** A session that was not used for so long has ended. */
export const SESSION_IDLE_MS = 30 * 86_400_000;
/**
 * A session ends so long after the log-in, however often it is used. Browsers keep no cookie for
 * longer than 400 days.
 */
export const SESSION_LIFE_MS = 365 * 86_400_000;
/** How long after a log-in it says who the person of an account without a password is. */
export const RECENT_LOG_IN_MS = 600_000;
/** Rows of sessions that one step of the sweep looks at. */
export const SESSIONS_PER_STEP = 100;
/** How long a sign-in by a provider may take, from the log-in page and back. */
export const SIGN_IN_MS_MAX = 600_000;
/** A provider that is silent for longer is not reached; a person does not wait longer either. */
export const PROVIDER_MS_MAX = 8_000;
/** Documents of providers have some kilobytes; keys and groups may make them longer. */
export const PROVIDER_ANSWER_BYTES_MAX = 262_144;
/** Exchanges with providers at the same time: each holds a connection and some memory. */
export const PROVIDER_REQUESTS_MAX = 100;
/** Providers change their addresses hardly ever; their keys are read for each log-in. */
export const PROVIDER_KNOWN_MS = 600_000;
/**
 * Characters of an ID token that goes back to its provider at a log-out, in an address: many
 * servers take no longer ones.
 */
export const ID_TOKEN_HINT_LENGTH_MAX = 6_000;
/** Characters of a token that logs somebody out: it has no groups and no names. */
export const LOGOUT_TOKEN_LENGTH_MAX = 8_192;
/** How old such a token may be: it is sent at once. */
export const LOGOUT_TOKEN_MS_MAX = 300_000;
/** Keys of a provider are read again for a token of a key that is not known, but not more often. */
export const PROVIDER_KEYS_READ_MS = 5_000;
/** Such tokens that wait for keys: each is held, and anybody can send one. */
export const LOGOUT_TOKENS_WAITING_MAX = 100;
/** How often the last use of keys is written; a kill loses no more than that. */
export const KEY_USES_WRITTEN_MS = 3_600_000;
/** Rows of last uses that one commit writes. */
export const KEY_USES_PER_STEP = 500;
/** Parsed Authorization headers held in memory. */
export const CREDENTIALS_CACHED_MAX = 20_000;
/**
 * Accounts and addresses whose failed logins are remembered; beyond, those that failed longest ago
 * are forgotten.
 */
export const LOGIN_NAMES_MAX = 100_000;
/**
 * Passwords hashed at the same time, each by a core for tens of milliseconds; fewer where there are
 * few cores.
 */
export const HASHES_AT_ONCE_MAX = 2;
/**
 * Passwords that wait to be hashed for one address, for one person who is logged in, or for all who
 * join.
 */
export const HASHES_WAITING_PER_ORIGIN_MAX = 50;
/**
 * Passwords that wait to be hashed in all; they wait for a minute at most, and weigh some hundred
 * bytes each.
 */
export const HASHES_WAITING_MAX = 1_000;
/**
 * People joining whose passwords wait to be hashed, which takes a core tens of milliseconds and 19
 * MiB each.
 */
export const JOINS_WAITING_MAX = 50;
/**
 * Wrong codes since the last right one before the password is locked. Three codes of a million are
 * right at a time, so that all of them together hit with a chance of 0.006 %.
 */
export const CODE_FAILURES_MAX = 20;
/**
 * Wrong codes within a year before it is locked, however often the person logs in meanwhile: a
 * guesser hits with a chance of 0.3 %, and of 0.6 % where two such years meet.
 */
export const CODE_FAILURES_A_YEAR_MAX = 1_000;
/** Wrong codes without a wait; after them it begins with `CODE_WAIT_MS`, and doubles. */
export const CODE_FREE_FAILURES = 3;
export const CODE_WAIT_MS = 5_000;
export const CODE_WAIT_MAX_MS = 3_600_000;
/** Recovery codes that are made at a time. */
export const RECOVERY_CODES = 10;
/** Passkeys of one account: more than a person has devices; the settings list all of them. */
export const PASSKEYS_PER_USER_MAX = 20;
export const PASSKEY_NAME_LENGTH_MAX = 60;
/** Characters of what a browser sends of a passkey: keys and ids weigh less than 2 KB each. */
export const PASSKEY_RESPONSE_LENGTH_MAX = 16_384;
/** How long a challenge can be answered. */
export const CHALLENGE_LIFE_MS = 300_000;
/** Expired challenges that one log-in removes. */
export const CHALLENGES_PER_STEP = 100;
/** Characters of a code as it is typed, with spaces in it. */
export const SECOND_STEP_CODE_LENGTH_MAX = 40;
/** Log-ins that ask directories at the same time: each holds a connection and some memory. */
export const DIRECTORY_LOG_INS_MAX = 50;
/** An entry has some hundred bytes; some thousand groups of a person make it longer. */
export const DIRECTORY_ANSWER_BYTES_MAX = 1_048_576;
/** Entries of a page of a sync (RFC 2696): a few milliseconds of the thread. */
export const DIRECTORY_PAGE = 200;
/** One page of a sync has no more bytes. */
export const DIRECTORY_PAGE_BYTES_MAX = 8_388_608;
/** More people are in no directory of this kind of organization; a sync refuses more. */
export const DIRECTORY_PEOPLE_MAX = 200_000;
/** A sync that takes longer has a directory that does not answer well. */
export const DIRECTORY_SYNC_MS_MAX = 600_000;
/** Accounts that a sync changes in one commit: a few milliseconds of the realm's time. */
export const DIRECTORY_PEOPLE_PER_COMMIT = 50;
