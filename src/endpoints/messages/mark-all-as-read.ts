import { z } from 'zod';
import { markAll } from '../../operations/mark-as-read.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

export const markAllAsRead = endpoint({
  summary: 'Mark all messages as read',
  method: 'POST',
  path: '/mark_all_as_read',
  allow: anyUser,
  params: {},
  reply: { complete: z.literal(true).describe('All of it is done at once') },
  emits: ['update_message_flags'],
  change: (tx, { user }) => {
    markAll(tx, user);
    return { complete: true };
  },
});
