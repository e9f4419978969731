/** Messages that are sent later, and reminders of messages. */
import { ApiError } from '@confab/client';
import type { Contents } from '@confab/client/store';
import { app } from '../app.ts';
import type { Sent } from '../compose/compose-store.ts';
import { type Destination, paramsOf } from '../compose/destination.ts';
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
interface Ahead {
  readonly id: number;
  readonly atMs: number;
  readonly text: string;
  readonly html: string;
  /** The conversation that a message goes to, or the message that one is reminded of. */
  readonly narrow: Narrow;
}

export interface Scheduled extends Ahead {
  readonly to: Destination;
  /** Why it could not be sent, in words; null for one that is still to be sent. */
  readonly failure: string | null;
}

type ScheduledMessage = Contents['scheduled'] extends Map<number, infer Message> ? Message : never;

const soonestFirst = (one: Ahead, other: Ahead) => one.atMs - other.atMs || one.id - other.id;

/** Returns the messages that are to be sent or could not be, soonest first. */
export const scheduled = (state: Pick<Contents, 'scheduled' | 'ownId'>): readonly Scheduled[] =>
  [...state.scheduled.values()]
    .map((message) => {
      const to = destinationOf(message, state.ownId);
      return {
        id: message.scheduled_message_id,
        atMs: message.scheduled_delivery_timestamp * 1_000,
        text: message.content,
        html: message.rendered_content,
        to,
        narrow:
          to.type === 'channel' ? topicNarrow(to.channelId ?? 0, to.topic) : dmNarrow(to.userIds),
        failure: message.failed ? (message.failure_reason ?? 'It could not be sent.') : null,
      };
    })
    .sort(soonestFirst);

function destinationOf({ to, topic }: ScheduledMessage, own: number): Destination {
  if (typeof to === 'number') return { type: 'channel', channelId: to, topic: topic ?? '' };
  const others = to.filter((id) => id !== own);
  return { type: 'direct', userIds: others.length === 0 ? [own] : others };
}

/** Returns the reminders that are to come, soonest first. */
export const reminders = (state: Pick<Contents, 'reminders'>): readonly Ahead[] =>
  [...state.reminders.values()]
    .map((reminder) => ({
      id: reminder.reminder_id,
      atMs: reminder.scheduled_delivery_timestamp * 1_000,
      text: reminder.content,
      html: reminder.rendered_content,
      narrow: [
        { operator: 'id' as const, operand: reminder.reminder_target_message_id, negated: false },
      ],
    }))
    .sort(soonestFirst);

export const cancelScheduled = (id: number) =>
  app.chat.call('DELETE', '/scheduled_messages/{scheduled_message_id}', {
    scheduled_message_id: id,
  });

export const cancelReminder = (id: number) =>
  app.chat.call('DELETE', '/reminders/{reminder_id}', { reminder_id: id });

export const deleteDraft = (id: number) =>
  app.chat.call('DELETE', '/drafts/{draft_id}', { draft_id: id });

export interface Rewritten {
  readonly text: string;
  readonly to: Destination;
  readonly atMs: number;
}

/** Changes a message that is sent later; one that could not be sent is to be sent again. */
export function changeScheduled(before: Scheduled, { text, to, atMs }: Rewritten) {
  const { content, read_by_sender, ...place } = paramsOf(to, text.trim());
  const isMoved = JSON.stringify(to) !== JSON.stringify(before.to);
  return app.chat.call('PATCH', '/scheduled_messages/{scheduled_message_id}', {
    scheduled_message_id: before.id,
    ...(isMoved ? place : {}),
    ...(content === before.text ? {} : { content }),
    ...(atMs === before.atMs && before.failure === null
      ? {}
      : { scheduled_delivery_timestamp: secondsOf(atMs) }),
  });
}

/**
 * Steps from the time of this machine to one that the server takes for later than its own, however
 * late this machine is.
 */
const SOON_SECONDS = [1, 5, 30, 300, 3_600, 86_400];

/**
 * Sends a message now: the server sends it within a second or two, once, as it would later. A
 * machine whose clock is late tries later times.
 */
export async function sendScheduledNow(id: number, nowMs: number = Date.now()): Promise<void> {
  for (const [step, seconds] of SOON_SECONDS.entries()) {
    try {
      await app.chat.call('PATCH', '/scheduled_messages/{scheduled_message_id}', {
        scheduled_message_id: id,
        scheduled_delivery_timestamp: secondsOf(nowMs) + seconds,
      });
      return;
    } catch (error) {
      const isEarly = error instanceof ApiError && /in the future/.test(error.message);
      if (!isEarly || step === SOON_SECONDS.length - 1) throw error;
    }
  }
}

/** Returns a time as a field for times has it, on the clock of this place. */
export function localText(atMs: number): string {
  const date = new Date(atMs);
  return new Date(atMs - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
