import * as typing from '../../operations/messages/typing.ts';
import { endpoint } from '../endpoint.ts';
import { idList, integer, oneOf, text } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const sendTyping = endpoint({
  summary: 'Tell others that one writes to them, or has stopped',
  method: 'POST',
  path: '/typing',
  allow: anyUser,
  params: {
    op: oneOf(['start', 'stop']),
    type: oneOf(['direct', 'stream', 'channel']).default('direct'),
    to: idList.optional().describe('Of a direct message: the ids of the others'),
    stream_id: integer.optional().describe('Of a channel message, as the topic'),
    topic: text.optional(),
  },
  refuses: ['BAD_REQUEST'],
  emits: ['typing'],
  change: (tx, { params: { op, type, to, stream_id, topic }, ...caller }) =>
    type === 'direct'
      ? typing.toPeople(tx, caller, { op, userIds: to })
      : typing.inChannel(tx, caller, { op, channelId: stream_id, topic }),
});
