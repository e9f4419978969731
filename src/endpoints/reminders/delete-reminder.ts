import * as reminders from '../../operations/personal/reminders.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const deleteReminder = endpoint({
  summary: 'Delete a reminder',
  method: 'DELETE',
  path: '/reminders/{reminder_id}',
  allow: anyUser,
  params: { reminder_id: integer },
  refuses: ['BAD_REQUEST'],
  emits: ['reminders'],
  change: (tx, { user, params }) => reminders.remove(tx, user.id, params.reminder_id),
});
