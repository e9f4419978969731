// Bounds of second steps of log-ins, each with its reason.

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
