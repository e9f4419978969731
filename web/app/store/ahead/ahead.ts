/** Messages that are sent later, and reminders of messages. */
import type { ReplyOf } from '@confab/client';
import { app } from '../app.ts';
import type { Sent } from '../compose/compose-store.ts';
import type { Narrow } from '../route.ts';
import { dmNarrow, topicNarrow } from '../route.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** When a day of work begins. */
const MORNING = 9;

export interface Moment {
  readonly label: string;
  readonly atMs: number;
}

/** Returns the times that people mean most. */
export function moments(nowMs: number): readonly Moment[] {
  const morning = (days: number) => {
    const date = new Date(nowMs);
    return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, MORNING).getTime();
  };
  // On a Sunday the next one is tomorrow; on a Monday it is in a week.
  const toMonday = (8 - new Date(nowMs).getDay()) % 7 || 7;
  return [
    { label: 'In 20 minutes', atMs: nowMs + 20 * MINUTE_MS },
    { label: 'In an hour', atMs: nowMs + HOUR_MS },
    { label: 'In three hours', atMs: nowMs + 3 * HOUR_MS },
    { label: 'Tomorrow morning', atMs: morning(1) },
    ...(toMonday === 1 ? [] : [{ label: 'Monday morning', atMs: morning(toMonday) }]),
  ];
}

const secondsOf = (atMs: number) => Math.floor(atMs / 1_000);

export const sendLater = (message: Sent, atMs: number) =>
  app.chat.call('POST', '/scheduled_messages', {
    ...message,
    scheduled_delivery_timestamp: secondsOf(atMs),
  });

export const remind = (messageId: number, atMs: number) =>
  app.chat.call('POST', '/reminders', {
    message_id: messageId,
    scheduled_delivery_timestamp: secondsOf(atMs),
  });

/** A message or a reminder that is still to come. */
export interface Ahead {
  readonly key: string;
  readonly atMs: number;
  readonly text: string;
  /** The conversation that a message goes to, or the message that one is reminded of. */
  readonly narrow: Narrow;
  /** True if the message could not be sent. */
  readonly hasFailed: boolean;
  readonly cancel: () => Promise<unknown>;
}

type Scheduled = ReplyOf<'GET', '/scheduled_messages'>['scheduled_messages'][number];
type Reminder = ReplyOf<'GET', '/reminders'>['reminders'][number];

export async function scheduled(): Promise<readonly Ahead[]> {
  const { scheduled_messages: all } = await app.chat.call('GET', '/scheduled_messages');
  const own = app.read('own').ownId;
  return all.map((message) => ({
    key: `message ${message.scheduled_message_id}`,
    atMs: message.scheduled_delivery_timestamp * 1_000,
    text: message.content,
    narrow: narrowOf(message, own),
    hasFailed: message.failed,
    cancel: () =>
      app.chat.call('DELETE', '/scheduled_messages/{scheduled_message_id}', {
        scheduled_message_id: message.scheduled_message_id,
      }),
  }));
}

function narrowOf({ to, ...message }: Scheduled, own: number): Narrow {
  if (typeof to === 'number') {
    return topicNarrow(to, 'topic' in message ? (message.topic ?? '') : '');
  }
  const others = to.filter((id) => id !== own);
  return dmNarrow(others.length === 0 ? [own] : others);
}

export async function reminders(): Promise<readonly Ahead[]> {
  const { reminders: all } = await app.chat.call('GET', '/reminders');
  return all.map((reminder: Reminder) => ({
    key: `reminder ${reminder.reminder_id}`,
    atMs: reminder.scheduled_delivery_timestamp * 1_000,
    text: reminder.content,
    narrow: [{ operator: 'id', operand: reminder.reminder_target_message_id, negated: false }],
    hasFailed: reminder.failed,
    cancel: () =>
      app.chat.call('DELETE', '/reminders/{reminder_id}', { reminder_id: reminder.reminder_id }),
  }));
}
