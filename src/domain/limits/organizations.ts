// Bounds of organizations and their audit logs, each with its reason.

/** Characters of a welcome message (specification, "Limits"). */
export const WELCOME_TEXT_LENGTH_MAX = 8_000;
/**
 * Code points of the name of an organization and of its description (reference/endpoints.md 2.7).
 */
export const REALM_NAME_LENGTH_MAX = 40;
export const REALM_DESCRIPTION_LENGTH_MAX = 1_000;
/** Characters of the URL of a server for video calls, or of an image of the organization. */
export const REALM_URL_LENGTH_MAX = 200;
/**
 * Seconds within which messages may be edited, moved or deleted: 68 years, which is what 32 bits
 * hold.
 */
export const TIME_LIMIT_SECONDS_MAX = 2_147_483_647;
/** Days of a waiting period or of retention: some hundred years. */
export const DAYS_MAX = 36_500;
/** Mail domains of one organization: all are in every snapshot. */
export const REALM_DOMAINS_MAX = 500;
/**
 * Code playgrounds of one organization: all are in every snapshot, and in the event of each change.
 */
export const PLAYGROUNDS_PER_REALM_MAX = 100;
/**
 * Code points of the name of a playground, and of its language; languages in use have fewer than
 * 40.
 */
export const PLAYGROUND_NAME_LENGTH_MAX = 60;
export const PLAYGROUND_LANGUAGE_LENGTH_MAX = 40;
/** Characters of the name of a custom emoji. */
export const EMOJI_NAME_LENGTH_MAX = 100;
/**
 * Custom emoji that an organization ever had: all are in every snapshot and in the event of each
 * change.
 */
export const CUSTOM_EMOJI_MAX = 3_000;
/**
 * Days for which a deactivated organization is kept at least, if a deletion is scheduled
 * (`server_min_deactivated_realm_deletion_days`).
 */
export const DELETION_DELAY_DAYS_MIN = 14;
/**
 * Former names by which a renamed organization is still found: no other organization may take them,
 * so none may collect many.
 */
export const FORMER_NAMES_MAX = 10;
/** Characters of a text in the audit log: it tells what was changed, and is no copy of it. */
export const AUDIT_TEXT_LENGTH_MAX = 200;
/** Ids of a list in the audit log, such as the members who were added at once. */
export const AUDIT_LIST_LENGTH_MAX = 100;
/** Characters of all values before an act, and as many after it: those of a usual act are few. */
export const AUDIT_VALUES_LENGTH_MAX = 4_096;
/** Acts in one answer: half a megabyte, if they are long. */
export const AUDIT_ENTRIES_PER_PAGE_MAX = 1_000;
/** Rows that one page looks at for those that are wanted: some 10 ms. */
export const AUDIT_ROWS_LOOKED_AT_MAX = 2_000;
/** Rows whose time is over that one commit removes. */
export const AUDIT_ROWS_PER_STEP = 500;
/** Lines of `confab audit`: its answer is one JSON text of a few megabytes. */
export const AUDIT_LINES_MAX = 10_000;
