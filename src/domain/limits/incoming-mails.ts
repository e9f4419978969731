// Bounds of mails that become messages, each with its reason.

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
/** Parts that are no text: their names are listed in the message. */
export const MAIL_ATTACHMENTS_NAMED_MAX = 20;
/** Characters of text that are looked at; a message has at most ten thousand. */
export const MAIL_TEXT_LENGTH_MAX = 200_000;
/** Mails a minute to one address, and from one sender, before they are told to wait. */
export const INCOMING_MAILS_PER_MINUTE = 30;
/** How long the address works by which a mail about missed messages is answered. */
export const REPLY_DAYS = 30;
