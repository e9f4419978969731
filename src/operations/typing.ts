import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { UserRow } from '../../storage/tables/users.ts';
import * as errors from '../domain/errors.ts';
import { DIRECT_RECIPIENTS_MAX, TYPING_SUBSCRIBERS_MAX } from '../domain/limits.ts';
import type { LoggedEvent } from '../domain/logged-events.ts';
import { USER_SETTINGS } from '../domain/user-settings.ts';
import { apiEmail } from '../domain/users.ts';
import type { Caller } from './caller.ts';
import { hasContentAccess, subscriberIds } from './channel-access.ts';
import * as conversations from './conversations.ts';
import { topicOf } from './destinations.ts';
import { refuseSpeaking } from './sending-rules.ts';

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
 * Tells the people of a conversation that somebody writes to them, or has stopped. Nothing is stored but the event, and
 * none is for who does not want to know (specification, "Events" 3).
 */
export function toPeople(tx: RealmTransaction, caller: Caller, { op, userIds }: TypingToPeople) {
  const { user, place } = caller;
  const people = peopleOf(tx, userIds);
  if (!wants(user, 'send_private_typing_notifications')) {
    throw errors.badRequest('User has disabled typing notifications for direct messages');
  }
  conversations.refuseWriting(tx, caller, people);
  const everyone = new Map([user, ...people].map((person) => [person.id, person]));
  const recipients = Array.from(everyone.values(), (person) => ({
    user_id: person.id,
    email: apiEmail(person, place.host),
  })).sort((one, other) => one.user_id - other.user_id);
  const event: LoggedEvent = {
    type: 'typing',
    op,
    message_type: 'direct',
    sender: senderOf(caller),
    recipients,
  };
  const users = [...everyone.values()].filter(isTold).map(({ id }) => id);
  if (users.length > 0) tx.emit({ event, audience: { users } });
}

/**
 * The same in a topic of a channel. Where many are subscribed nobody is told: an event to each of them, again and again,
 * would outnumber the messages (reference/events-and-register.md 4.1).
 */
export function inChannel(tx: RealmTransaction, caller: Caller, given: TypingInChannel) {
  const { user } = caller;
  const { op, channelId } = given;
  if (channelId === undefined) throw errors.badRequest("Missing 'stream_id' argument");
  const topic = topicOf(given.topic);
  if (!wants(user, 'send_stream_typing_notifications')) {
    throw errors.badRequest('User has disabled typing notifications for channel messages');
  }
  const channel = tx.channels.get([channelId]);
  const subscription = tx.subscriptions.get([channelId, user.id]);
  if (channel === undefined || !hasContentAccess(tx, { user, channel, subscription })) {
    throw errors.invalidChannelId();
  }
  refuseSpeaking(tx, user, channel);
  if (channel.subscriberCount > TYPING_SUBSCRIBERS_MAX) return;
  const users = subscriberIds(tx, channelId).filter((id) => {
    const subscriber = tx.users.get([id]);
    return subscriber !== undefined && isTold(subscriber);
  });
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

function peopleOf(tx: RealmTransaction, userIds: readonly number[] | undefined): UserRow[] {
  if (userIds === undefined) throw errors.badRequest("Missing 'to' argument");
  if (userIds.length === 0) throw errors.badRequest("Empty 'to' list");
  if (userIds.length > DIRECT_RECIPIENTS_MAX) {
    throw errors.badRequest(`A direct message has at most ${DIRECT_RECIPIENTS_MAX} recipients`);
  }
  return userIds.map((id) => {
    const user = tx.users.get([id]);
    if (user === undefined) throw errors.invalidUserId(id);
    return user;
  });
}

const senderOf = ({ user, place }: Caller) => ({
  user_id: user.id,
  email: apiEmail(user, place.host),
});

const isTold = (user: UserRow) => wants(user, 'receives_typing_notifications');

function wants(
  { settings }: UserRow,
  name:
    | 'receives_typing_notifications'
    | 'send_private_typing_notifications'
    | 'send_stream_typing_notifications',
): boolean {
  return (settings[name] ?? USER_SETTINGS[name].default) === true;
}
