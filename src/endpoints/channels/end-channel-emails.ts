import * as channelChanges from '../../operations/channels/changes.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { anyUser } from '../permissions.ts';

export const endChannelEmails = endpoint({
  summary: 'End all mail addresses of a channel',
  description:
    'For a channel whose address has come into the wrong hands. Mails to all addresses that anybody has requested so far are refused from now on; an address that is requested later is a new one. It is for those who administer the channel.',
  method: 'DELETE',
  path: '/streams/{stream_id}/email_address',
  allow: anyUser,
  params: { stream_id: integer },
  refuses: ['BAD_REQUEST', 'CANNOT_ADMINISTER_CHANNEL'],
  change: (tx, { user, params }) => channelChanges.endAddresses(tx, user, params.stream_id),
});
