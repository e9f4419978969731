import { z } from 'zod';
import * as messageObjects from '../../domain/wire/message-objects.ts';
import { fetchMessage } from '../../operations/reading/message-list.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const getMessage = endpoint({
  summary: 'Get a message',
  method: 'GET',
  path: '/messages/{message_id}',
  allow: anyUser,
  spectators: true,
  params: {
    message_id: integer,
    apply_markdown: boolean.default(true),
    allow_empty_topic_name: boolean.default(false),
  },
  reply: { message: messageObjects.listedMessage, raw_content: z.string() },
  refuses: ['BAD_REQUEST'],
  read: (reader, { user, site, params }) =>
    fetchMessage(reader, {
      user,
      site,
      messageId: params.message_id,
      applyMarkdown: params.apply_markdown,
      // The option does not exist here, so the address is always given.
      clientGravatar: false,
      allowEmptyTopicName: params.allow_empty_topic_name,
    }),
});
