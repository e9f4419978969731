// Bounds of accounts, profiles and invitations, each with its reason.

/** Code points of a full name. */
export const FULL_NAME_LENGTH_MIN = 2;
export const FULL_NAME_LENGTH_MAX = 100;
/** RFC 5321 bounds a mail address at 254 octets. */
export const EMAIL_LENGTH_MAX = 254;
/**
 * Ids that `GET /users` looks up one by one; for more, reading all accounts is no more expensive.
 */
export const USERS_LOOKED_UP_MAX = 500;
/** Navigation views of one account: each is in every snapshot of its owner. */
export const NAVIGATION_VIEWS_PER_USER_MAX = 100;
/**
 * Characters of the hash of a URL that names a channel and a topic, each letter of them as nine
 * characters, with a margin.
 */
export const NAVIGATION_FRAGMENT_LENGTH_MAX = 600;
export const NAVIGATION_NAME_LENGTH_MAX = 100;
/** Pending invitations of one realm: all are read to list them. */
export const INVITATIONS_PER_REALM_MAX = 5_000;
/**
 * People invited by mail in one request, characters of that request, and invitations a day of the
 * whole organization.
 */
export const INVITEES_PER_REQUEST_MAX = 100;
export const INVITEES_LENGTH_MAX = 40_000;
export const INVITATIONS_PER_DAY_MAX = 1_000;
/**
 * Unanswered mails of one reusable link: everybody who has the link can ask for them, and name any
 * address.
 */
export const PROOFS_PER_LINK_MAX = 100;
/** Minutes that an invitation lasts at most: ten years; null stands for no end. */
export const INVITATION_MINUTES_MAX = 5_256_000;
/**
 * Minutes that an invitation lasts: ten days (specification, "Limits"), unless the operator says
 * otherwise.
 */
export const INVITATION_MINUTES = 14_400;
/** Channels and groups of one invitation: all are joined in one transaction. */
export const CHANNELS_PER_INVITATION_MAX = 200;
export const GROUPS_PER_INVITATION_MAX = 200;
/** Characters of an alert word (reference/endpoints.md section 3). */
export const ALERT_WORD_LENGTH_MAX = 100;
/**
 * Alert words of one user: all are in every event about them, and every message is searched for the
 * words of all users.
 */
export const ALERT_WORDS_PER_USER_MAX = 500;
/** Code points of a status (specification, "Limits"). */
export const STATUS_TEXT_LENGTH_MAX = 60;
/**
 * Confirmations of a new mail address that one user may ask for (reference/endpoints.md section 3).
 */
export const EMAIL_CHANGES_PER_HOUR_MAX = 2;
export const EMAIL_CHANGES_PER_DAY_MAX = 5;
/**
 * How long such a link can be used: a day, for which its row is kept, so that requests can be
 * counted.
 */
export const EMAIL_CHANGE_LIFE_MS = 86_400_000;
/** How long a link for setting a password can be used. */
export const PASSWORD_LINK_LIFE_MS = 86_400_000;
/** Links that an account may have at a time before no further one is mailed: those work still. */
export const PASSWORD_LINKS_MAX = 5;
/** Links that one address may ask for in `PASSWORD_RESETS_MS` before 429, of all accounts. */
export const PASSWORD_RESETS_MAX = 10;
export const PASSWORD_RESETS_MS = 1_800_000;
/** Addresses whose requests for links are counted. */
export const PASSWORD_RESET_ADDRESSES_MAX = 100_000;
/**
 * Custom fields of profiles of one organization: all are in every snapshot, with a value for each
 * account.
 */
export const PROFILE_FIELDS_MAX = 50;
/**
 * Custom fields that clients show beside a name (reference/endpoints.md 2.7), and characters of a
 * field's name and hint.
 */
export const PROFILE_SUMMARY_FIELDS_MAX = 2;
export const PROFILE_FIELD_NAME_LENGTH_MAX = 40;
export const PROFILE_FIELD_HINT_LENGTH_MAX = 80;
/** Options of one field, and characters of one of them. */
export const PROFILE_OPTIONS_MAX = 200;
export const PROFILE_OPTION_LENGTH_MAX = 100;
/** Code points of a value: of a short text, a long one, and a URL as browsers take it. */
export const PROFILE_SHORT_TEXT_LENGTH_MAX = 50;
export const PROFILE_LONG_TEXT_LENGTH_MAX = 500;
export const PROFILE_URL_LENGTH_MAX = 2_000;
/** People that one profile names in one field. */
export const PROFILE_USERS_MAX = 100;
/** Users that one user mutes: each event about it lists them all. */
export const MUTED_USERS_PER_USER_MAX = 1_000;
/**
 * Characters of the comment that a user is sent when their account is deactivated
 * (reference/endpoints.md 2.2).
 */
export const DEACTIVATION_COMMENT_LENGTH_MAX = 2_000;

/** Resources of one answer of SCIM, as its configuration says. */
export const SCIM_PAGE_MAX = 200;
/** Bytes of a request of SCIM: a group of ten thousand members has half of it. */
export const SCIM_BODY_BYTES_MAX = 1024 * 1024;
/** Operations of one PATCH; directories send some dozens. */
export const SCIM_OPERATIONS_MAX = 100;
/** Comparisons of filters in one PATCH, which all run in one transaction. */
export const SCIM_COMPARISONS_MAX = 50_000;
export const EXTERNAL_ID_LENGTH_MAX = 500;
/** The names and addresses that a directory has of one account (JSON): some dozen addresses. */
export const SCIM_ATTRIBUTES_LENGTH_MAX = 8_000;
/** Operations of one bulk request, which run one after the other, each in a commit of its own. */
export const SCIM_BULK_OPERATIONS_MAX = 200;
/** Rows that a list reads before others have their turn. */
export const SCIM_ROWS_PER_TURN = 200;
