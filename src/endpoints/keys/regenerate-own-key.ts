import { z } from 'zod';
import * as apiKeys from '../../operations/accounts/api-keys.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

export const regenerateOwnKey = endpoint({
  summary: 'Get a new API key in place of all that you have',
  description: 'The others stop at once, and your event queues end.',
  method: 'POST',
  needsNoSpace: true,
  path: '/users/me/api_key/regenerate',
  allow: anyUser,
  params: {},
  holdsSecret: true,
  reply: { api_key: z.string() },
  change: (tx, { user }) => ({ api_key: apiKeys.regenerate(tx, user.id) }),
});
