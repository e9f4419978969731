import { EMPTY_TOPIC_DISPLAY_NAME } from '../domain/rules/messages/topic.ts';
import type { EventBody, LogEntry } from '../domain/wire/events/log-entry.ts';
import type { QueueOptions } from '../domain/wire/events/queue-options.ts';
import type { RichMessage, UnreadMessage } from '../domain/wire/objects.ts';
import type { EventRun } from './delivery.ts';
import { packr } from './msgpack.ts';

/**
 * The form of an event, as bits that decide its bytes: queues with the same bits get the same
 * bytes.
 */
export type Form = number;

const Wants = {
  markdown: 1,
  gravatar: 2,
  emptyTopic: 4,
  presenceMap: 8,
  slimPresence: 16,
} as const;

export function formOf(
  options: Pick<QueueOptions, 'applyMarkdown' | 'clientGravatar' | 'capabilities'> &
    Partial<Pick<QueueOptions, 'slimPresence'>>,
): Form {
  return (
    (options.applyMarkdown ? Wants.markdown : 0) |
    (options.clientGravatar ? Wants.gravatar : 0) |
    (options.capabilities.empty_topic_name ? Wants.emptyTopic : 0) |
    (options.capabilities.simplified_presence_events ? Wants.presenceMap : 0) |
    (options.slimPresence ? Wants.slimPresence : 0)
  );
}

/**
 * The form of clients without capabilities: raw content, an avatar in any case, and a name for the
 * empty topic.
 */
export const PLAIN_FORM: Form = 0;

/** The fields that differ for one user or queue within a form. */
export interface Variant {
  readonly flags: readonly string[] | null;
  readonly localId: string | null;
}

export const PLAIN: Variant = { flags: null, localId: null };

/**
 * An event of the log with its encodings so far. Its forms differ only where `formMask` has a bit.
 */
export interface Announced {
  readonly entry: LogEntry;
  readonly formMask: number;
  readonly bodies: Map<Form, string>;
}

export const announced = (entry: LogEntry): Announced => ({
  entry,
  formMask: formMask(entry.event),
  bodies: new Map(),
});

/** Encodes one event as JSON for `GET /events` and the socket. */
function eventJson(announcement: Announced, form: Form, variant: Variant): string {
  const { entry } = announcement;
  const body = bodyJson(announcement, form);
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

/** Returns the same event as an object, for msgpack. */
function eventObject(announcement: Announced, form: Form, variant: Variant): object {
  return JSON.parse(eventJson(announcement, form, variant)) as object;
}

export interface VariantEvent {
  readonly announcement: Announced;
  readonly variant: Variant;
}

/** Makes a run that is encoded once, at its first use. */
export function eventRun(events: readonly VariantEvent[], form: Form): EventRun {
  let json: string | undefined;
  let textFrames: readonly Uint8Array[] | undefined;
  let binaryFrames: readonly Uint8Array[] | undefined;
  const run: EventRun = {
    firstId: events[0]?.announcement.entry.id ?? 0,
    lastId: events.at(-1)?.announcement.entry.id ?? 0,
    json() {
      json ??= events
        .map(({ announcement, variant }) => eventJson(announcement, form, variant))
        .join(',');
      return json;
    },
    textFrames() {
      textFrames ??= [Buffer.from(`{"type":"events","events":[${run.json()}]}`)];
      return textFrames;
    },
    binaryFrames() {
      binaryFrames ??= [
        packr.pack({
          type: 'events',
          events: events.map((event) => eventObject(event.announcement, form, event.variant)),
        }),
      ];
      return binaryFrames;
    },
  };
  return run;
}

/** Joins consecutive runs into one, which reuses their encodings. */
export const runOf = (runs: readonly EventRun[]): EventRun => ({
  firstId: runs[0]?.firstId ?? 0,
  lastId: runs.at(-1)?.lastId ?? 0,
  json: () => runs.map((run) => run.json()).join(','),
  textFrames: () => framesOf(runs, (run) => run.textFrames()),
  binaryFrames: () => framesOf(runs, (run) => run.binaryFrames()),
});

/**
 * Collects the frames with loops, because each queue with events of several channels asks for it:
 * `flatMap` takes ten times as long.
 */
function framesOf(runs: readonly EventRun[], of: (run: EventRun) => readonly Uint8Array[]) {
  const frames: Uint8Array[] = [];
  for (const run of runs) for (const frame of of(run)) frames.push(frame);
  return frames;
}

/** Returns the length of an event in this form; its encoding is cached for delivery. */
export const bodyLength = (announcement: Announced, form: Form): number =>
  bodyJson(announcement, form).length;

/** Returns the body without braces, without `id`, flags and local ids. */
function bodyJson(announcement: Announced, form: Form): string {
  const relevant = form & announcement.formMask;
  const known = announcement.bodies.get(relevant);
  if (known !== undefined) return known;
  const json = JSON.stringify(bodyInForm(announcement.entry.event, relevant)).slice(1, -1);
  announcement.bodies.set(relevant, json);
  return json;
}

function formMask(event: EventBody): number {
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

function bodyInForm(event: EventBody, form: Form): object {
  if (event.type === 'message') {
    return { ...event, message: messageInForm(event.message, form) };
  }
  if (
    (event.type === 'delete_message' || event.type === 'typing') &&
    (form & Wants.emptyTopic) === 0
  ) {
    return event.topic === '' ? { ...event, topic: EMPTY_TOPIC_DISPLAY_NAME } : event;
  }
  if (event.type === 'typing_edit_message' && (form & Wants.emptyTopic) === 0) {
    return isInEmptyTopic(event)
      ? { ...event, recipient: { ...event.recipient, topic: EMPTY_TOPIC_DISPLAY_NAME } }
      : event;
  }
  if (event.type === 'update_message') {
    // The flags are each user's own, as for a message.
    const { flags, ...rest } = event;
    return (form & Wants.emptyTopic) === 0 ? withTopicShown(rest) : rest;
  }
  if (event.type === 'user_topic' && (form & Wants.emptyTopic) === 0) {
    return { ...event, topic_name: event.topic_name || EMPTY_TOPIC_DISPLAY_NAME };
  }
  if (hasDetails(event) && (form & Wants.emptyTopic) === 0) {
    return { ...event, message_details: withTopicNames(event.message_details) };
  }
  if (event.type === 'presence') return presenceInForm(event, form);
  return event;
}

type UpdateMessage = Extract<EventBody, { readonly type: 'update_message' }>;

/** Names the empty topic, for clients that know no topic without a name. */
const withTopicShown = (event: Omit<UpdateMessage, 'flags'>) => ({
  ...event,
  ...(event.subject === '' ? { subject: EMPTY_TOPIC_DISPLAY_NAME } : {}),
  ...(event.orig_subject === '' ? { orig_subject: EMPTY_TOPIC_DISPLAY_NAME } : {}),
});

type MessageTyping = Extract<EventBody, { readonly type: 'typing_edit_message' }>;

const isInEmptyTopic = ({ recipient }: MessageTyping): boolean =>
  recipient.type === 'channel' && recipient.topic === '';

/**
 * Returns the presence in the client's form; modern clients get only the map
 * (reference/events-and-register.md 4.3).
 */
function presenceInForm(event: Extract<EventBody, { readonly type: 'presence' }>, form: Form) {
  const { presences, email, ...older } = event;
  if (form & Wants.presenceMap) return { type: event.type, presences };
  return form & Wants.slimPresence ? older : { ...older, email };
}

/** A message as an event or a list gives it; a list adds fields. */
export type MessageInForm = Mutable<
  Omit<RichMessage, 'rendered_content' | 'uses_gravatar' | 'avatar_url'>
> & { content_type: 'text/html' | 'text/x-markdown'; avatar_url: string | null };

/** Removes `readonly`, for code that fills an object field by field. */
export type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

/**
 * Returns a new message object in one client's form (reference/events-and-register.md 3.1). It is
 * filled field by field: the engine makes a hash table of a spread object, which is several times
 * as large and slow.
 */
export function messageInForm(message: RichMessage, form: Form): MessageInForm {
  const isMarkdown = (form & Wants.markdown) !== 0;
  const inForm: MessageInForm = {
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
    subject: topicInForm(message, form),
    topic_links: message.topic_links,
    is_me_message: message.is_me_message,
    reactions: message.reactions,
    submessages: message.submessages,
    avatar_url: message.uses_gravatar && form & Wants.gravatar ? null : message.avatar_url,
  };
  if (message.stream_id !== undefined) inForm.stream_id = message.stream_id;
  return inForm;
}

const topicInForm = ({ type, subject }: RichMessage, form: Form) =>
  type === 'stream' && subject === '' && (form & Wants.emptyTopic) === 0
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
