import { table } from '../table.ts';

/** Mail domains that new accounts may have, in lower case, when the organization restricts them. */
export const realmDomains = table<[domain: string], { readonly allowsSubdomains: boolean }>(
  'realm_domains',
  ['allowsSubdomains'],
);
