import { DEACTIVATION_COMMENT_LENGTH_MAX } from '../../domain/limits/accounts.ts';
import * as deactivation from '../../operations/accounts/deactivation.ts';
import { endpoint } from '../endpoint.ts';
import { integer, textUpTo } from '../params.ts';
import { accountManagers } from '../permissions.ts';
import { activityEvents } from './activity-events.ts';

export const deactivateUser = endpoint({
  summary: "Deactivate somebody's account, and their bots",
  description:
    'What they have written stays. Their keys stop working, their event queues end and their invitations are revoked; ' +
    'subscriptions and groups are kept for when the account is reactivated.',
  method: 'DELETE',
  path: '/users/{user_id_or_email}',
  allow: accountManagers,
  params: {
    user_id_or_email: integer.describe('An id: addresses are for reading and changing alone'),
    deactivation_notification_comment: textUpTo(DEACTIVATION_COMMENT_LENGTH_MAX)
      .optional()
      .describe('With it, even empty, the person is told by mail'),
  },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: activityEvents,
  change: (tx, request) =>
    deactivation.ofPerson(tx, request, {
      userId: request.params.user_id_or_email,
      comment: request.params.deactivation_notification_comment,
    }),
});
