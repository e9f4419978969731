import { z } from 'zod';
import * as reminders from '../../operations/personal/reminders.ts';
import { endpoint } from '../endpoint.ts';
import { integer, text } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const addReminder = endpoint({
  summary: 'Be reminded of a message',
  description:
    'At the time given, or as soon as the server runs after it, the notification bot writes to the caller with the note and with the message as it is then.',
  method: 'POST',
  path: '/reminders',
  allow: anyUser,
  params: {
    message_id: integer,
    scheduled_delivery_timestamp: integer.describe('UNIX seconds'),
    note: text.default('').describe('Markdown; at most `max_reminder_note_length` characters'),
  },
  reply: { reminder_id: z.int() },
  refuses: ['BAD_REQUEST'],
  emits: ['reminders'],
  change: (tx, { params, ...caller }) => ({
    reminder_id: reminders.add(tx, caller, {
      messageId: params.message_id,
      dueAt: params.scheduled_delivery_timestamp,
      note: params.note,
    }),
  }),
});
