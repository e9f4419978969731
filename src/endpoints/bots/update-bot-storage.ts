import * as botStorage from '../../operations/bots/storage.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';
import { entries } from './storage-params.ts';

export const updateBotStorage = endpoint({
  summary: 'Keep texts of a bot on the server',
  description:
    'Values stay until they are replaced or removed. Each account has a storage of its own.',
  method: 'PUT',
  path: '/bot_storage',
  takesMuch: true,
  allow: anyUser,
  params: { storage: entries.describe('Values by their keys; other keys stay as they are') },
  refuses: ['BAD_REQUEST'],
  change: (tx, { user, params }) => botStorage.keep(tx, user.id, params.storage),
});
