import { z } from 'zod';
import { apiKey } from '../../domain/wire/personal-objects.ts';
import * as apiKeys from '../../operations/accounts/api-keys.ts';
import { managed } from '../../operations/bots/bots.ts';
import { endpoint } from '../endpoint.ts';
import { USES_DESCRIPTION } from '../keys/get-own-keys.ts';
import { integer } from '../params.ts';
import { people } from '../permissions.ts';

export const getBotKeys = endpoint({
  summary: 'Get the API keys of a bot that you own or administer, and when they were last used',
  description: USES_DESCRIPTION,
  method: 'GET',
  path: '/bots/{bot_id}/api_keys',
  allow: people,
  params: { bot_id: integer },
  reply: { api_keys: z.array(apiKey).describe('Newest first') },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  exchange({ user, params }, { realm, answer }) {
    const bot = managed(realm.reader, user, params.bot_id);
    const recentUse = (hash: string) => realm.keyUses.unwrittenOf(hash);
    answer({ api_keys: apiKeys.list(realm.reader, bot.id, { recentUse }) });
  },
});
