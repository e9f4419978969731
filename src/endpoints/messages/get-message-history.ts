import { z } from 'zod';
import * as objects from '../../domain/wire/objects.ts';
import { historyOf } from '../../operations/indexes/edit-history.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

const historyEntry = z.strictObject({
  content: z.string(),
  rendered_content: z.string(),
  topic: z.string(),
  timestamp: objects.timestamp,
  user_id: objects.id,
  prev_content: z.string().optional(),
  prev_rendered_content: z.string().optional(),
  content_html_diff: z.string().optional().describe('What came and went, marked'),
  prev_topic: z.string().optional(),
  prev_stream: objects.id.optional(),
  stream: objects.id.optional(),
});

export const getMessageHistory = endpoint({
  summary: 'Get the edit history of a message',
  method: 'GET',
  path: '/messages/{message_id}/history',
  allow: anyUser,
  params: { message_id: integer, allow_empty_topic_name: boolean.default(false) },
  reply: {
    message_history: z
      .array(historyEntry)
      .describe('Oldest first; the first entry is the message as it was sent'),
  },
  refuses: ['BAD_REQUEST'],
  read: (reader, { user, params }) => ({
    message_history: historyOf(reader, user, {
      messageId: params.message_id,
      allowEmptyTopicName: params.allow_empty_topic_name,
    }),
  }),
});
