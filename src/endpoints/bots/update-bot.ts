import { z } from 'zod';
import * as objects from '../../domain/wire/objects.ts';
import * as bots from '../../operations/bots/bots.ts';
import { endpoint } from '../endpoint.ts';
import { integer, role, text } from '../params.ts';
import { people } from '../permissions.ts';
import * as botParams from './bot-params.ts';
import * as botReplies from './bot-replies.ts';

export const updateBot = endpoint({
  summary: 'Change a bot that you own or administer',
  method: 'PATCH',
  path: '/bots/{bot_id}',
  allow: people,
  params: {
    bot_id: integer,
    full_name: text.optional(),
    role: role.optional().describe('For administrators alone'),
    bot_owner_id: integer.optional().describe('Somebody who is active, no bot and no guest'),
    service_payload_url: botParams.payloadUrl
      .optional()
      .describe('What an outgoing-webhook bot calls, with http or https'),
    service_interface: botParams.interfaceType.optional(),
    config_data: botParams.config,
    ...botParams.defaults,
  },
  reply: {
    full_name: z.string(),
    avatar_url: objects.avatarUrl,
    service_interface: z.int().nullable(),
    service_payload_url: z.string().nullable(),
    bot_owner: z.string().optional().describe('The API email of its owner'),
    ...botReplies.defaults,
  },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['realm_bot', 'realm_user', 'user_group'],
  change: (tx, request) => {
    const { bot_id: botId, ...change } = request.params;
    return bots.update(tx, request, { botId, change });
  },
});
