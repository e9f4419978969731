import * as realmDomains from '../../operations/realm/domains.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, text } from '../params.ts';
import { ownersOnly } from '../permissions.ts';

export const updateDomain = endpoint({
  summary: 'Change whether what is below a mail domain counts as well',
  method: 'PATCH',
  path: '/realm/domains/{domain}',
  allow: ownersOnly,
  params: { domain: text, allow_subdomains: boolean },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['realm_domains'],
  change: (tx, { params }) => realmDomains.change(tx, params),
});
