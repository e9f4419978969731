import { z } from 'zod';
import { draft } from '../../domain/wire/personal-objects.ts';
import * as drafts from '../../operations/personal/drafts.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

export const getDrafts = endpoint({
  summary: 'Get your drafts',
  method: 'GET',
  path: '/drafts',
  allow: anyUser,
  params: {},
  reply: { count: z.int(), drafts: z.array(draft).describe('The last edited first') },
  refuses: ['BAD_REQUEST'],
  read: (reader, { user }) => {
    const own = drafts.own(reader, user);
    return { count: own.length, drafts: own };
  },
});
