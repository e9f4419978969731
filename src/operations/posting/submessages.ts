import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  SUBMESSAGES_LENGTH_MAX,
  SUBMESSAGES_PER_MESSAGE_MAX,
} from '../../domain/limits/messages.ts';
import {
  faultOfAction,
  type Widget,
  widget,
  widgetOf,
} from '../../domain/rules/messages/widgets.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Submessage } from '../../domain/wire/message-objects.ts';
import type { Caller } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import { readable } from '../indexes/message-access.ts';
import { whoSees } from '../indexes/message-audience.ts';
import * as userTopics from '../indexes/user-topics.ts';

const WIDGET = 'widget';

/**
 * Returns the submessages of a message, in the order they came. Most messages have none, and then
 * nothing is read.
 */
export function of(tx: Reads, row: Pick<MessageRow, 'id' | 'hasSubmessages'>): Submessage[] {
  if (!row.hasSubmessages) return [];
  return Array.from(tx.submessages.under([row.id]), ([[messageId, id], submessage]) => ({
    id,
    message_id: messageId,
    sender_id: submessage.senderId,
    msg_type: submessage.msgType,
    content: submessage.content,
  }));
}

/**
 * Attaches the widget that comes with a new message or that it asks for. Returns the changed
 * message.
 */
export function attachWidget(
  tx: RealmTransaction,
  row: MessageRow,
  given: Widget | undefined,
): MessageRow {
  const widget = given ?? widgetOf(row.content);
  if (widget === undefined) return row;
  write(tx, row, { senderId: row.senderId, content: JSON.stringify(widget) });
  return { ...row, hasSubmessages: true };
}

interface NewSubmessage {
  readonly messageId: number;
  /** The text, which is JSON, and its value. */
  readonly content: string;
  readonly value: unknown;
}

/**
 * Adds an action to a widget (reference/endpoints.md 5.8), or makes a widget of one's own message.
 */
export function add(tx: RealmTransaction, { user }: Caller, given: NewSubmessage) {
  const row = readable(tx, user, given.messageId);
  const isAuthor = row.senderId === user.id;
  if (!isAuthor && !row.hasSubmessages) {
    throw errors.badRequest('You cannot attach a submessage to this message.');
  }
  refuseContent(tx, row, { value: given.value, isAuthor });
  refuseTooMany(tx, row, given.content);
  const id = write(tx, row, { senderId: user.id, content: given.content });
  tx.emit({
    event: {
      type: 'submessage',
      message_id: row.id,
      submessage_id: id,
      sender_id: user.id,
      msg_type: WIDGET,
      content: given.content,
    },
    audience: whoSees(tx, row),
  });
  if (row.channelId === null) return;
  userTopics.follow(tx, user, {
    channelId: row.channelId,
    topic: row.topic,
    reason: 'participated',
  });
}

/** Removes the submessages of a deleted message. */
export function removeAll(tx: RealmTransaction, { id, hasSubmessages }: MessageRow) {
  if (!hasSubmessages) return;
  for (const key of [...tx.submessages.keysUnder([id])]) tx.submessages.remove(key);
}

function write(
  tx: RealmTransaction,
  row: MessageRow,
  { senderId, content }: { senderId: number; content: string },
): number {
  const id = tx.nextId('submessage');
  tx.submessages.put([row.id, id], { senderId, msgType: WIDGET, content });
  if (!row.hasSubmessages) tx.messages.put([row.id], { ...row, hasSubmessages: true });
  return id;
}

function refuseContent(
  tx: Reads,
  row: MessageRow,
  { value, isAuthor }: { value: unknown; isAuthor: boolean },
) {
  const type = widgetTypeOf(tx, row);
  const fault =
    type === undefined
      ? widget.safeParse(value).success
        ? undefined
        : 'Invalid widget.'
      : faultOfAction(value, { type, isAuthor });
  if (fault !== undefined) throw errors.badRequest(fault);
}

/** Returns the type of the widget, which its first submessage has. */
function widgetTypeOf(tx: Reads, row: MessageRow): Widget['widget_type'] | undefined {
  if (!row.hasSubmessages) return undefined;
  for (const [, { content }] of tx.submessages.under([row.id], { limit: 1 })) {
    return widget.parse(JSON.parse(content)).widget_type;
  }
  return undefined;
}

function refuseTooMany(tx: Reads, row: MessageRow, added: string) {
  if (!row.hasSubmessages) return;
  let count = 0;
  let { length } = added;
  for (const [, { content }] of tx.submessages.under([row.id])) {
    count += 1;
    length += content.length;
  }
  if (count >= SUBMESSAGES_PER_MESSAGE_MAX) {
    throw errors.badRequest(
      `A message can have at most ${SUBMESSAGES_PER_MESSAGE_MAX} submessages.`,
    );
  }
  if (length > SUBMESSAGES_LENGTH_MAX) {
    throw errors.badRequest(
      `The submessages of a message can have at most ${SUBMESSAGES_LENGTH_MAX} characters altogether.`,
    );
  }
}
