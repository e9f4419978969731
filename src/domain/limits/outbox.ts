// Bounds of mails and pushes, each with its reason.

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

/** Bytes of one mail: what large mail services let their users send. */
export const INCOMING_MAIL_BYTES_MAX = 25 * 1024 * 1024;
/** Bytes of all mails that are received at once: they are in memory until they are read. */
export const INCOMING_BYTES_MAX = 100 * 1024 * 1024;
/** Connections at once: relays open few, and keep their queues. */
export const INCOMING_CONNECTIONS_MAX = 100;
/** Silence of a sending server until its connection ends. */
export const INCOMING_SILENCE_MS_MAX = 60_000;
/** The time in which a whole mail has to arrive, so that slow senders hold no memory for long. */
export const INCOMING_MAIL_MS_MAX = 180_000;
/** The time in which a mail is read; honest ones take milliseconds. */
export const MAIL_READING_MS_MAX = 10_000;
/** Memory of the thread that reads mails, in MiB: some copies of the largest mail fit. */
export const MAIL_READING_MIB_MAX = 256;
/** Mails that wait to be read. More of them are refused for now, and come again. */
export const MAILS_TO_READ_MAX = 20;
/** MIME parts within each other: programs for mail make about five levels. */
export const MAIL_NESTING_MAX = 20;
/** Bytes of the headers of all parts of a mail: relays add some kilobytes. */
export const MAIL_HEADERS_BYTES_MAX = 256 * 1024;
/** Files of a mail that are stored: their links leave room for a message. */
export const MAIL_FILES_MAX = 10;
/** Files of a mail that a message names. */
export const MAIL_ATTACHMENTS_NAMED_MAX = 20;
/** Characters of text that are looked at; a message has at most ten thousand. */
export const MAIL_TEXT_LENGTH_MAX = 200_000;
/** Mails a minute to one address, and from one sender, before they are told to wait. */
export const INCOMING_MAILS_PER_MINUTE = 30;
/** A node looks so long for the one that writes the organization; relays wait for minutes. */
export const MAIL_OWNER_MS_MAX = 20_000;
/** Relays that a mail has passed; after more of them it runs in a circle (RFC 5321 section 6.3). */
export const MAIL_HOPS_MAX = 100;
/** How long the address works by which a mail about missed messages is answered. */
export const REPLY_DAYS = 30;
/** A push service of browsers, of Apple or of Google answers at once, or is in trouble. */
export const WEB_PUSH_MS_MAX = 10_000;
export const PUSH_MS_MAX = 10_000;
/** Their answers are a line or a page of JSON, of which nothing else is read. */
export const WEB_PUSH_ANSWER_BYTES_MAX = 65_536;
export const PUSH_ANSWER_BYTES_MAX = 65_536;
/** Browsers of one account that get pushes: far more than people use. */
export const BROWSERS_PER_USER_MAX = 20;
/** Characters of the address of a subscription; those in use have some 200 to 500. */
export const WEB_PUSH_URL_LENGTH_MAX = 2_000;
/** People who are looked at in one step of the weekly mails, and the pause between two steps. */
export const DIGEST_PEOPLE_PER_STEP = 20;
export const DIGEST_STEP_MS = 1_000;
/** Weekly mails that are later than this are left out: a server was down, or they were off. */
export const DIGEST_LATE_MS_MAX = 86_400_000;
/** Somebody who was not there for this long gets a weekly mail. */
export const DIGEST_AWAY_MS_MIN = 5 * 86_400_000;
/** The time that a weekly mail is about, at most: the mail before was about the time before. */
export const DIGEST_MS_MAX = 7 * 86_400_000;
/** Channels of a person that are looked at for a weekly mail. */
export const DIGEST_CHANNELS_MAX = 500;
/** Messages that are counted for a weekly mail, from the index of their channels. */
export const DIGEST_MESSAGES_MAX = 5_000;
/** Messages of one channel among them, the newest ones. */
export const DIGEST_MESSAGES_PER_CHANNEL_MAX = 500;
/** Topics, new channels, and people of a topic that a weekly mail names. */
export const DIGEST_TOPICS_MAX = 10;
export const DIGEST_NEW_CHANNELS_MAX = 10;
export const DIGEST_PEOPLE_NAMED_MAX = 3;
