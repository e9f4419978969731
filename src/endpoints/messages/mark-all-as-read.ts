import { z } from 'zod';
import { type AllRead, markAllStep } from '../../operations/mark-all-as-read.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';
import { inSteps, type Step } from '../steps.ts';

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
  exchange(asked, exchange) {
    let progress: AllRead | undefined;
    const step: Step = (tx, { user }) => {
      progress = markAllStep(tx, user, progress);
      return progress.isComplete === null ? undefined : { complete: progress.isComplete };
    };
    inSteps(asked, exchange, { step });
  },
});
