import * as typing from '../../operations/messages/typing.ts';
import { endpoint } from '../endpoint.ts';
import { integer, oneOf } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const sendMessageTyping = endpoint({
  summary: 'Tell the readers of a message that one changes it, or has stopped',
  method: 'POST',
  path: '/messages/{message_id}/typing',
  allow: anyUser,
  params: {
    message_id: integer.describe("Of a message of one's own"),
    op: oneOf(['start', 'stop']),
  },
  refuses: ['BAD_REQUEST'],
  emits: ['typing_edit_message'],
  change: (tx, { user, params: { op, message_id: messageId } }) =>
    typing.inMessage(tx, user, { op, messageId }),
});
