import { z } from 'zod';
import { realmDomain } from '../../domain/wire/realm-objects.ts';
import * as realmDomains from '../../operations/realm/domains.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

export const getDomains = endpoint({
  summary: 'Get the mail domains that accounts may have where they are restricted',
  method: 'GET',
  path: '/realm/domains',
  allow: anyUser,
  params: {},
  reply: { domains: z.array(realmDomain) },
  read: (reader) => ({ domains: realmDomains.list(reader) }),
});
