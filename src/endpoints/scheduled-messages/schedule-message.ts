import { z } from 'zod';
import * as scheduledMessages from '../../operations/personal/scheduled-messages.ts';
import { endpoint } from '../endpoint.ts';
import { boolean } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { scheduledParams } from './scheduled-params.ts';

export const scheduleMessage = endpoint({
  summary: 'Schedule a message',
  method: 'POST',
  path: '/scheduled_messages',
  rate: 'send',
  allow: anyUser,
  params: { ...scheduledParams, read_by_sender: boolean.optional() },
  reply: { scheduled_message_id: z.int() },
  refuses: [
    'BAD_REQUEST',
    'STREAM_DOES_NOT_EXIST',
    'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
    'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
  ],
  emits: ['scheduled_messages'],
  change: (tx, request) => {
    const { type, to, content, topic, scheduled_delivery_timestamp, read_by_sender } =
      request.params;
    const id = scheduledMessages.create(tx, request, {
      type,
      to,
      content,
      topic,
      dueAt: scheduled_delivery_timestamp,
      isReadBySender: read_by_sender,
    });
    return { scheduled_message_id: id };
  },
});
