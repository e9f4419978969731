import { INVITEES_LENGTH_MAX } from '../../domain/limits/accounts.ts';
import * as errors from '../../domain/wire/errors.ts';
import { accountOfUser } from '../../operations/access/authentication.ts';
import * as mailInvitations from '../../operations/accounts/mail-invitations.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, text } from '../params.ts';
import { humanMembers, offerOf, offerParams } from './invite-params.ts';

export const sendInvites = endpoint({
  summary: 'Invite people by mail',
  method: 'POST',
  path: '/invites',
  rate: 'mail',
  allow: humanMembers,
  params: {
    invitee_emails: text
      .max(INVITEES_LENGTH_MAX, 'is too long')
      .describe('Addresses, separated by commas or lines; `Name <address>` as well'),
    ...offerParams,
    // Here it is required, even if the list is empty.
    stream_ids: offerParams.stream_ids.unwrap(),
    notify_referrer_on_join: boolean
      .default(true)
      .describe('Whether you are told when an invitation is accepted'),
  },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL', 'INVITATION_FAILED'],
  emits: ['invites_changed'],
  exchange(request, { realm, answer, refuse }) {
    const { params, site, client } = request;
    realm.run(
      (tx) =>
        mailInvitations.invite(
          tx,
          // The account is read again: an earlier operation of the batch may have changed it.
          { user: accountOfUser(tx, request.user.id), site, client },
          {
            offer: offerOf(params, site.settings),
            invitees: params.invitee_emails,
            notifiesInviter: params.notify_referrer_on_join,
          },
        ),
      (outcome) => {
        if (!outcome.isDone) return refuse(outcome.error);
        const skipped = outcome.reply;
        if (skipped.length === 0) return answer({});
        // The others have been invited, so this refusal comes after the commit, and undoes nothing.
        const msg = 'Some of those addresses have an account already; all others were invited.';
        refuse(errors.invitationFailed(msg, { errors: skipped, hasSent: true }));
      },
      request.user.id,
    );
  },
});
