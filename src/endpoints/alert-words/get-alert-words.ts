import { z } from 'zod';
import * as alertWords from '../../operations/indexes/alert-words.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

export const getAlertWords = endpoint({
  summary: 'Get your alert words',
  method: 'GET',
  path: '/users/me/alert_words',
  allow: anyUser,
  params: {},
  reply: { alert_words: z.array(z.string()) },
  read: (reader, { user }) => ({ alert_words: alertWords.list(reader, user.id) }),
});
