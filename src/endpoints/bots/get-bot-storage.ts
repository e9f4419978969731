import { z } from 'zod';
import * as botStorage from '../../operations/bots/storage.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';
import { keys } from './storage-params.ts';

export const getBotStorage = endpoint({
  summary: 'Get texts that a bot keeps on the server',
  method: 'GET',
  path: '/bot_storage',
  allow: anyUser,
  params: { keys: keys.describe('Each has to be there; without it everything is given') },
  reply: { storage: z.record(z.string(), z.string()).describe('Values by their keys') },
  refuses: ['BAD_REQUEST'],
  read: (reader, { user, params }) => ({
    storage: Object.fromEntries(botStorage.list(reader, user.id, params.keys)),
  }),
});
