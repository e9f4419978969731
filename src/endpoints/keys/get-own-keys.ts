import { z } from 'zod';
import { apiKey } from '../../domain/wire/personal-objects.ts';
import * as apiKeys from '../../operations/accounts/api-keys.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

/** Tells clients how exact the noted uses of a key are; Markdown. */
export const USES_DESCRIPTION = [
  'A use is noted once an hour for each key, so that the last may be up to an hour later than told; a client that listens for',
  'events uses its key all the while. What was noted is stored after an hour and when the server is stopped: a kill takes at',
  'most an hour of it. Of the address nothing but its class is kept; behind a proxy that the operator has not named, that is the class of the proxy. Downloads',
  'by the addresses of files, and the parts of resumable uploads, are not noted.',
].join(' ');

export const getOwnKeys = endpoint({
  summary: 'Get the API keys of your account, and when they were last used',
  description: USES_DESCRIPTION,
  method: 'GET',
  path: '/users/me/api_keys',
  allow: anyUser,
  params: {},
  reply: { api_keys: z.array(apiKey).describe('Newest first') },
  exchange({ user, keyHash }, { realm, answer }) {
    const recentUse = (hash: string) => realm.keyUses.unwrittenOf(hash);
    answer({ api_keys: apiKeys.list(realm.reader, user.id, { current: keyHash, recentUse }) });
  },
});
