import { z } from 'zod';
import * as alertWords from '../../operations/indexes/alert-words.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';
import { words } from './words.ts';

export const removeAlertWords = endpoint({
  summary: 'Remove alert words',
  method: 'DELETE',
  path: '/users/me/alert_words',
  allow: anyUser,
  params: { alert_words: words },
  reply: { alert_words: z.array(z.string()).describe('All of them, after the change') },
  refuses: ['BAD_REQUEST'],
  emits: ['alert_words'],
  change: (tx, { user, params }) => ({
    alert_words: alertWords.remove(tx, user.id, params.alert_words),
  }),
});
