import * as botStorage from '../../operations/bots/storage.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';
import { keys } from './storage-params.ts';

export const removeBotStorage = endpoint({
  summary: 'Remove texts that a bot keeps on the server',
  method: 'DELETE',
  path: '/bot_storage',
  allow: anyUser,
  params: { keys: keys.describe('Each has to be there; without it everything is removed') },
  refuses: ['BAD_REQUEST'],
  change: (tx, { user, params }) => botStorage.remove(tx, user.id, params.keys),
});
