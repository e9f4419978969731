import * as apiKeys from '../../operations/accounts/api-keys.ts';
import { managed } from '../../operations/bots/bots.ts';
import { endpoint } from '../endpoint.ts';
import { integer, text } from '../params.ts';
import { people } from '../permissions.ts';

export const endBotKey = endpoint({
  summary: 'End one API key of a bot that you own or administer',
  description:
    'It stops at once, and with it the event queues that were registered with it, their polls and sockets.',
  method: 'DELETE',
  path: '/bots/{bot_id}/api_keys/{key_id}',
  allow: people,
  params: {
    bot_id: integer,
    key_id: text.describe('The `id` of the key in `GET /bots/{bot_id}/api_keys`'),
  },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  change(tx, { user, params }) {
    apiKeys.end(tx, managed(tx, user, params.bot_id).id, params.key_id);
  },
});
