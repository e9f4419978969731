import type { RealmTransaction } from '../../../storage/transaction.ts';
import { REALM_DOMAINS_MAX } from '../../domain/limits/organizations.ts';
import { cutTo } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { RealmDomain } from '../../domain/wire/realm-objects.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import * as realmSettings from './settings.ts';

/** Returns the mail domains that accounts may have if the organization restricts them. */
export const list = (reads: Reads): RealmDomain[] =>
  Array.from(reads.realmDomains.range({}), ([[domain], { allowsSubdomains }]) => ({
    domain,
    allow_subdomains: allowsSubdomains,
  }));

export function add(tx: RealmTransaction, given: RealmDomain) {
  const domain = acceptableDomain(given.domain);
  if (tx.realmDomains.has([domain])) {
    throw errors.badRequest(`The domain ${domain} is already a part of your organization.`);
  }
  if (list(tx).length >= REALM_DOMAINS_MAX) {
    throw errors.badRequest(`An organization has at most ${REALM_DOMAINS_MAX} domains.`);
  }
  tx.realmDomains.put([domain], { allowsSubdomains: given.allow_subdomains });
  tx.emit({
    event: { type: 'realm_domains', op: 'add', realm_domain: { ...given, domain } },
    audience: { everyone: true },
  });
}

export function change(tx: RealmTransaction, { domain: name, allow_subdomains }: RealmDomain) {
  const { domain, allowsSubdomains } = known(tx, name);
  if (allowsSubdomains === allow_subdomains) return;
  tx.realmDomains.put([domain], { allowsSubdomains: allow_subdomains });
  tx.emit({
    event: { type: 'realm_domains', op: 'change', realm_domain: { domain, allow_subdomains } },
    audience: { everyone: true },
  });
}

/** Removes a domain. Without the last one no user could join, so the restriction ends with it. */
export function remove(tx: RealmTransaction, name: string) {
  const { domain } = known(tx, name);
  tx.realmDomains.remove([domain]);
  tx.emit({
    event: { type: 'realm_domains', op: 'remove', domain },
    audience: { everyone: true },
  });
  if (list(tx).length === 0 && realmSetting(tx, 'emails_restricted_to_domains')) {
    realmSettings.set(tx, 'emails_restricted_to_domains', false);
  }
}

function known(tx: RealmTransaction, name: string) {
  const domain = name.trim().toLowerCase();
  const row = tx.realmDomains.get([domain]);
  if (row === undefined) {
    throw errors.badRequest(`No entry found for domain ${cutTo(name, DOMAIN_LENGTH_MAX)}.`);
  }
  return { domain, ...row };
}

const DOMAIN_LENGTH_MAX = 253;
/** Matches labels of letters, digits and dashes, more than one (RFC 1035). */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function acceptableDomain(given: string): string {
  const domain = given.trim().toLowerCase();
  if (domain.length <= DOMAIN_LENGTH_MAX && DOMAIN.test(domain)) return domain;
  throw errors.badRequest(`Invalid domain: ${faultOf(domain)}`);
}

function faultOf(domain: string): string {
  if (domain === '') return "Domain can't be empty.";
  if (!domain.includes('.')) return 'Domain must have at least one dot (.)';
  if (domain.length > DOMAIN_LENGTH_MAX) return 'Domain is too long';
  if (domain.startsWith('.') || domain.endsWith('.')) {
    return 'Domain cannot start or end with a dot (.)';
  }
  const labels = domain.split('.');
  if (labels.includes('')) return "Consecutive '.' are not allowed.";
  if (labels.some((label) => label.startsWith('-') || label.endsWith('-'))) {
    return "Subdomains cannot start or end with a '-'.";
  }
  const isTooLong = labels.every((label) => /^[a-z0-9-]+$/.test(label));
  return isTooLong ? 'Domain is too long' : "Domain can only have letters, numbers, '.' and '-'s.";
}
