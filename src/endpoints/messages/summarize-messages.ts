import * as errors from '../../domain/wire/errors.ts';
import { endpoint } from '../endpoint.ts';
import { people } from '../permissions.ts';
import { narrow } from './range-params.ts';

export const summarizeMessages = endpoint({
  summary: 'Refused: this server has no language model that sums up messages',
  method: 'GET',
  path: '/messages/summary',
  allow: people,
  params: { narrow },
  refuses: ['BAD_REQUEST'],
  read() {
    throw errors.noSummaries();
  },
});
