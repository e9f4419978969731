import * as apiKeys from '../../operations/accounts/api-keys.ts';
import { endpoint } from '../endpoint.ts';
import { text } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const endOwnKey = endpoint({
  summary: 'End one of your API keys',
  description:
    'It stops at once, and with it the event queues that were registered with it, their polls and sockets. The key that asks may be ended too, which logs its client out; to have one again takes a log-in.',
  method: 'DELETE',
  path: '/users/me/api_keys/{key_id}',
  allow: anyUser,
  params: { key_id: text.describe('The `id` of the key in `GET /users/me/api_keys`') },
  refuses: ['BAD_REQUEST'],
  change: (tx, { user, params }) => apiKeys.end(tx, user.id, params.key_id),
});
