/** Every bound on what comes in or is held, each with its reason. */

// Requests and sockets

/** Characters of the name of a client program, which is stored with each message. */
export const CLIENT_NAME_LENGTH_MAX = 30;
/** A request body that brings a file (reference/endpoints.md section 3: 25 MiB). */
export const BODY_BYTES_MAX = 25 * 1024 * 1024;
/**
 * A body without a file: a hundred thousand ids in one parameter, with every comma percent-encoded.
 */
export const FORM_BODY_BYTES_MAX = 1024 * 1024;
/** A body from somebody who has not said who they are: an address, a password and the like. */
export const ANONYMOUS_BODY_BYTES_MAX = 64 * 1024;
/**
 * Bodies up to this length are read before credentials are judged: it costs less than to judge them
 * twice.
 */
export const SMALL_BODY_BYTES_MAX = 16 * 1024;
/** One field of a multipart body that is not a file. */
export const FORM_FIELD_BYTES_MAX = 1024 * 1024;
/** Host names that clients call realms by. */
export const HOSTS_CACHED_MAX = 1_000;
/** A host name has at most 253 characters (RFC 1035), and a port five. */
export const HOST_LENGTH_MAX = 260;

/** Bytes of request line and headers together, which uWebSockets.js is told to accept. */
export const HEAD_BYTES_MAX = 64 * 1024;
/** Parameters of one request; the largest documented endpoint takes fewer than 90. */
export const PARAMETERS_MAX = 500;
/**
 * Values in the JSON of one parameter: as many people as one request may name, and then some. Each
 * is looked at more than once, and millions of them fit into a body.
 */
export const JSON_VALUES_MAX = 200_000;

/** Names in one object of such JSON: those of what a bot stores are the most that anybody sends. */
export const JSON_KEYS_MAX = 10_000;
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
/**
 * Bytes of an answer that are handed to the library at once. What is longer goes in pieces of this
 * length, as its reader takes them: the library copies what it is handed and the kernel does not
 * take.
 */
export const ANSWER_PIECE_BYTES = 128 * 1024;
/**
 * A client that takes nothing of an answer or a file for this long is cut off: as long as a socket
 * may stall.
 */
export const ANSWER_STALLED_MS_MAX = 60_000;
/**
 * Bytes of answers that wait for one account, or one address without an account, to take them:
 * eight large pages. Beyond, the answer that waited longest is cut off. A single answer may be
 * larger: snapshots of large organizations are.
 */
export const UNTAKEN_BYTES_PER_READER_MAX = 32 * 1024 * 1024;
/** Bytes of answers that wait for all readers together: what a small server has room for. */
export const UNTAKEN_BYTES_MAX = 256 * 1024 * 1024;
/**
 * Bytes from which an answer is compressed for clients that ask for it: fewer fit into a packet as
 * they are.
 */
export const COMPRESSED_BYTES_MIN = 1024;
/**
 * Bytes of an answer that is compressed on the thread of requests, which takes up to 90 µs. To hand
 * more to another thread and take it back costs that one 70 µs.
 */
export const COMPRESSED_AT_ONCE_BYTES_MAX = 16 * 1024;
/**
 * The same for a request that others may follow in the same packet: the library closes a connection
 * whose next request comes before the answer. It takes a tenth of the time that such an answer is
 * made in, about a millisecond.
 */
export const COMPRESSED_IN_ORDER_BYTES_MAX = 512 * 1024;
/**
 * Answers that are compressed at once on other threads. Node has four of these, which commits,
 * files and passwords need as well.
 */
export const COMPRESSIONS_UNDER_WAY_MAX = 2;
/**
 * Bytes of answers that are compressed or wait for it: about 20 ms of two threads. Beyond, answers
 * are sent as they are.
 */
export const COMPRESSING_BYTES_MAX = 16 * 1024 * 1024;
/** How long a repeated send is answered with the first result. */
export const IDEMPOTENCE_KEPT_MS = 86_400_000;
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255;
export const LOCAL_ID_LENGTH_MAX = 255;
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
/** Code points of an unknown command that its refusal repeats: enough to see what was mistyped. */
export const COMMAND_NAME_LENGTH_MAX = 40;
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
/** Milliseconds that a clean stop takes as a whole. */
export const STOP_MS_MAX = 5_000;
/** A balancer asks every few seconds, and has to hear that a server stops before it does. */
export const DRAIN_MS_MAX = 600_000;
/** Bytes of a form that a person fills in. */
export const PAGE_BODY_BYTES_MAX = 64 * 1024;
/**
 * Bytes of the files of a page of ours in their three forms, which are held in memory: ten times
 * what the web client is meant to have.
 */
export const BUILT_PAGE_BYTES_MAX = 16 * 1024 * 1024;
/** Characters of the rendered pages of the API that are kept: some forty of them. */
export const API_PAGES_LENGTH_MAX = 2_000_000;
/** UNIX seconds of the end of the year 9999: a later time cannot be written as a date. */
export const TIMESTAMP_MAX = 253_402_300_799;

// Credentials

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
/** Rows of sessions that one step of the sweep looks at. */
export const SESSIONS_PER_STEP = 100;
/** The first realms that have metrics of their own, if the operator wants any. */
export const METRICS_REALMS_MAX = 50;
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

// Event queues

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
 * Rows removed in one step: bulk deletes are slow in LMDB, so the log is trimmed in small steps.
 */
export const LOG_ROWS_PER_TRIM = 2_000;
/**
 * Announced events held in memory, shared by all queues, so that a fresh catch-up reads no disk.
 */
export const RECENT_EVENTS_MAX = 4_096;
export const RECENT_EVENT_BYTES_MAX = 16 * 1024 * 1024;
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
/** Event types that a queue names; there are fewer than 70. */
export const EVENT_TYPES_MAX = 500;
/**
 * Characters of the name of an event type, or of an operand of a queue's narrow. They are kept as
 * long as the queue lives.
 */
export const QUEUE_WORD_LENGTH_MAX = 255;

// Messages

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

// Scheduled messages, drafts, snippets and reminders

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

// Markdown and linkifiers

/** Characters of a linkifier's pattern and of its template: both are read for each message. */
export const LINKIFIER_PATTERN_LENGTH_MAX = 1_000;
export const LINKIFIER_TEMPLATE_LENGTH_MAX = 2_000;
/** Steps of a compiled pattern: each character of a message may take as many. */
export const LINKIFIER_PROGRAM_SIZE_MAX = 1_000;
/** Linkifiers of one realm: each is tried on each message. */
export const LINKIFIERS_PER_REALM_MAX = 100;
/**
 * Steps times characters that a message may cost: 0.2 s at worst, and a fraction of it for patterns
 * as people write them.
 */
export const LINKIFIER_WORK_MAX = 20_000_000;
/** Lists of linkifiers held compiled; a realm uses one at a time. */
export const LINKIFIER_SETS_CACHED_MAX = 100;
/** Topics whose links are cached for each list of linkifiers. */
export const TOPICS_LINKED_CACHED_MAX = 1_000;
/**
 * Characters by which the markup of one message may exceed its source: a mention, an emoji, a
 * formula takes up to 200 times what was typed. Elements that do not fit are shown as their source.
 */
export const EXPANDED_HTML_LENGTH_MAX = 200_000;
/** Formulas of a message, and characters of all of them. */
export const FORMULAS_MAX = 200;
export const MATH_LENGTH_MAX = 2_000;
/**
 * The budget for all formulas of a message, in units of about a microsecond (10 ms in all), and the
 * cost of each part: of a formula itself; of a token that is read, also of those that its commands
 * stand for; of a sign; of a group; and of a structure that is built of others, such as a fraction,
 * a root or an index.
 */
export const FORMULA_WORK_MAX = 10_000;
export const FORMULA_WORK = { formula: 40, token: 1, sign: 3, group: 8, structure: 50 } as const;
/**
 * Characters of all highlighted code of a message, and of a line of such code: 0.9 s for a line as
 * long as a message.
 */
export const HIGHLIGHTED_LENGTH_MAX = 4_000;
export const HIGHLIGHTED_LINE_LENGTH_MAX = 400;
/**
 * The sum of the squared lengths of all pieces of code without brackets, quotes and commas: most
 * grammars take quadratic time on such a piece. Code as people write it has a fiftieth; 16,000,000
 * take 30 ms.
 */
export const HIGHLIGHTED_WORK_MAX = 4_000_000;
/** Characters of the name of a language after a fence; those in use have fewer than 30. */
export const CODE_LANGUAGE_LENGTH_MAX = 40;

// Content of other sites in messages

/**
 * Distinct links of a message that get previews; if there are more, none is shown
 * (reference/endpoints.md 5.7).
 */
export const PREVIEWS_PER_MESSAGE_MAX = 24;
/** Characters of a URL that is previewed: its proxied address has twice as many. */
export const PREVIEW_URL_LENGTH_MAX = 2_048;
/** Redirects that are followed to other places of the web. */
export const REDIRECTS_MAX = 5;
/** A connection to another site on which nothing has come for this long is given up. */
export const SITE_SILENT_MS_MAX = 20_000;
/**
 * Images and videos of other sites that are handed out at once: each holds two connections for as
 * long as it takes, and some 100 KiB on the way.
 */
export const EXTERNAL_CONTENTS_AT_ONCE_MAX = 200;
/**
 * Contents of one site that are handed out at once: a slow site, on purpose or not, leaves room for
 * the others.
 */
export const EXTERNAL_CONTENTS_PER_SITE_MAX = 100;
export const EXTERNAL_CONTENT_MS_MAX = 300_000;
/** Bytes of an image as cameras make them, and of a video of some minutes. */
export const EXTERNAL_IMAGE_BYTES_MAX = 25 * 1024 * 1024;
export const EXTERNAL_VIDEO_BYTES_MAX = 250 * 1024 * 1024;
/** How long clients cache external content: the URL says nothing of when it changes. */
export const EXTERNAL_CONTENT_SECONDS_KEPT = 86_400;
/**
 * Bytes read of a page (its description of itself is at its beginning), and milliseconds for it.
 */
export const PAGE_BYTES_MAX = 512 * 1024;
export const PAGE_MS_MAX = 10_000;
/**
 * Pages of one message that are fetched at once, so that all of them take less than the lease of an
 * outbox entry.
 */
export const PAGES_AT_ONCE_MAX = 6;
/** How long the result of fetching a page is cached, and for how many pages. */
export const PAGES_KEPT_MS = 3_600_000;
export const PAGES_KEPT_MAX = 2_000;
/** Characters of the title and the description that a page gives of itself. */
export const PAGE_TITLE_LENGTH_MAX = 200;
export const PAGE_DESCRIPTION_LENGTH_MAX = 500;

// Files

/**
 * MiB of an uploaded file, unless the operator says otherwise (reference/endpoints.md 2.3), and the
 * most that an operator can set.
 */
export const FILE_MIB = 100;
export const FILE_MIB_MAX = 100_000;
/**
 * Bytes that the multipart body of an upload may have besides the file: heads, boundaries, fields
 * that mean nothing.
 */
export const UPLOAD_OVERHEAD_BYTES_MAX = 1024 * 1024;
/** Bytes of an upload held in memory before its client is made to wait for the disk. */
export const UPLOAD_BUFFER_BYTES_MAX = 1024 * 1024;
/**
 * Bytes of all uploads together that are held in memory: the socket library goes on reading from a
 * client on this machine that is told to wait.
 */
export const UPLOADS_HELD_BYTES_MAX = 256 * 1024 * 1024;
/**
 * Bytes that have to arrive of a body within ten seconds, or its connection is closed: 100 bytes a
 * second.
 */
export const BODY_PROGRESS_BYTES_MIN = 1024;
/** How often the progress of bodies is checked. */
export const BODY_PROGRESS_MS = 1_000;
/** Bytes of a field beside the file: a truth value, or a word. */
export const UPLOAD_FIELD_BYTES_MAX = 100;
/** Uploads of one user under way at once: each has a file open. */
export const UPLOADS_PER_USER_MAX = 10;
/** Unfinished resumable uploads of one user: each keeps a row, a file and room in the quota. */
export const UNFINISHED_UPLOADS_PER_USER_MAX = 100;
/**
 * An unfinished upload that gets no more bytes is kept for this long; then it is known for as long
 * to have expired. A day.
 */
export const UNFINISHED_UPLOAD_MS_MAX = 86_400_000;
/**
 * Characters of the header in which a client describes a resumable upload: a name, a type and a
 * word or two.
 */
export const UPLOAD_METADATA_LENGTH_MAX = 4_096;
/**
 * Bytes and milliseconds after which a resumable upload is synced to disk: a kill loses no more
 * than that. The time counts on slow links.
 */
export const UPLOAD_SAVED_BYTES = 16 * 1024 * 1024;
export const UPLOAD_SAVED_MS = 5_000;
/** Resumable uploads that one step expires or forgets: each is an operation of its own. */
export const UPLOADS_PER_STEP = 100;
/** Heads of one part of a multipart body; a name and a type take some hundred bytes. */
export const MULTIPART_HEAD_BYTES_MAX = 16 * 1024;
/** Characters of a multipart boundary (RFC 2046). */
export const MULTIPART_BOUNDARY_LENGTH_MAX = 70;
/**
 * Code points of a file's name, and of an extension: longer names are cut before the extension,
 * unless the extension is too long as well.
 */
export const FILE_NAME_LENGTH_MAX = 120;
export const FILE_EXTENSION_LENGTH_MAX = 20;
/** Files of one message that are looked up, each to see whether its sender may read it. */
export const ATTACHMENTS_PER_MESSAGE_MAX = 50;
/**
 * Messages that a file is listed with, the first ones that link it: all are in each event about it.
 */
export const ATTACHMENT_MESSAGES_LISTED_MAX = 100;
/** Messages that one step renders again with a thumbnail. */
export const THUMBNAIL_MESSAGES_PER_STEP = 100;
/** Files in the list of one's own files, newest first. */
export const ATTACHMENTS_LISTED_MAX = 10_000;
/**
 * Files and the messages that link them, in that list: to read more would hold up every other
 * request for a second.
 */
export const ATTACHMENT_ROWS_LISTED_MAX = 20_000;
/** A file without links is kept for this long: it may be in a draft. Two weeks. */
export const ATTACHMENT_UNUSED_MS_MAX = 1_209_600_000;
/** Files that one step removes: each is an operation of its own. */
export const ATTACHMENTS_PER_STEP = 100;
/** Bytes of a file that are read and sent at once for each download. */
export const FILE_CHUNK_BYTES = 128 * 1024;
/**
 * How long a temporary link to a file works for everybody who has it (reference/endpoints.md 2.3).
 */
export const TEMPORARY_LINK_MS = 60_000;

// Images

/** The box in pixels that a thumbnail fits into (`server_thumbnail_formats`). */
export const THUMBNAIL_WIDTH = 840;
export const THUMBNAIL_HEIGHT = 560;
/**
 * Pixels of an image that is decoded, of all of its frames: four bytes each, of two images at
 * once.
 */
export const IMAGE_PIXELS_MAX = 50_000_000;
export const IMAGE_FRAMES_MAX = 100;
export const IMAGES_AT_ONCE_MAX = 2;
export const IMAGES_MEASURED_AT_ONCE_MAX = 8;
export const IMAGE_SECONDS_MAX = 30;
/**
 * MiB of an image that is shown everywhere: an emoji, an icon, a logo, an avatar
 * (reference/endpoints.md section 3).
 */
export const SMALL_IMAGE_MIB_MAX = 5;
/**
 * Pixels of a side of a custom emoji, and of an icon of an organization: twice what clients show of
 * them.
 */
export const EMOJI_PIXELS = 64;
export const REALM_ICON_PIXELS = 200;
/** The greatest width and height of a logo in pixels. */
export const REALM_LOGO_WIDTH = 800;
export const REALM_LOGO_HEIGHT = 100;
/** Pixels of a side of an uploaded avatar: in lists, and in a closer view. */
export const AVATAR_PIXELS = 100;
export const MEDIUM_AVATAR_PIXELS = 500;

// Channels, folders and topics

/** Code points of a topic; longer ones are cut and end in `...`. */
export const TOPIC_LENGTH_MAX = 60;
/** Code points of a channel's name, and of its description. */
export const CHANNEL_NAME_LENGTH_MAX = 60;
export const CHANNEL_DESCRIPTION_LENGTH_MAX = 1024;
/** Smaller lists of subscribers are never shortened (specification, "Limits"). */
export const PARTIAL_SUBSCRIBERS_MIN = 250;
/** Folders of channels, archived ones too: none is ever deleted, and all are in every snapshot. */
export const CHANNEL_FOLDERS_MAX = 500;
/** Code points of a folder's name and description (reference/endpoints.md 2.4). */
export const CHANNEL_FOLDER_NAME_LENGTH_MAX = 60;
export const CHANNEL_FOLDER_DESCRIPTION_LENGTH_MAX = 1_024;
/** Groups of default channels: each change of one tells all of them to everybody. */
export const DEFAULT_CHANNEL_GROUPS_MAX = 100;
/** Code points of the name and description of such a group: those of a channel. */
export const DEFAULT_CHANNEL_GROUP_NAME_LENGTH_MAX = 60;
export const DEFAULT_CHANNEL_GROUP_DESCRIPTION_LENGTH_MAX = 1_024;
/** Users that one request subscribes to a new channel: each is a row. */
export const SUBSCRIBERS_PER_REQUEST_MAX = 100_000;
/** Channels in one subscribe request: each may be created, within one transaction. */
export const CHANNELS_PER_REQUEST_MAX = 1_000;
/**
 * Subscriptions that one request begins or ends, people times channels: some 50 microseconds each,
 * in one commit.
 */
export const SUBSCRIPTIONS_PER_REQUEST_MAX = 50_000;
/** Direct messages to those whom one request subscribes (`max_bulk_new_subscription_messages`). */
export const NEW_SUBSCRIPTION_MESSAGES_MAX = 100;
/**
 * Topics that a user has muted: each event about any topic of that user lists them all (the legacy
 * `muted_topics`).
 */
export const MUTED_TOPICS_PER_USER_MAX = 2_000;
/**
 * A channel is recently active for so long after it was made and after each message in it: 180
 * days.
 */
export const CHANNEL_ACTIVE_SECONDS = 15_552_000;
/** Channels that one step checks for being still active: each is an operation of its own. */
export const CHANNELS_LOOKED_AT_PER_STEP = 100;
/**
 * The time that the traffic of a channel is an average of: 28 days, as clients of the original know
 * it.
 */
export const TRAFFIC_SECONDS = 2_419_200;
/**
 * A younger channel has no traffic ("null if younger than 7 days", reference/events-and-register.md
 * 4.2).
 */
export const TRAFFIC_AGE_SECONDS_MIN = 604_800;
/** How often the traffic is counted: once a day. */
export const TRAFFIC_COUNT_SECONDS = 86_400;
/** Channels that one step counts: each is an operation of its own. */
export const CHANNELS_COUNTED_PER_STEP = 20;
/** Messages that are counted in one commit: a fraction of a millisecond of a send's time. */
export const MESSAGES_COUNTED_PER_STEP = 1_000;

// Groups

/**
 * Characters of a user group's name and description (the name: reference/endpoints.md section 3).
 */
export const GROUP_NAME_LENGTH_MAX = 100;
export const GROUP_DESCRIPTION_LENGTH_MAX = 1_024;
/**
 * Groups that a realm ever had, deactivated ones too: none is ever deleted, and each is in every
 * snapshot.
 */
export const GROUPS_PER_REALM_MAX = 10_000;
/**
 * Users or groups that one request adds to a group or removes from it: each is a row, within one
 * transaction.
 */
export const GROUP_PARTS_PER_REQUEST_MAX = 10_000;
/**
 * People and groups of the anonymous group of one setting: they are in every copy of the channel or
 * group.
 */
export const GROUP_SETTING_PARTS_MAX = 1_000;
/**
 * Direct messages to users whom one request adds to a group or removes: if there are more, none is
 * sent.
 */
export const GROUP_NOTICES_MAX = 1_000;
/**
 * Members who become full members in one operation: as many may have joined at once, by an import.
 */
export const FULL_MEMBERS_PER_STEP = 1_000;
/** Uses of a group that one refusal to deactivate it lists. */
export const GROUP_OBJECTIONS_MAX = 1_000;

// Accounts and invitations

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

// Organizations

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

// Webhooks and bots

/**
 * The owner of a bot that sends to a channel without subscribers is told again after this pause
 * (reference/endpoints.md 1.1).
 */
export const BOT_NOTICE_PAUSE_MS = 300_000;
/**
 * Time and size of a webhook's answer: a message of ten thousand characters fits, with a margin.
 * Also the length of its URL.
 */
export const WEBHOOK_MS_MAX = 10_000;
export const WEBHOOK_ANSWER_BYTES_MAX = 256 * 1024;
export const WEBHOOK_URL_LENGTH_MAX = 2_048;
/**
 * Characters of a secret that a service signs with: far more than any service generates, and as
 * many as their forms take.
 */
export const WEBHOOK_SECRET_LENGTH_MAX = 255;
/**
 * A signed webhook is accepted this long before and after its time, as Standard Webhooks advises.
 */
export const WEBHOOK_AGE_SECONDS_MAX = 300;
/** Signatures of one request that are checked: while a secret is being changed there are two. */
export const WEBHOOK_SIGNATURES_MAX = 5;
/** Keys in the configuration of a bot; only one of them has a meaning. */
export const BOT_CONFIG_KEYS_MAX = 10;
/**
 * Bytes of one payload of another service: a push of 2,000 commits takes fewer. To read it takes
 * some 20 ms.
 */
export const PAYLOAD_BYTES_MAX = 4 * 1024 * 1024;
/** Levels of nesting in such a payload; those in use have fewer than 15. */
export const PAYLOAD_DEPTH_MAX = 50;
/**
 * Values in such a payload: a push of 2,000 commits has half as many. Each is read, some more than
 * once.
 */
export const PAYLOAD_VALUES_MAX = 100_000;
/**
 * Items of one list in it that are read: no service sends more at once. Of most lists far fewer are
 * shown.
 */
export const PAYLOAD_ITEMS_MAX = 2_500;
/** Code points of a title or a name in a message about an event, and of a quoted text. */
export const NOTICE_TITLE_LENGTH_MAX = 200;
export const NOTICE_QUOTE_LENGTH_MAX = 4_000;
/** Characters of a link in such a message; a longer one is shown as text without its target. */
export const NOTICE_URL_LENGTH_MAX = 1_000;
/** Commits of a push that are listed; the message gives the number of the others. */
export const NOTICE_COMMITS_MAX = 20;
/** Blocks, attachments and fields, each, of one message in the form of Slack (50 and 100 there). */
export const SLACK_PARTS_MAX = 100;
/** Patterns of one filter of events, and characters of one of them or of the name of an event. */
export const EVENT_FILTERS_MAX = 100;
export const EVENT_NAME_LENGTH_MAX = 100;
/** The part of a bot's address that its maker chooses. */
export const BOT_SHORT_NAME_LENGTH_MAX = 64;
/**
 * Characters that one account keeps in its bot storage, keys and values together, as in the
 * original service.
 */
export const BOT_STORAGE_LENGTH_MAX = 10_000_000;
/**
 * Keys in the bot storage of one account: a request that names none gets all of them in one reply.
 */
export const BOT_STORAGE_KEYS_MAX = 10_000;
/** Characters of such a key: a key of the LMDB store holds it beside the account. */
export const BOT_STORAGE_KEY_LENGTH_MAX = 255;

// Mail and push

/** Outbox entries (webhooks, pushes, mails) that one step takes. */
export const OUTBOX_ENTRIES_PER_STEP = 100;
/**
 * Devices of one account that get pushes, each of them for each message, and as many tokens of
 * older clients.
 */
export const PUSH_DEVICES_PER_USER_MAX = 100;
/**
 * Devices of one account that are kept, also those that failed: no event takes them off the list.
 */
export const PUSH_DEVICES_KNOWN_PER_USER_MAX = 1_000;
/** Characters of a device's token (reference/endpoints.md 1.13), and of the name of a program. */
export const PUSH_TOKEN_LENGTH_MAX = 4_096;
export const PUSH_APP_ID_LENGTH_MAX = 200;
/**
 * Users whose devices one outbox entry notifies of a message: some 50 kB, and little to send again
 * if it is lost.
 */
export const RECIPIENTS_PER_PUSH_MAX = 50;
/** Messages whose push recipients are found in one step, each in an operation of its own. */
export const PUSH_WORK_PER_STEP = 100;
/** Push recipients found in one step: each takes some ten reads. */
export const PUSH_RECIPIENTS_PER_STEP = 200;
/** User ids that one such step looks through: it bounds the cost if few of them are recipients. */
export const PUSH_USER_IDS_PER_STEP = 10_000;
/**
 * Messages that the devices of one account are known to show: older notifications are not taken
 * back, since users do not scroll that far.
 */
export const PUSHED_MESSAGES_PER_USER_MAX = 200;
/**
 * Devices in one request to the bouncer: as many tokens fit into an answer that knows none of them.
 */
export const DEVICES_PER_PUSH_REQUEST_MAX = 100;
/** Unread messages in one mail to an account, the newest ones. */
export const MISSED_MESSAGES_PER_USER_MAX = 200;
/** Accounts whose mails are written in one step, each in an operation of its own. */
export const MISSED_MAILS_PER_STEP = 20;
/**
 * Characters of messages in one mail, in HTML and text together; the reader finds the others in the
 * service.
 */
export const MAIL_LENGTH_MAX = 500_000;
/** Characters of a message that a push notification shows. */
export const PUSH_CONTENT_LENGTH_MAX = 200;
/** Characters of a public key in base64; those in use have 44. */
export const PUSH_KEY_LENGTH_MAX = 1_024;
/** Characters of an encrypted registration in base64: a token of four thousand characters fits. */
export const PUSH_REGISTRATION_LENGTH_MAX = 8_192;
export const BOUNCER_MS_MAX = 20_000;
export const BOUNCER_ANSWER_BYTES_MAX = 512 * 1024;
/**
 * An outbox entry that is being delivered is tried again after this long without a result: longer
 * than any worker waits.
 */
export const OUTBOX_LEASE_MS = 120_000;
/**
 * Deliveries under way when the server stops get this long to finish: a bot that is called twice
 * may answer twice.
 */
export const OUTBOX_FINISH_MS_MAX = 2_000;
/**
 * Outbox entries of one kind that are delivered at once: each holds a connection and the memory of
 * its answer. Webhooks that never answer leave room for five others a second.
 */
export const OUTBOX_DELIVERIES_MAX = 50;
/**
 * Outbox entries of one kind that wait in memory; more of them wait in the store, for this pause at
 * a time.
 */
export const OUTBOX_WAITING_MAX = 200;
export const OUTBOX_PAUSE_MS = 30_000;

// Exports and archives

/**
 * Exports of an organization that its administrators may ask for in a week, and the size of an
 * organization up to which they may (reference/endpoints.md 2.7).
 */
export const EXPORTS_PER_WEEK_MAX = 5;
export const EXPORTED_MESSAGES_MAX = 250_000;
export const EXPORTED_UPLOADS_BYTES_MAX = 10 * 1024 * 1024 * 1024;
/**
 * Exports that are listed: all are in each event about them. The oldest are removed, except those
 * under way.
 */
export const EXPORTS_LISTED_MAX = 100;
/**
 * How long an archive is kept: it is as large as the organization, and everybody who has its link
 * can read it.
 */
export const EXPORT_KEPT_MS = 30 * 86_400_000;
/** Exports that one server writes at once: each uses much of the idle time. */
export const EXPORTS_AT_ONCE_MAX = 1;
/** Attempts at one export: if it brings the server down, it is not begun for ever. */
export const EXPORT_ATTEMPTS_MAX = 3;
/** Milliseconds that an export or an import runs before other work runs. */
export const ARCHIVE_SLICE_MS_MAX = 2;
/** Characters of rows that are compressed at once. */
export const ARCHIVE_CHUNK_BYTES = 64 * 1024;
/**
 * A row of an archive, in one line: ten million characters that a bot keeps may each take six as
 * JSON.
 */
export const ARCHIVE_LINE_BYTES_MAX = 64 * 1024 * 1024;
/** Manifest of an archive: some 200 bytes a table. */
export const ARCHIVE_MANIFEST_BYTES_MAX = 256 * 1024;
/** Tables of an archive; there are fewer than 100. */
export const ARCHIVE_TABLES_MAX = 500;
/** Rows of an archive stored in one commit, and their characters: some milliseconds of work. */
export const ARCHIVE_ROWS_PER_COMMIT = 300;
export const ARCHIVE_CHARACTERS_PER_COMMIT = 512 * 1024;
/**
 * The largest id of a message in an archive: there is a bit for each id up to the newest, which
 * takes 256 MiB then.
 */
export const ARCHIVED_MESSAGE_ID_MAX = 2 ** 31 - 1;
/** If less is free than either bound, the server is read-only (decision 0132). */
export const FREE_BYTES_MIN = 256 * 1024 * 1024;
export const FREE_SHARE_MIN = 0.05;
/** The server leaves the read-only state when this many times the bound is free. */
export const FREE_HYSTERESIS = 1.1;
/**
 * Below this, or below a quarter of a lower bound, nothing is committed: a commit may take as much
 * at once.
 */
export const FREE_TO_WRITE_BYTES_MIN = 16 * 1024 * 1024;
/** How often free space is checked: a fast disk takes some GB in this time. */
export const SPACE_LOOK_MS = 5_000;
/** How often free space is checked while less than twice the bound is free. */
export const SPACE_LOOK_CLOSE_MS = 1_000;
/** The most free space that an operator may ask for, in MiB. */
export const FREE_MIB_MAX = 10_000_000;
/** How often the size of a store is noted beside it while it grows. */
export const STORE_RECORD_MS = 60_000;
/** Backups that a server keeps by default, and at most. */
export const BACKUPS_KEPT = 7;
export const BACKUPS_KEPT_MAX = 10_000;
/** A backup that was missed while no server ran is made this long after a start. */
export const BACKUP_AFTER_START_MS = 5_000;
/** The pauses before a backup that failed is tried again; then the next time of the schedule. */
export const BACKUP_RETRY_MS: readonly number[] = [60_000, 300_000, 900_000];
/** How long a stop waits for the remains of a backup to be removed; a service may be slow. */
export const BACKUP_STOP_MS_MAX = 2_000;
/** How often the schedule looks at the time: a computer may sleep, and its clock may be set. */
export const BACKUP_LOOK_MS = 60_000;

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
