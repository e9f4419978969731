import { z } from 'zod';
import { SUBMESSAGE_LENGTH_MAX } from '../../domain/limits/messages.ts';
import * as submessages from '../../operations/posting/submessages.ts';
import { endpoint } from '../endpoint.ts';
import { integer, meaning, oneOf } from '../params.ts';
import { anyUser } from '../permissions.ts';

/** Stores the text as it was written, after checking that it is JSON. */
const content = meaning(
  z
    .string()
    .max(SUBMESSAGE_LENGTH_MAX, 'is too long')
    .transform((given, context) => {
      try {
        return { given, value: JSON.parse(given) as unknown };
      } catch {
        context.addIssue({ code: 'custom', message: 'is not valid JSON' });
        return z.NEVER;
      }
    }),
  z.object({ type: z.string() }).loose(),
  true,
);

export const addSubmessage = endpoint({
  summary: 'Vote in a poll, or do something else with the widget of a message',
  method: 'POST',
  path: '/submessage',
  allow: anyUser,
  params: {
    message_id: integer,
    msg_type: oneOf(['widget']),
    content: content.describe(
      'Of a poll: `vote`, `new_option`, `question`; of a list: `new_task`, `strike`, `new_task_list_title`',
    ),
  },
  refuses: ['BAD_REQUEST', 'REQUEST_VARIABLE_MISSING'],
  emits: ['submessage', 'user_topic', 'muted_topics'],
  change(tx, request) {
    const {
      message_id: messageId,
      content: { given, value },
    } = request.params;
    submessages.add(tx, request, { messageId, content: given, value });
  },
});
