import * as scheduledMessages from '../../operations/personal/scheduled-messages.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { scheduledParams } from './scheduled-params.ts';

const { type, to, content, topic, scheduled_delivery_timestamp } = scheduledParams;

export const editScheduledMessage = endpoint({
  summary: 'Change a scheduled message',
  method: 'PATCH',
  path: '/scheduled_messages/{scheduled_message_id}',
  allow: anyUser,
  params: {
    scheduled_message_id: integer,
    type: type.optional().describe('With new recipients'),
    to: to.optional(),
    content: content.optional(),
    topic,
    scheduled_delivery_timestamp: scheduled_delivery_timestamp
      .optional()
      .describe('UNIX seconds; required of a message that could not be sent'),
  },
  refuses: [
    'BAD_REQUEST',
    'STREAM_DOES_NOT_EXIST',
    'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
    'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
  ],
  emits: ['scheduled_messages'],
  change: (tx, request) => {
    const {
      scheduled_message_id: id,
      scheduled_delivery_timestamp: dueAt,
      ...rest
    } = request.params;
    scheduledMessages.edit(tx, request, { id, dueAt, ...rest });
  },
});
