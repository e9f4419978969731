import { z } from 'zod';
import { type AllRead, markAllStep } from '../../operations/reading/mark-as-read.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';
import { inSteps } from '../steps.ts';

export const markAllAsRead = endpoint({
  summary: 'Mark all messages as read',
  method: 'POST',
  path: '/mark_all_as_read',
  allow: anyUser,
  params: {},
  reply: {
    complete: z.boolean().describe('False: the time was up before all were read; ask again'),
  },
  emits: ['update_message_flags'],
  exchange(request, exchange) {
    inSteps<AllRead>(request, exchange, {
      step(tx, { user }, before) {
        const progress = markAllStep(tx, user, before);
        const { isComplete } = progress;
        return isComplete === null ? { state: progress } : { body: { complete: isComplete } };
      },
    });
  },
});
