// Bounds of uploaded files, each with its reason.

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
/**
 * A file in a store that machines share has no row for as long as it is being received; one without
 * a row for a day was left by a machine that ended. A day.
 */
export const UNNAMED_FILE_MS = 86_400_000;
/** How often files without rows are looked for: it lists all files of a realm. A day. */
export const UNNAMED_SEARCH_MS = 86_400_000;
