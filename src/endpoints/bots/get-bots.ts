import { z } from 'zod';
import * as objects from '../../domain/wire/objects.ts';
import * as bots from '../../operations/bots/bots.ts';
import { endpoint } from '../endpoint.ts';
import { people } from '../permissions.ts';
import * as botReplies from './bot-replies.ts';

export const getBots = endpoint({
  summary: 'Get your own active bots',
  method: 'GET',
  path: '/bots',
  allow: people,
  params: {},
  reply: {
    bots: z.array(
      z.object({
        username: z.string().describe('The API email'),
        full_name: z.string(),
        api_key: z.string().describe('Empty: only a hash of it is stored'),
        avatar_url: objects.avatarUrl,
        ...botReplies.defaults,
      }),
    ),
  },
  refuses: ['BAD_REQUEST'],
  read: (reader, { user, site }) => ({ bots: bots.ownedBy(reader, user, site) }),
});
