import { EMPTY_TOPIC_DISPLAY_NAME } from '../domain/rules/messages/topic.ts';
import type { EventBody, LogEntry } from '../domain/wire/events/log-entry.ts';
import type { QueueOptions } from '../domain/wire/events/queue-options.ts';
import type { RichMessage, UnreadMessage } from '../domain/wire/message-objects.ts';
import type { EncodedBatch } from './delivery.ts';
import { packr } from './msgpack.ts';

/** The options that decide the bytes of an event, as bits: queues with equal bits share bytes. */
export type Format = number;

const Wants = {
  markdown: 1,
  gravatar: 2,
  emptyTopic: 4,
  presenceMap: 8,
  slimPresence: 16,
} as const;

export function formatOf(
  options: Pick<QueueOptions, 'applyMarkdown' | 'clientGravatar' | 'capabilities'> &
    Partial<Pick<QueueOptions, 'slimPresence'>>,
): Format {
  return (
    (options.applyMarkdown ? Wants.markdown : 0) |
    (options.clientGravatar ? Wants.gravatar : 0) |
    (options.capabilities.empty_topic_name ? Wants.emptyTopic : 0) |
    (options.capabilities.simplified_presence_events ? Wants.presenceMap : 0) |
    (options.slimPresence ? Wants.slimPresence : 0)
  );
}

/** The format for clients that name no capability: source, avatars, a name for the empty topic. */
export const PLAIN_FORMAT: Format = 0;

/** The fields of an event that differ between users and queues of one format. */
export interface Variant {
  readonly flags: readonly string[] | null;
  readonly localId: string | null;
}

export const PLAIN: Variant = { flags: null, localId: null };

/** An event of the log with its encodings so far, which differ only by the bits of `formatMask`. */
export interface Announced {
  readonly entry: LogEntry;
  readonly formatMask: number;
  readonly bodies: Map<Format, string>;
}

export const announced = (entry: LogEntry): Announced => ({
  entry,
  formatMask: formatMask(entry.event),
  bodies: new Map(),
});

/** One event as JSON, as `GET /events` and the socket give it. */
function eventJson(announcement: Announced, format: Format, variant: Variant): string {
  const { entry } = announcement;
  const body = bodyJson(announcement, format);
  if (entry.event.type !== 'message' && entry.event.type !== 'update_message') {
    return `{"id":${entry.id},${body}}`;
  }
  const flags = JSON.stringify(variant.flags ?? entry.flags?.shared ?? []);
  const local =
    variant.localId === null
      ? ''
      : `,"local_id":${JSON.stringify(variant.localId)},"local_message_id":${JSON.stringify(variant.localId)}`;
  return `{"id":${entry.id},${body},"flags":${flags}${local}}`;
}

/** The same event as an object, for msgpack. */
function eventObject(announcement: Announced, format: Format, variant: Variant): object {
  return JSON.parse(eventJson(announcement, format, variant)) as object;
}

export interface VariantEvent {
  readonly announcement: Announced;
  readonly variant: Variant;
}

/** Returns a batch that is encoded when somebody first asks for it, and once. */
export function encodedBatch(events: readonly VariantEvent[], format: Format): EncodedBatch {
  let json: string | undefined;
  let textFrames: readonly Uint8Array[] | undefined;
  let binaryFrames: readonly Uint8Array[] | undefined;
  const batch: EncodedBatch = {
    firstId: events[0]?.announcement.entry.id ?? 0,
    lastId: events.at(-1)?.announcement.entry.id ?? 0,
    json() {
      json ??= events
        .map(({ announcement, variant }) => eventJson(announcement, format, variant))
        .join(',');
      return json;
    },
    textFrames() {
      textFrames ??= [Buffer.from(`{"type":"events","events":[${batch.json()}]}`)];
      return textFrames;
    },
    binaryFrames() {
      binaryFrames ??= [
        packr.pack({
          type: 'events',
          events: events.map((event) => eventObject(event.announcement, format, event.variant)),
        }),
      ];
      return binaryFrames;
    },
  };
  return batch;
}

/** Joins batches that follow each other into one, and encodes nothing that they have encoded. */
export const concatenated = (batches: readonly EncodedBatch[]): EncodedBatch => ({
  firstId: batches[0]?.firstId ?? 0,
  lastId: batches.at(-1)?.lastId ?? 0,
  json: () => batches.map((batch) => batch.json()).join(','),
  textFrames: () => framesOf(batches, (batch) => batch.textFrames()),
  binaryFrames: () => framesOf(batches, (batch) => batch.binaryFrames()),
});

/** Each queue with events of several channels calls this: `flatMap` takes ten times as long. */
function framesOf(
  batches: readonly EncodedBatch[],
  of: (batch: EncodedBatch) => readonly Uint8Array[],
) {
  const frames: Uint8Array[] = [];
  for (const batch of batches) for (const frame of of(batch)) frames.push(frame);
  return frames;
}

/** Counts the characters of an event in a format; the encoding is kept for the next who asks. */
export const bodyLength = (announcement: Announced, format: Format): number =>
  bodyJson(announcement, format).length;

/** Returns the event's JSON without braces, `id`, flags and local ids. */
function bodyJson(announcement: Announced, format: Format): string {
  const relevant = format & announcement.formatMask;
  const known = announcement.bodies.get(relevant);
  if (known !== undefined) return known;
  const json = JSON.stringify(bodyInFormat(announcement.entry.event, relevant)).slice(1, -1);
  announcement.bodies.set(relevant, json);
  return json;
}

function formatMask(event: EventBody): number {
  if (event.type === 'message') {
    const { message } = event;
    return (
      Wants.markdown |
      (message.uses_gravatar ? Wants.gravatar : 0) |
      (message.type === 'stream' && message.subject === '' ? Wants.emptyTopic : 0)
    );
  }
  if (event.type === 'delete_message') return event.topic === '' ? Wants.emptyTopic : 0;
  if (event.type === 'update_message') {
    return event.subject === '' || event.orig_subject === '' ? Wants.emptyTopic : 0;
  }
  if (event.type === 'user_topic') return event.topic_name === '' ? Wants.emptyTopic : 0;
  if (event.type === 'typing') return event.topic === '' ? Wants.emptyTopic : 0;
  if (event.type === 'typing_edit_message') return isInEmptyTopic(event) ? Wants.emptyTopic : 0;
  if (event.type === 'presence') return Wants.presenceMap | Wants.slimPresence;
  return hasDetails(event) ? Wants.emptyTopic : 0;
}

function bodyInFormat(event: EventBody, format: Format): object {
  if (event.type === 'message') {
    return { ...event, message: messageInFormat(event.message, format) };
  }
  if (
    (event.type === 'delete_message' || event.type === 'typing') &&
    (format & Wants.emptyTopic) === 0
  ) {
    return event.topic === '' ? { ...event, topic: EMPTY_TOPIC_DISPLAY_NAME } : event;
  }
  if (event.type === 'typing_edit_message' && (format & Wants.emptyTopic) === 0) {
    return isInEmptyTopic(event)
      ? { ...event, recipient: { ...event.recipient, topic: EMPTY_TOPIC_DISPLAY_NAME } }
      : event;
  }
  if (event.type === 'update_message') {
    // The flags are each user's own, as those of a message are.
    const { flags, ...rest } = event;
    return (format & Wants.emptyTopic) === 0 ? withTopicShown(rest) : rest;
  }
  if (event.type === 'user_topic' && (format & Wants.emptyTopic) === 0) {
    return { ...event, topic_name: event.topic_name || EMPTY_TOPIC_DISPLAY_NAME };
  }
  if (hasDetails(event) && (format & Wants.emptyTopic) === 0) {
    return { ...event, message_details: withTopicNames(event.message_details) };
  }
  if (event.type === 'presence') return presenceInFormat(event, format);
  return event;
}

type UpdateMessage = Extract<EventBody, { readonly type: 'update_message' }>;

/** Names the empty topic for a client that knows no topic without a name. */
const withTopicShown = (event: Omit<UpdateMessage, 'flags'>) => ({
  ...event,
  ...(event.subject === '' ? { subject: EMPTY_TOPIC_DISPLAY_NAME } : {}),
  ...(event.orig_subject === '' ? { orig_subject: EMPTY_TOPIC_DISPLAY_NAME } : {}),
});

type MessageTyping = Extract<EventBody, { readonly type: 'typing_edit_message' }>;

const isInEmptyTopic = ({ recipient }: MessageTyping): boolean =>
  recipient.type === 'channel' && recipient.topic === '';

/** Returns only the map for a modern client (reference/events-and-register.md 4.3). */
function presenceInFormat(
  event: Extract<EventBody, { readonly type: 'presence' }>,
  format: Format,
) {
  const { presences, email, ...older } = event;
  if (format & Wants.presenceMap) return { type: event.type, presences };
  return format & Wants.slimPresence ? older : { ...older, email };
}

/** A message as an event or a list has it; a list adds fields. */
export type MessageInFormat = Mutable<
  Omit<RichMessage, 'rendered_content' | 'uses_gravatar' | 'avatar_url'>
> & { content_type: 'text/html' | 'text/x-markdown'; avatar_url: string | null };

/** The same type without `readonly`, to build an object field by field. */
export type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

/**
 * Returns a new message object in a client's format (reference/events-and-register.md 3.1). It is
 * built field by field: an object that is spread into another becomes a hash table, several times
 * as large and slow.
 */
export function messageInFormat(message: RichMessage, format: Format): MessageInFormat {
  const isMarkdown = (format & Wants.markdown) !== 0;
  const inFormat: MessageInFormat = {
    id: message.id,
    sender_id: message.sender_id,
    sender_full_name: message.sender_full_name,
    sender_email: message.sender_email,
    sender_realm_str: message.sender_realm_str,
    client: message.client,
    content: isMarkdown ? message.rendered_content : message.content,
    content_type: isMarkdown ? 'text/html' : 'text/x-markdown',
    timestamp: message.timestamp,
    type: message.type,
    recipient_id: message.recipient_id,
    display_recipient: message.display_recipient,
    subject: topicInFormat(message, format),
    topic_links: message.topic_links,
    is_me_message: message.is_me_message,
    reactions: message.reactions,
    submessages: message.submessages,
    avatar_url: message.uses_gravatar && format & Wants.gravatar ? null : message.avatar_url,
  };
  if (message.stream_id !== undefined) inFormat.stream_id = message.stream_id;
  return inFormat;
}

const topicInFormat = ({ type, subject }: RichMessage, format: Format) =>
  type === 'stream' && subject === '' && (format & Wants.emptyTopic) === 0
    ? EMPTY_TOPIC_DISPLAY_NAME
    : subject;

type Unread = Extract<EventBody, { readonly type: 'update_message_flags'; readonly op: 'remove' }>;
type MessageDetails = Readonly<Record<string, UnreadMessage>>;

const hasDetails = (event: EventBody): event is Unread & { message_details: MessageDetails } =>
  event.type === 'update_message_flags' &&
  event.op === 'remove' &&
  event.message_details !== undefined;

const withTopicNames = (details: MessageDetails): MessageDetails =>
  Object.fromEntries(
    Object.entries(details).map(([id, detail]) => [
      id,
      'topic' in detail && detail.topic === ''
        ? { ...detail, topic: EMPTY_TOPIC_DISPLAY_NAME }
        : detail,
    ]),
  );
