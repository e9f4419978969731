// Bounds of scheduled messages, drafts, snippets and reminders, each with its reason.

/** Messages that a user has scheduled: all are in every snapshot of theirs. */
export const SCHEDULED_MESSAGES_PER_USER_MAX = 1_000;
/** Scheduled messages that one step sends: each is an operation of its own. */
export const SCHEDULED_MESSAGES_PER_STEP = 100;
/**
 * A scheduled message that is later than this is not sent: it may be out of place by then
 * (reference/endpoints.md 1.2).
 */
export const SCHEDULED_LATE_MS_MAX = 600_000;
/**
 * Drafts of one user: all are in every snapshot of theirs (reference/events-and-register.md 5.6).
 */
export const DRAFTS_PER_USER_MAX = 1_000;
/** Drafts that one request stores, each as long as a message may be: all are in one event. */
export const DRAFTS_PER_REQUEST_MAX = 100;
/**
 * Saved snippets of one user, each as long as a message may be: all are in every snapshot of
 * theirs.
 */
export const SAVED_SNIPPETS_PER_USER_MAX = 500;
/** Code points of the note of a reminder (reference/events-and-register.md 5.2 suggests it). */
export const REMINDER_NOTE_LENGTH_MAX = 1_000;
/** Reminders of one user that are still to come: all are in every snapshot of theirs. */
export const REMINDERS_PER_USER_MAX = 1_000;
/** Reminders that one step sends: each is an operation of its own. */
export const REMINDERS_PER_STEP = 100;
/** Code points of the title of a snippet (reference/endpoints.md 2.5). */
export const SAVED_SNIPPET_TITLE_LENGTH_MAX = 60;
/**
 * Characters of all drafts of one user, of all snippets, and of all scheduled messages with their
 * HTML: each kind is in one list, and in every snapshot of theirs. More than a hundred texts of the
 * greatest length fit.
 */
export const PERSONAL_TEXTS_LENGTH_MAX = 2_000_000;
