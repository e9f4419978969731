import * as realmDomains from '../../operations/realm/domains.ts';
import { endpoint } from '../endpoint.ts';
import { text } from '../params.ts';
import { ownersOnly } from '../permissions.ts';

export const removeDomain = endpoint({
  summary: 'Remove a mail domain that accounts may have',
  description: 'With the last one `emails_restricted_to_domains` is turned off.',
  method: 'DELETE',
  path: '/realm/domains/{domain}',
  allow: ownersOnly,
  params: { domain: text },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['realm_domains', 'realm'],
  change: (tx, { params }) => realmDomains.remove(tx, params.domain),
});
