import { REPORT_TYPES, report } from '../../operations/messages/reports.ts';
import { endpoint } from '../endpoint.ts';
import { integer, oneOf, text } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const reportMessage = endpoint({
  summary: 'Report a message to the moderators',
  method: 'POST',
  path: '/messages/{message_id}/report',
  allow: anyUser,
  params: {
    message_id: integer,
    report_type: oneOf(REPORT_TYPES),
    description: text
      .default('')
      .describe('At most 1,000 characters; required when `report_type` is `other`'),
  },
  refuses: ['BAD_REQUEST'],
  emits: ['message', 'stream'],
  change: (tx, request) =>
    report(tx, request, {
      messageId: request.params.message_id,
      type: request.params.report_type,
      description: request.params.description,
    }),
});
