// Bounds of requests and answers, each with its reason.

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
/**
 * Requests of one gateway that the writer has not answered. The writer itself takes as many
 * operations (`OPERATIONS_WAITING_MAX`) and refuses more; this bounds what waits in between.
 */
export const GATEWAY_ASKS_MAX = 50_000;
/** Bytes of requests that the writer has not taken from a gateway. */
export const GATEWAY_UNSENT_BYTES_MAX = 256 * 1024 * 1024;
