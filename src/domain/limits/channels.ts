// Bounds of channels, folders and topics, each with its reason.

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
