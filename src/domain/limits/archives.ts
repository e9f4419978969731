// Bounds of exports and archives, each with its reason.

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
/**
 * Entries of an archive of another service: exports have one file a day and channel, and one for
 * each upload.
 */
export const HISTORY_ENTRIES_MAX = 2_000_000;
/** Bytes of an archive of another service when it is unpacked; larger ones come in parts. */
export const HISTORY_BYTES_MAX = 1024 ** 4;
/**
 * How many times larger an archive may become: exports of chats shrink to a tenth or a thirtieth. A
 * small archive may become this large in any case.
 */
export const HISTORY_RATIO_MAX = 200;
export const HISTORY_SMALL_BYTES = 256 * 1024 * 1024;
/** The length of a path within an archive, as of file systems, and of all paths in memory. */
export const HISTORY_PATH_MAX = 1_024;
export const HISTORY_PATHS_CHARACTERS_MAX = 256 * 1024 * 1024;
/** Bytes of a tar between two files: headers with long names have some thousand. */
export const HISTORY_TAR_HEADERS_BYTES_MAX = 4 * 1024 * 1024;
/** Bytes of a line of a log. */
export const HISTORY_LINE_BYTES_MAX = 4 * 1024 * 1024;
/** Bytes of a list that is parsed as a whole, as most days of a channel are. */
export const HISTORY_LIST_BYTES_MAX = 1024 * 1024;
/** Characters of an id of another service that is a key as it is; longer ones are hashed. */
export const IMPORTED_ID_LENGTH_MAX = 200;
/** Rows of a history in one request to the server, and the characters from which it has enough. */
export const IMPORTED_ROWS_PER_STEP_MAX = 50;
export const IMPORTED_CHARACTERS_PER_STEP = 16 * 1024;
/**
 * Requests that have no answer yet: their rows share a commit, which holds some 250 rows while
 * others are served.
 */
export const IMPORT_STEPS_AT_ONCE_MAX = 8;
/**
 * Milliseconds after which an operation of an import takes no further row: others wait as long. It
 * is longer when no account has asked for anything for `IMPORT_BUSY_MS`, as a commit costs as much
 * as many rows.
 */
export const IMPORT_SLICE_MS = 1;
export const IMPORT_SLICE_QUIET_MS = 8;
/**
 * Rows that all imports enter in a second while accounts are served, since more would take too much
 * of the processors and the disk. Imports that are behind this rate, by so many milliseconds at
 * most, catch up.
 */
export const IMPORTED_ROWS_PER_SECOND = 2_500;
export const IMPORT_LATE_MS_MAX = 100;
export const IMPORT_BUSY_MS = 2_000;
/** Marks that a message of a channel is unread, of one message and of a whole import. */
export const IMPORTED_UNREAD_PER_MESSAGE_MAX = 1_000;
export const IMPORTED_UNREAD_MAX = 1_000_000;
/** Rows that were left out and are listed one by one; the others are counted. */
export const IMPORT_SKIPPED_LISTED_MAX = 100;
/**
 * Characters of messages that an import sorts in memory, of one or two bytes each; more are sorted
 * in files, and so many of them are merged at once.
 */
export const HISTORY_SORTED_CHARACTERS = 4 * 1024 * 1024;
export const HISTORY_RUNS_MAX = 64;
/** Threads of an archive that get a name of their own: 100 bytes of memory for each. */
export const IMPORTED_THREADS_MAX = 500_000;
/**
 * A reader keeps these until the end of an archive: people (some 500 bytes each), channels and
 * direct conversations (the same), and who is in which channel (up to 64 bytes each); as many
 * groups as conversations, and as many members of groups as subscriptions. An archive with more is
 * refused before anything of it is written.
 */
export const IMPORTED_PEOPLE_MAX = 250_000;
export const IMPORTED_CONVERSATIONS_MAX = 1_000_000;
export const IMPORTED_SUBSCRIPTIONS_MAX = 5_000_000;
/**
 * People and groups in permissions of groups, which an import keeps until all groups are there: a
 * few bytes each. Permissions beyond are left out.
 */
export const IMPORTED_PERMITTED_MAX = 1_000_000;
