import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { DIRECT_RECIPIENTS_MAX, TYPING_SUBSCRIBERS_MAX } from '../../domain/limits/messages.ts';
import { apiEmail } from '../../domain/rules/people/users.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { LoggedEvent } from '../../domain/wire/events/logged-events.ts';
import { USER_SETTINGS } from '../../domain/wire/settings/user-settings.ts';
import type { Caller } from '../access/caller.ts';
import { hasContentAccess, subscriberIds } from '../access/channel-access.ts';
import { canRead, readable } from '../indexes/message-access.ts';
import * as conversations from '../posting/conversations.ts';
import { topicOf } from '../posting/destinations.ts';
import { refuseSpeaking } from '../posting/sending-rules.ts';

type Op = 'start' | 'stop';

interface TypingToPeople {
  readonly op: Op;
  readonly userIds: readonly number[] | undefined;
}

interface TypingInChannel {
  readonly op: Op;
  readonly channelId: number | undefined;
  readonly topic: string | undefined;
}

/**
 * Tells the people of a conversation that somebody has started or stopped typing. Only the event is
 * stored, and it skips users who do not want it (specification, "Events" 3).
 */
export function toPeople(tx: RealmTransaction, caller: Caller, { op, userIds }: TypingToPeople) {
  const { user, site } = caller;
  const people = peopleOf(tx, userIds);
  refuseSecretive(user, 'direct');
  conversations.refuseWriting(tx, caller, people);
  const everyone = new Map([user, ...people].map((person) => [person.id, person]));
  const recipients = Array.from(everyone.values(), (person) => ({
    user_id: person.id,
    email: apiEmail(person, site.host),
  })).sort((one, other) => one.user_id - other.user_id);
  const event: LoggedEvent = {
    type: 'typing',
    op,
    message_type: 'direct',
    sender: senderOf(caller),
    recipients,
  };
  const users = [...everyone.values()].filter(receivesTyping).map(({ id }) => id);
  if (users.length > 0) tx.emit({ event, audience: { users } });
}

/**
 * Tells the subscribers of a channel that somebody types in a topic, unless there are many:
 * repeated events to each of them would outnumber the messages (reference/events-and-register.md
 * 4.1).
 */
export function inChannel(tx: RealmTransaction, caller: Caller, given: TypingInChannel) {
  const { user } = caller;
  const { op, channelId } = given;
  if (channelId === undefined) throw errors.badRequest("Missing 'stream_id' argument");
  const topic = topicOf(given.topic);
  refuseSecretive(user, 'channel');
  const channel = tx.channels.get([channelId]);
  const subscription = tx.subscriptions.get([channelId, user.id]);
  if (channel === undefined || !hasContentAccess(tx, { user, channel, subscription })) {
    throw errors.invalidChannelId();
  }
  refuseSpeaking(tx, user, channel);
  const users = audienceIn(tx, channel).map(({ id }) => id);
  if (users.length === 0) return;
  tx.emit({
    event: {
      type: 'typing',
      op,
      message_type: 'stream',
      sender: senderOf(caller),
      stream_id: channelId,
      topic,
    },
    audience: { users },
    queues: { has: 'stream_typing_notifications' },
  });
}

/**
 * Tells the readers of a message that its author has started or stopped editing it
 * (reference/endpoints.md 2.1).
 */
export function inMessage(
  tx: RealmTransaction,
  user: UserRow,
  { op, messageId }: { readonly op: Op; readonly messageId: number },
) {
  const row = readable(tx, user, messageId);
  if (row.senderId !== user.id) {
    throw errors.badRequest("You don't have permission to edit this message");
  }
  const { recipient, readers } = readersOf(tx, row);
  refuseSecretive(user, recipient.type);
  if (readers.length === 0) return;
  tx.emit({
    event: { type: 'typing_edit_message', op, sender_id: user.id, message_id: row.id, recipient },
    audience: { users: readers.map(({ id }) => id) },
  });
}

/** Returns the place of a message, and its readers who want to know who types. */
function readersOf(tx: RealmTransaction, row: MessageRow) {
  if (row.channelId === null) {
    const userIds = tx.conversations.get([row.recipientId])?.userIds ?? [];
    const people = userIds.map((id) => tx.users.get([id])).filter((user) => user !== undefined);
    return {
      recipient: { type: 'direct' as const, user_ids: [...userIds] },
      readers: people.filter((person) => person.isActive && receivesTyping(person)),
    };
  }
  const channel = tx.channels.get([row.channelId]);
  const subscribers = channel === undefined ? [] : audienceIn(tx, channel);
  return {
    recipient: { type: 'channel' as const, channel_id: row.channelId, topic: row.topic },
    readers: subscribers.filter((subscriber) => canRead(tx, subscriber, row)),
  };
}

/** Returns the subscribers who want to know who types, or none if there are many. */
function audienceIn(tx: RealmTransaction, channel: ChannelRow): UserRow[] {
  if (channel.subscriberCount > TYPING_SUBSCRIBERS_MAX) return [];
  return subscriberIds(tx, channel.id)
    .map((id) => tx.users.get([id]))
    .filter((user) => user !== undefined)
    .filter(receivesTyping);
}

/** Refuses a user who does not want others to know of their typing. */
function refuseSecretive(user: UserRow, type: 'direct' | 'channel') {
  const setting =
    type === 'direct' ? 'send_private_typing_notifications' : 'send_stream_typing_notifications';
  if (wants(user, setting)) return;
  throw errors.badRequest(`User has disabled typing notifications for ${type} messages`);
}

function peopleOf(tx: RealmTransaction, userIds: readonly number[] | undefined): UserRow[] {
  if (userIds === undefined) throw errors.badRequest("Missing 'to' argument");
  if (userIds.length === 0) throw errors.badRequest("Empty 'to' list");
  if (userIds.length > DIRECT_RECIPIENTS_MAX) {
    throw errors.badRequest(`A direct message has at most ${DIRECT_RECIPIENTS_MAX} recipients`);
  }
  return userIds.map((id) => {
    const user = tx.users.get([id]);
    if (user === undefined) throw errors.invalidRecipientId(id);
    return user;
  });
}

const senderOf = ({ user, site }: Caller) => ({
  user_id: user.id,
  email: apiEmail(user, site.host),
});

const receivesTyping = (user: UserRow) => wants(user, 'receives_typing_notifications');

function wants(
  { settings }: UserRow,
  name:
    | 'receives_typing_notifications'
    | 'send_private_typing_notifications'
    | 'send_stream_typing_notifications',
): boolean {
  return (settings[name] ?? USER_SETTINGS[name].default) === true;
}
