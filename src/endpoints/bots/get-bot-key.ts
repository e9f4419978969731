import { z } from 'zod';
import * as apiKeys from '../../operations/accounts/api-keys.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { people } from '../permissions.ts';

export const getBotKey = endpoint({
  summary: 'Get an API key for a bot that you own or administer',
  description: 'A further one: only hashes of keys are stored. Those it has go on working.',
  method: 'GET',
  path: '/bots/{bot_id}/api_key',
  allow: people,
  params: { bot_id: integer },
  holdsSecret: true,
  reply: { api_key: z.string() },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  change: (tx, { user, params }) => ({ api_key: apiKeys.furtherOfBot(tx, user, params.bot_id) }),
});
