import { z } from 'zod';
import * as apiKeys from '../../operations/accounts/api-keys.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { people } from '../permissions.ts';

export const regenerateBotKey = endpoint({
  summary: 'Get a new API key for a bot that you own or administer, in place of all that it has',
  description: 'The others stop at once, and its event queues end.',
  method: 'POST',
  needsNoSpace: true,
  path: '/bots/{bot_id}/api_key/regenerate',
  allow: people,
  params: { bot_id: integer },
  holdsSecret: true,
  reply: { api_key: z.string() },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  change: (tx, { user, params }) => ({
    api_key: apiKeys.regenerateOfBot(tx, user, params.bot_id),
  }),
});
