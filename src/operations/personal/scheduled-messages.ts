import type { ScheduledMessageRow } from '../../../storage/tables/messages/drafts.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmReader, RealmTransaction } from '../../../storage/transaction.ts';
import { ascending } from '../../domain/ascending.ts';
import {
  SCHEDULED_LATE_MS_MAX,
  SCHEDULED_MESSAGES_PER_STEP,
  SCHEDULED_MESSAGES_PER_USER_MAX,
} from '../../domain/limits/personal.ts';
import { TIMESTAMP_MAX } from '../../domain/limits/requests.ts';
import { fenced } from '../../domain/rules/texts/fenced.ts';
import { isReadBySender } from '../../domain/wire/client-names.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { EventBody } from '../../domain/wire/events/log-entry.ts';
import type { ScheduledMessage } from '../../domain/wire/personal-objects.ts';
import type { Caller, Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import * as attachmentLinks from '../files/attachment-links.ts';
import { type Addressed, addressOf, destinationOf } from '../posting/destinations.ts';
import * as messages from '../posting/messages.ts';
import * as notices from '../posting/notices.ts';
import { acceptable, acceptableContent } from '../posting/sending-rules.ts';
import { refuseTooLong } from './texts.ts';

/** A channel, or people. */
type To = number | readonly number[];

interface Written {
  readonly type: Addressed['type'];
  readonly to: To;
  readonly topic: string | undefined;
  readonly content: string;
}

export interface NewScheduledMessage extends Written {
  /** UNIX seconds. */
  readonly dueAt: number;
  /** If undefined, the client and the recipients decide. */
  readonly isReadBySender: boolean | undefined;
}

/** Stores a message to be sent later. Refuses a message that could not be sent now. */
export function create(tx: RealmTransaction, caller: Caller, request: NewScheduledMessage): number {
  const { user, client, site } = caller;
  refuseTime(tx, request.dueAt);
  const written = accepted(tx, caller, request);
  refuseTooMany(tx, user.id);
  const isToOneself = written.userIds.length === 1 && written.userIds[0] === user.id;
  const id = tx.nextId('scheduledMessage');
  const row: ScheduledMessageRow = {
    ...written,
    dueAt: request.dueAt,
    // "Scheduled messages to oneself default to false" (reference/events-and-register.md 3.2).
    isReadBySender:
      request.isReadBySender ?? (isReadBySender(client, site.settings.aliasPrefix) && !isToOneself),
    client,
    isFailed: false,
    failureReason: null,
  };
  put(tx, [user.id, id], row);
  refuseTooLong(tx.scheduledMessages.under([user.id]), 'scheduled messages');
  attachmentLinks.claimScheduled(tx, caller, { ...row, id });
  const scheduled_messages = [objectOf(id, row)];
  emit(tx, user.id, { type: 'scheduled_messages', op: 'add', scheduled_messages });
  return id;
}

export type ScheduledMessageChange = {
  readonly [Name in keyof Written | 'dueAt']: NewScheduledMessage[Name] | undefined;
};

/**
 * Changes a scheduled message; one that failed is scheduled again, at its new time
 * (reference/endpoints.md 1.2).
 */
export function edit(
  tx: RealmTransaction,
  caller: Caller,
  { id, ...change }: ScheduledMessageChange & { id: number },
) {
  if (Object.values(change).every((value) => value === undefined)) {
    throw errors.badRequest('Nothing to change');
  }
  const before = own(tx, caller.user, id);
  refuseHalf(change);
  if (change.dueAt !== undefined) refuseTime(tx, change.dueAt);
  else if (before.isFailed)
    throw errors.badRequest('Scheduled delivery time must be in the future.');
  const { dueAt, ...rewritten } = change;
  const isRewritten = Object.values(rewritten).some((value) => value !== undefined);
  const row: ScheduledMessageRow = {
    ...before,
    ...(isRewritten ? accepted(tx, caller, writtenAs(before, rewritten)) : {}),
    dueAt: dueAt ?? before.dueAt,
    isFailed: false,
    failureReason: null,
  };
  tx.scheduledTimes.remove([before.dueAt * 1000, caller.user.id, id]);
  put(tx, [caller.user.id, id], row);
  if (isRewritten && row.content.length > before.content.length) {
    refuseTooLong(tx.scheduledMessages.under([caller.user.id]), 'scheduled messages');
  }
  if (isRewritten) attachmentLinks.claimScheduled(tx, caller, { ...row, id });
  announceUpdate(tx, [caller.user.id, id], row);
}

export function remove(tx: RealmTransaction, user: UserRow, id: number) {
  const row = own(tx, user, id);
  forget(tx, [user.id, id], row);
}

/** Returns the pending messages of a user, soonest first. */
export function list(tx: Reads, userId: number): ScheduledMessage[] {
  return Array.from(tx.scheduledMessages.under([userId]), ([[, id], row]) =>
    objectOf(id, row),
  ).sort(
    (one, other) =>
      one.scheduled_delivery_timestamp - other.scheduled_delivery_timestamp ||
      one.scheduled_message_id - other.scheduled_message_id,
  );
}

/** Returns when the next message is due (UNIX milliseconds). */
export function nextAt(reader: Pick<RealmReader, 'scheduledTimes'>): number | undefined {
  for (const [dueAt] of reader.scheduledTimes.keys({ limit: 1 })) return dueAt;
  return undefined;
}

type TimeKey = [dueAt: number, userId: number, id: number];

/** Returns messages that are due. */
export const due = (reader: Pick<RealmReader, 'scheduledTimes'>, now: number): TimeKey[] =>
  Array.from(reader.scheduledTimes.keys({ end: [now + 1], limit: SCHEDULED_MESSAGES_PER_STEP }));

/**
 * Sends a message that is due, after all checks at this time. It is sent and removed in one
 * transaction, so it is sent once, even if the process is killed.
 */
export function deliver(tx: RealmTransaction, [dueAt, userId, id]: TimeKey, site: Site) {
  const row = tx.scheduledMessages.get([userId, id]);
  // It was changed or removed between being found and this transaction.
  if (row === undefined || row.isFailed || row.dueAt * 1000 !== dueAt) return;
  const user = tx.users.get([userId]);
  if (user === undefined || !isHeard(tx, user)) {
    markFailed(tx, [userId, id], row, null);
    return;
  }
  if (tx.now - dueAt > SCHEDULED_LATE_MS_MAX) {
    throw errors.badRequest('The server was not running when it was to be sent.');
  }
  const caller = { user, site, client: row.client };
  const { isReadBySender } = row;
  const content = acceptableContent(row.content);
  const destination = destinationOf(tx, addressOf(tx, caller, addressedBy(writtenAs(row))));
  messages.send(tx, caller, { destination, content, isReadBySender, repeatKeys: [] });
  forget(tx, [userId, id], row);
}

/** Marks a message that could not be sent as failed, and tells its author why. */
export function fail(
  tx: RealmTransaction,
  [, userId, id]: TimeKey,
  { error, site }: { error: unknown; site: Site },
) {
  const row = tx.scheduledMessages.get([userId, id]);
  const user = tx.users.get([userId]);
  if (row === undefined || user === undefined) return;
  const reason = error instanceof errors.ApiError ? error.message : 'Internal server error';
  const failed = markFailed(tx, [userId, id], row, reason);
  announceUpdate(tx, [userId, id], failed);
  const content = `The message that you scheduled for <time:${isoTime(row.dueAt)}> was not sent:\n${fenced(reason, 'quote')}`;
  notices.toPeople(tx, site, { people: [user], content });
}

const isHeard = (tx: Reads, user: UserRow) =>
  user.isActive && tx.realm.get(['realm'])?.isActive === true;

const isoTime = (seconds: number) => new Date(seconds * 1000).toISOString();

function own(tx: Reads, user: UserRow, id: number): ScheduledMessageRow {
  const row = tx.scheduledMessages.get([user.id, id]);
  if (row === undefined) throw errors.noSuchScheduledMessage();
  return row;
}

/** Refuses a time in the past: "A timestamp in the past is compared with the current second." */
export function refuseTime(tx: RealmTransaction, dueAt: number) {
  if (dueAt <= Math.floor(tx.now / 1000)) {
    throw errors.badRequest('Scheduled delivery time must be in the future.');
  }
  if (dueAt > TIMESTAMP_MAX) throw errors.badRequest('Scheduled delivery time is too far away.');
}

function refuseTooMany(tx: Reads, userId: number) {
  let count = 0;
  for (const _ of tx.scheduledMessages.keysUnder([userId])) count += 1;
  if (count >= SCHEDULED_MESSAGES_PER_USER_MAX) {
    throw errors.badRequest(
      `You can have at most ${SCHEDULED_MESSAGES_PER_USER_MAX} scheduled messages.`,
    );
  }
}

/** Refuses a change of the type without a new destination. */
function refuseHalf({ type, to, topic }: ScheduledMessageChange) {
  if (type === undefined) return;
  if (to === undefined)
    throw errors.badRequest('Recipient required when updating type of scheduled message.');
  if (!isDirect(type) && topic === undefined) {
    throw errors.badRequest('Topic required when updating scheduled message type to channel.');
  }
}

const isDirect = (type: Addressed['type']) => type === 'direct' || type === 'private';

/** Checks the destination and the content as for a send, and returns the row's fields. */
function accepted(tx: RealmTransaction, caller: Caller, written: Written) {
  const { type, to } = written;
  if (isDirect(type) !== (typeof to !== 'number')) {
    throw errors.badRequest(
      isDirect(type) ? 'Invalid data type for recipients' : 'Invalid data type for channel ID',
    );
  }
  const address = addressOf(tx, caller, addressedBy(written));
  const content = acceptableContent(written.content);
  const destination = destinationOf(tx, address);
  const rendered = acceptable(tx, caller, { destination, content });
  const isChannel = 'channel' in destination;
  const others = isChannel
    ? []
    : destination.people.map(({ id }) => id).filter((id) => id !== caller.user.id);
  return {
    channelId: isChannel ? destination.channel.id : null,
    userIds: isChannel || others.length > 0 ? others.sort(ascending) : [caller.user.id],
    topic: isChannel ? destination.topic : '',
    content,
    renderedContent: rendered.html,
  };
}

const addressedBy = ({ type, to, topic }: Written): Addressed => ({
  type,
  to: JSON.stringify(to),
  topic,
});

/** Returns the stored message with its changes, in the form of a request. */
function writtenAs(row: ScheduledMessageRow, change: Partial<Changed> = {}): Written {
  return {
    type: change.type ?? (row.channelId === null ? 'direct' : 'channel'),
    to: change.to ?? row.channelId ?? row.userIds,
    topic: change.topic ?? row.topic,
    content: change.content ?? row.content,
  };
}

type Changed = { readonly [Name in keyof Written]: Written[Name] | undefined };

type Key = [userId: number, id: number];

function put(tx: RealmTransaction, [userId, id]: Key, row: ScheduledMessageRow) {
  const dueAt = row.dueAt * 1000;
  tx.scheduledMessages.put([userId, id], row);
  tx.scheduledTimes.put([dueAt, userId, id], {});
  tx.wakeAt(dueAt);
}

function forget(tx: RealmTransaction, [userId, id]: Key, row: ScheduledMessageRow) {
  tx.scheduledMessages.remove([userId, id]);
  tx.scheduledTimes.remove([row.dueAt * 1000, userId, id]);
  attachmentLinks.releaseScheduled(tx, { ...row, id });
  emit(tx, userId, { type: 'scheduled_messages', op: 'remove', scheduled_message_id: id });
}

function markFailed(
  tx: RealmTransaction,
  [userId, id]: Key,
  row: ScheduledMessageRow,
  failureReason: string | null,
) {
  const failed = { ...row, isFailed: true, failureReason };
  tx.scheduledMessages.put([userId, id], failed);
  tx.scheduledTimes.remove([row.dueAt * 1000, userId, id]);
  return failed;
}

const announceUpdate = (tx: RealmTransaction, [userId, id]: Key, row: ScheduledMessageRow) =>
  emit(tx, userId, {
    type: 'scheduled_messages',
    op: 'update',
    scheduled_message: objectOf(id, row),
  });

const emit = (tx: RealmTransaction, userId: number, event: EventBody) =>
  tx.emit({ event, audience: { users: [userId] } });

const objectOf = (id: number, row: ScheduledMessageRow): ScheduledMessage => ({
  scheduled_message_id: id,
  ...(row.channelId === null
    ? { type: 'private', to: [...row.userIds] }
    : { type: 'stream', to: row.channelId, topic: row.topic }),
  content: row.content,
  rendered_content: row.renderedContent,
  scheduled_delivery_timestamp: row.dueAt,
  failed: row.isFailed,
  ...(row.failureReason === null ? {} : { failure_reason: row.failureReason }),
});
