import { z } from 'zod';
import { PRESENCE_HISTORY_DAYS } from '../../domain/rules/people/presence.ts';
import { presences as presenceMap } from '../../domain/wire/objects.ts';
import * as presences from '../../operations/users/presences.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, integer, naturalNumber, oneOf } from '../params.ts';
import { people } from '../permissions.ts';

export const updatePresence = endpoint({
  summary: 'Report your presence, and get that of others',
  method: 'POST',
  path: '/users/me/presence',
  allow: people,
  params: {
    status: oneOf(['active', 'idle']),
    last_update_id: integer
      .refine((value) => value >= -1, 'is too small')
      .optional()
      .describe('-1: everything; else what is newer. Asks for the modern form'),
    history_limit_days: naturalNumber
      .default(PRESENCE_HISTORY_DAYS)
      .describe('Means nothing with a `last_update_id` above 0'),
    new_user_input: boolean.default(false).describe('Accepted; this server keeps no statistics'),
    ping_only: boolean.default(false).describe('Report alone; no presences are returned'),
    slim_presence: boolean.default(false).describe('Deprecated: asks for the modern form'),
  },
  reply: {
    presence_last_update_id: z.int().describe('What to give next time; -1: none'),
    server_timestamp: z.number().optional().describe('UNIX seconds; not with `ping_only`'),
    presences: presenceMap.optional().describe('Not with `ping_only`'),
    zephyr_mirror_active: z.literal(false).describe('Deprecated'),
  },
  refuses: ['BAD_REQUEST'],
  emits: ['presence'],
  change: (tx, { user, site, params }) => presences.exchange(tx, { user, site }, params),
});
