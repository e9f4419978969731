import { z } from 'zod';
import { reminder } from '../../domain/wire/personal-objects.ts';
import * as reminders from '../../operations/personal/reminders.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

export const getReminders = endpoint({
  summary: 'Get your reminders',
  method: 'GET',
  path: '/reminders',
  allow: anyUser,
  params: {},
  reply: { reminders: z.array(reminder).describe('Those still to come, soonest first') },
  read: (reader, { user }) => ({ reminders: reminders.list(reader, user.id) }),
});
