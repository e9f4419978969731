import { z } from 'zod';
import { attachment } from '../../domain/wire/personal-objects.ts';
import * as attachments from '../../operations/files/attachments.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';

export const getAttachments = endpoint({
  summary: 'Get the files that you uploaded',
  method: 'GET',
  path: '/attachments',
  allow: anyUser,
  params: {},
  reply: {
    attachments: z.array(attachment).describe('Newest first'),
    upload_space_used: z.int().describe('Bytes of the whole organization'),
  },
  read: (reader, { user }) => attachments.list(reader, user.id),
});
