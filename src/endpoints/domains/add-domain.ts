import * as realmDomains from '../../operations/realm/domains.ts';
import { endpoint } from '../endpoint.ts';
import { boolean, text } from '../params.ts';
import { ownersOnly } from '../permissions.ts';

export const addDomain = endpoint({
  summary: 'Add a mail domain that accounts may have',
  method: 'POST',
  path: '/realm/domains',
  allow: ownersOnly,
  params: {
    domain: text,
    allow_subdomains: boolean.describe('Whether what is below it counts as well'),
  },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['realm_domains'],
  change: (tx, { params }) => realmDomains.add(tx, params),
});
