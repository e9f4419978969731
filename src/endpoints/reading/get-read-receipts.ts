import { z } from 'zod';
import { readersOf } from '../../operations/reading/read-receipts.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const getReadReceipts = endpoint({
  summary: 'Get who has read a message',
  description:
    'Without its sender, deactivated accounts, those who keep their reading to themselves, and whom the caller has muted or is muted by.',
  method: 'GET',
  path: '/messages/{message_id}/read_receipts',
  allow: anyUser,
  params: { message_id: integer },
  reply: { user_ids: z.array(z.int()).describe('Ascending') },
  refuses: ['BAD_REQUEST'],
  read: (reader, { user, params }) => ({
    user_ids: readersOf(reader, user, params.message_id),
  }),
});
