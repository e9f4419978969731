import { z } from 'zod';
import { updateFlags as update } from '../../operations/reading/flags.ts';
import { endpoint } from '../endpoint.ts';
import { idList, word } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const updateFlags = endpoint({
  summary: 'Change a personal flag of messages',
  method: 'POST',
  path: '/messages/flags',
  allow: anyUser,
  params: { messages: idList, op: word, flag: word },
  reply: {
    messages: z.array(z.int()),
    ignored_because_not_subscribed_channels: z.array(z.int()).optional(),
  },
  refuses: ['BAD_REQUEST'],
  emits: ['update_message_flags'],
  change: (tx, request) => {
    const { messages: messageIds, op, flag } = request.params;
    return update(tx, request, { messageIds, op, flag });
  },
});
