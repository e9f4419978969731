import { z } from 'zod';
import { rendered } from '../../operations/posting/sending-rules.ts';
import { endpoint } from '../endpoint.ts';
import { text } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const renderMessage = endpoint({
  summary: 'Render Markdown',
  description:
    'As a message of the caller with this content would look, without its being sent. Nobody is notified, and no file is linked.',
  method: 'POST',
  path: '/messages/render',
  allow: anyUser,
  params: { content: text.describe('Markdown, as long as a message may be') },
  reply: { rendered: z.string().describe('HTML') },
  refuses: ['BAD_REQUEST'],
  read: (reader, { params, ...caller }) => ({ rendered: rendered(reader, caller, params.content) }),
});
