import * as errors from '../../domain/wire/errors.ts';
import { endpoint } from '../endpoint.ts';
import { text } from '../params.ts';

/**
 * Refuses: some servers under development give out keys without a password, but this one has no
 * such mode.
 */
export const devFetchApiKey = endpoint({
  summary: 'Refused: only development servers give out keys without a password',
  method: 'POST',
  needsNoSpace: true,
  path: '/dev_fetch_api_key',
  params: { username: text.optional() },
  refuses: ['BAD_REQUEST'],
  visit() {
    throw errors.notInProduction();
  },
});

export const devListUsers = endpoint({
  summary: 'Refused: only development servers list accounts to those who are not logged in',
  method: 'GET',
  path: '/dev_list_users',
  params: {},
  refuses: ['BAD_REQUEST'],
  visit() {
    throw errors.notInProduction();
  },
});
