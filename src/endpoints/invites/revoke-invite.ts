import * as invitations from '../../operations/accounts/invitations.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { humanMembers } from './invite-params.ts';

export const revokeInvite = endpoint({
  summary: 'Revoke an invitation that was sent by mail',
  method: 'DELETE',
  path: '/invites/{invite_id}',
  allow: humanMembers,
  params: { invite_id: integer },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['invites_changed'],
  change: (tx, { user, params }) =>
    invitations.revoke(tx, user, { kind: 'email', id: params.invite_id }),
});
