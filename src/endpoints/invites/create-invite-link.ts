import { z } from 'zod';
import * as invitations from '../../operations/accounts/invitations.ts';
import { endpoint } from '../endpoint.ts';
import { humanMembers, offerOf, offerParams } from './invite-params.ts';

export const createInviteLink = endpoint({
  summary: 'Create a reusable invitation link',
  method: 'POST',
  path: '/invites/multiuse',
  allow: humanMembers,
  params: offerParams,
  holdsSecret: true,
  reply: { invite_link: z.string() },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['invites_changed'],
  change: (tx, request) =>
    invitations.addLink(tx, request, offerOf(request.params, request.site.settings)),
});
