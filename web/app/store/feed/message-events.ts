import type { Narrow } from '../route.ts';
import { type Aspect, dependsOn } from './matching.ts';
import {
  isResolved,
  type Message,
  type Reaction,
  resolvedAs,
  type Submessage,
  type WireEvent,
} from './message.ts';

/** The fields of events: the API declares all of these, and an event has some of them. */
interface Fields {
  readonly op?: string;
  readonly message?: Omit<Message, 'flags'>;
  readonly message_id?: number;
  readonly message_ids?: readonly number[];
  readonly messages?: readonly number[];
  readonly all?: boolean;
  readonly flag?: string;
  readonly flags?: readonly string[];
  readonly rendered_content?: string;
  readonly is_me_message?: boolean;
  readonly rendering_only?: boolean;
  readonly edit_timestamp?: number;
  readonly subject?: string;
  readonly orig_subject?: string;
  readonly new_stream_id?: number;
  readonly property?: string;
}

// Events are what the server declares; other kinds have none of these fields that is read.
const fieldsOf = (event: WireEvent) => event as Fields;

/** Returns the message that an event brings, as a list would have it; null for other events. */
export function messageIn(event: WireEvent): Message | null {
  const { message, flags = [] } = fieldsOf(event);
  return event.type === 'message' && message !== undefined ? { ...message, flags } : null;
}

/** Returns a message after an event: the same one if nothing changed, null if it is deleted. */
export function applyToMessage(message: Message, event: WireEvent): Message | null {
  const fields = fieldsOf(event);
  switch (event.type) {
    case 'delete_message':
      return deletedIn(event).includes(message.id) ? null : message;
    case 'update_message':
      return updated(message, fields);
    case 'reaction':
      return fields.message_id === message.id ? reactedTo(message, event) : message;
    case 'update_message_flags':
      return flagged(message, fields);
    case 'submessage':
      return fields.message_id === message.id ? withSubmessage(message, event) : message;
    default:
      return message;
  }
}

function withSubmessage(message: Message, event: WireEvent): Message {
  // An event of this type has the fields of a submessage; `id` is the number of the event.
  const { submessage_id, sender_id, msg_type, content } = event as unknown as Submessage & {
    readonly submessage_id: number;
  };
  const { submessages = [] } = message;
  if (submessages.some(({ id }) => id === submessage_id)) return message;
  const added = { id: submessage_id, sender_id, msg_type, content };
  return { ...message, submessages: [...submessages, added] };
}

export const deletedIn = (event: WireEvent): readonly number[] => {
  const { message_id: id, message_ids: ids } = fieldsOf(event);
  return ids ?? (id === undefined ? [] : [id]);
};

function updated(message: Message, fields: Fields): Message {
  const isEdited = fields.message_id === message.id;
  const isMoved = isMove(fields) && fields.message_ids?.includes(message.id) === true;
  if (!isEdited && !isMoved) return message;
  return {
    ...message,
    ...(isEdited ? edit(fields) : {}),
    ...(isMoved ? move(message, fields) : {}),
  };
}

const isMove = ({ subject, new_stream_id }: Fields) =>
  subject !== undefined || new_stream_id !== undefined;

const edit = (fields: Fields): Partial<Message> => ({
  ...(fields.rendered_content === undefined ? {} : { content: fields.rendered_content }),
  ...(fields.rendered_content === undefined || fields.rendering_only === true
    ? {}
    : { last_edit_timestamp: fields.edit_timestamp ?? 0 }),
  ...(fields.is_me_message === undefined ? {} : { is_me_message: fields.is_me_message }),
  ...(fields.flags === undefined ? {} : { flags: fields.flags }),
});

function move(message: Message, fields: Fields): Partial<Message> {
  const { subject = message.subject, new_stream_id: channelId = message.stream_id ?? 0 } = fields;
  // To resolve a topic is no move. The event tells, as the message may have been moved already.
  const { orig_subject: before = '' } = fields;
  const isResolution =
    fields.new_stream_id === undefined &&
    isResolved(subject) !== isResolved(before) &&
    resolvedAs(before) === subject;
  return {
    subject,
    stream_id: channelId,
    ...(isResolution ? {} : { last_moved_timestamp: fields.edit_timestamp ?? 0 }),
  };
}

function reactedTo(message: Message, event: WireEvent): Message {
  // An event about a reaction names its emoji and who reacted.
  const { emoji_name, emoji_code, reaction_type, user_id } = event as unknown as Reaction;
  const rest = message.reactions.filter(
    (one) =>
      one.user_id !== user_id ||
      one.emoji_code !== emoji_code ||
      one.reaction_type !== reaction_type,
  );
  const isThere = rest.length < message.reactions.length;
  if (event['op'] === 'remove') return isThere ? { ...message, reactions: rest } : message;
  if (isThere) return message;
  return { ...message, reactions: [...rest, { emoji_name, emoji_code, reaction_type, user_id }] };
}

function flagged(message: Message, { messages = [], all, flag = '', op }: Fields): Message {
  if (all !== true && !messages.includes(message.id)) return message;
  const has = message.flags.includes(flag);
  if (op === 'add') return has ? message : { ...message, flags: [...message.flags, flag] };
  return has ? { ...message, flags: message.flags.filter((one) => one !== flag) } : message;
}

/** The ids of messages that may have left or joined a narrow by an event. */
export function touchedIn(event: WireEvent, narrow: Narrow): readonly number[] {
  const fields = fieldsOf(event);
  const depends = (aspect: Aspect) => dependsOn(narrow, aspect);
  const own = fields.message_id === undefined ? [] : [fields.message_id];
  switch (event.type) {
    case 'update_message':
      if (isMove(fields) && depends('place')) return fields.message_ids ?? own;
      return fields.rendered_content !== undefined && depends('content') ? own : [];
    case 'reaction':
      return depends('reaction') ? own : [];
    case 'update_message_flags':
      if (fields.flag !== 'read' && fields.flag !== 'starred') return [];
      return depends(fields.flag) ? (fields.messages ?? []) : [];
    default:
      return [];
  }
}

/**
 * Tells whether an event changes what a narrow selects without naming messages: the account decides
 * about a topic (`is:followed`, `is:muted`), or about a channel.
 */
export function changesNarrow(event: WireEvent, narrow: Narrow): boolean {
  if (event.type === 'user_topic') return dependsOn(narrow, 'topics');
  if (event.type !== 'subscription') return false;
  const { op, property } = fieldsOf(event);
  const isOwn = op === 'add' || op === 'remove' || (op === 'update' && property === 'is_muted');
  return isOwn && dependsOn(narrow, 'channels');
}
