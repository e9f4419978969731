import { z } from 'zod';
import { scheduledMessage } from '../../domain/wire/personal-objects.ts';
import * as scheduledMessages from '../../operations/personal/scheduled-messages.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

export const getScheduledMessages = endpoint({
  summary: 'Get your scheduled messages',
  method: 'GET',
  path: '/scheduled_messages',
  allow: anyUser,
  params: {},
  reply: {
    scheduled_messages: z
      .array(scheduledMessage)
      .describe('Soonest first; those that could not be sent among them'),
  },
  read: (reader, { user }) => ({ scheduled_messages: scheduledMessages.list(reader, user.id) }),
});
