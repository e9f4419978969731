import { z } from 'zod';
import { presences as presenceMap } from '../../domain/wire/objects.ts';
import * as presences from '../../operations/users/presences.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

export const getRealmPresence = endpoint({
  summary: 'Get the presence of everyone',
  method: 'GET',
  path: '/realm/presence',
  allow: anyUser,
  params: {},
  reply: {
    server_timestamp: z.number().describe('UNIX seconds'),
    presences: presenceMap.describe('In the legacy form'),
  },
  read: (reader, { user: viewer, site, now }) =>
    presences.legacyList(reader, { viewer, site, now }),
});
