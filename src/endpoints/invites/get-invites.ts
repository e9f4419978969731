import { z } from 'zod';
import { invitation } from '../../domain/wire/realm-objects.ts';
import * as invitations from '../../operations/accounts/invitations.ts';
import { endpoint } from '../endpoint.ts';
import { humanMembers } from './invite-params.ts';

export const getInvites = endpoint({
  summary: 'Get the invitations that can still be accepted: your own, or all for administrators',
  method: 'GET',
  path: '/invites',
  allow: humanMembers,
  params: {},
  holdsSecret: true,
  reply: { invites: z.array(invitation) },
  refuses: ['BAD_REQUEST'],
  // Runs as an operation, because expiry is judged by the transaction's time.
  change: (tx, request) => ({
    invites: invitations.list(tx, request, Math.floor(tx.now / 1000)),
  }),
});
