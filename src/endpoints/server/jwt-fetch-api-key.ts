import * as errors from '../../domain/wire/errors.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, text } from '../params.ts';

export const jwtFetchApiKey = endpoint({
  summary: 'Refused: no other service vouches for accounts of this server',
  method: 'POST',
  path: '/jwt/fetch_api_key',
  params: { token: text.optional(), include_profile: boolean.default(false) },
  refuses: ['BAD_REQUEST'],
  visit() {
    throw errors.jwtNotEnabled();
  },
});
