// Bounds of webhooks and bots, each with its reason.

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
