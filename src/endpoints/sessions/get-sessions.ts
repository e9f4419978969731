import { z } from 'zod';
import { session } from '../../domain/wire/personal-objects.ts';
import * as sessions from '../../operations/accounts/sessions.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

export const getSessions = endpoint({
  summary: 'Get the browsers in which you are logged in',
  description:
    'A use is noted once an hour for each session. Of the address nothing but its class is kept; behind a proxy that the operator ' +
    'has not named, that is the class of the proxy.',
  method: 'GET',
  path: '/sessions',
  allow: anyUser,
  params: {},
  reply: { sessions: z.array(session).describe('Newest first') },
  exchange({ user, keyHash, now }, { realm, answer }) {
    const recentUse = (hash: string) => realm.keyUses.unwrittenOf(hash);
    answer({
      sessions: sessions.list(realm.reader, user.id, { current: keyHash, recentUse, now }),
    });
  },
});
