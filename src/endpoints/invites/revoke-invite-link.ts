import * as invitations from '../../operations/accounts/invitations.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { humanMembers } from './invite-params.ts';

export const revokeInviteLink = endpoint({
  summary: 'Revoke a reusable invitation link',
  method: 'DELETE',
  path: '/invites/multiuse/{invite_id}',
  allow: humanMembers,
  params: { invite_id: integer },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['invites_changed'],
  change: (tx, { user, params }) =>
    invitations.revoke(tx, user, { kind: 'link', id: params.invite_id }),
});
