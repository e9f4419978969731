// Bounds of messages, each with its reason.

/** Code points of a message; longer ones are refused (docs/decisions/0018). */
export const MESSAGE_LENGTH_MAX = 10_000;
/**
 * Characters of the changes that a message lists, and that its history lists, newest first; up to
 * this many are never deleted. The history begins with the message as it was sent in any case.
 */
export const EDITS_IN_MESSAGE_LENGTH_MAX = 256 * 1024;
export const EDITS_IN_HISTORY_LENGTH_MAX = 1024 * 1024;
/** Messages in one fetch or flag range (reference/endpoints.md section 3). */
export const MESSAGES_PER_FETCH_MAX = 5_000;
/**
 * Bytes of the messages of one answer, estimated while it is made; beyond, it ends early, with the
 * messages next to the anchor. 5,000 messages of 400 letters fit; long ones cost the thread some 20
 * ms to encode (docs/decisions/0116).
 */
export const FETCHED_BYTES_MAX = 4 * 1024 * 1024;
/**
 * Bytes that a message takes in an answer besides its texts and lists: its fields, names and flags.
 */
export const FETCHED_MESSAGE_BYTES = 450;
/**
 * Bytes of messages, as written and as rendered, that are read for one answer; beyond, it ends
 * early as well. A message whose text is searched counts `SEARCHED_COST` times: it is folded, taken
 * apart and marked.
 */
export const FETCHED_READ_BYTES_MAX = 4 * 1024 * 1024;
export const SEARCHED_COST = 4;
/**
 * Bytes read for one answer as long as nothing is found; beyond, the request is refused. It takes a
 * few tenths of a second.
 */
export const MISSED_READ_BYTES_MAX = 16 * FETCHED_READ_BYTES_MAX;
/** Found places that are marked in one message; each adds 31 characters. */
export const SEARCH_MARKS_MAX = 200;
/**
 * Characters of a rendered message in which found places are marked; messages that people write
 * have fewer.
 */
export const SEARCH_MARKED_LENGTH_MAX = 60_000;
/** Unread messages that the register snapshot lists. */
export const UNREAD_MESSAGES_MAX = 50_000;
export const STARRED_MESSAGES_MAX = 10_000;
/** Direct messages that `recent_private_conversations` looks back over. */
export const RECENT_DIRECT_MESSAGES_MAX = 1_000;
/**
 * Wildcards need no permission up to this many subscribers or participants (reference/endpoints.md
 * 1.1).
 */
export const WILDCARD_FREE_SUBSCRIBERS_MAX = 15;
export const WILDCARD_FREE_PARTICIPANTS_MAX = 15;
/** In larger channels typing notifications are not sent (reference/events-and-register.md 4.1). */
export const TYPING_SUBSCRIBERS_MAX = 100;
/** People of one direct conversation: each is a row, and the list is in every message. */
export const DIRECT_RECIPIENTS_MAX = 1_000;
/**
 * Submessages attached to one message, and characters of each: all of them are in the message
 * whenever it is fetched.
 */
export const SUBMESSAGES_PER_MESSAGE_MAX = 2_000;
export const SUBMESSAGE_LENGTH_MAX = 1_000;
/** Characters of all submessages of one message: a vote has some sixty. */
export const SUBMESSAGES_LENGTH_MAX = 250_000;
/**
 * Different emoji that one message has as reactions: all of them are in the message, with everybody
 * who used them.
 */
export const EMOJI_PER_MESSAGE_MAX = 100;
/**
 * Messages deleted in one commit: some 100 microseconds each, during which no other request is
 * served.
 */
export const MESSAGES_PER_DELETION = 200;
/**
 * Messages that expire in one commit: no client waits for it, so it takes less of a send's time.
 */
export const MESSAGES_EXPIRED_PER_STEP = 20;
/** Messages that one step reads to find direct ones: some five microseconds each. */
export const MESSAGES_LOOKED_AT_PER_STEP = 500;
/**
 * Milliseconds that one `delete_topic` takes; the client repeats it for the rest
 * (reference/endpoints.md 1.10).
 */
export const DELETION_MS_MAX = 50_000;
/**
 * From this size on, the set of users that a group mention reached is stored once for all its
 * messages: for smaller sets, rows of their own are as few.
 */
export const MENTION_SET_SIZE_MIN = 3;
/**
 * Messages that were marked unread one by one are marked read in steps of this size: some ten
 * milliseconds, during which other requests wait.
 */
export const MESSAGES_PER_MARKING = 400;
/** "50 s budget" (reference/endpoints.md 2.1: mark_all_as_read); beyond, the client asks again. */
export const MARKING_MS_MAX = 50_000;
/** "Clients should limit to 1000 characters" (specification, "Limits"). */
export const REPORT_DESCRIPTION_LENGTH_MAX = 1_000;
/**
 * A client may have begun an edit or a move just before its time was up (reference/endpoints.md
 * 1.3).
 */
export const EDIT_GRACE_SECONDS = 20;
/**
 * Messages moved in one commit: some 60 microseconds each, during which no other request is served.
 */
export const MESSAGES_PER_MOVE = 500;
/** Messages looked at in one commit before a move begins: a few microseconds each. */
export const MESSAGES_PER_SURVEY = 5_000;
/** Moves of one message between channels: each is remembered with the message. */
export const CHANNEL_MOVES_PER_MESSAGE_MAX = 100;
/**
 * A topic resolved and unresolved again within this time leaves no notice (reference/endpoints.md
 * 1.3).
 */
export const RESOLVED_NOTICE_TAKEN_BACK_SECONDS = 60;
/**
 * Subscribers up to which an `update_message` event says who has read the message; for more it has
 * only the other flags.
 */
export const UPDATE_FLAGS_SUBSCRIBERS_MAX = 1_000;
