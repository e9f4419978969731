import * as mailInvitations from '../../operations/accounts/mail-invitations.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { humanMembers } from './invite-params.ts';

export const resendInvite = endpoint({
  summary: 'Send an invitation by mail once more',
  method: 'POST',
  path: '/invites/{invite_id}/resend',
  rate: 'mail',
  allow: humanMembers,
  params: { invite_id: integer },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['invites_changed'],
  change: (tx, request) => mailInvitations.resend(tx, request, request.params.invite_id),
});
