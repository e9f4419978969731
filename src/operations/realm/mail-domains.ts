import { isDisposable } from '../../domain/rules/people/disposable-domains.ts';
import * as errors from '../../domain/wire/errors.ts';
import { type Reads, realmSetting } from '../access/groups.ts';

/** Refuses an address that the organization does not allow. */
export function refuse(reads: Reads, email: string) {
  const fault = faultOf(reads, email);
  if (fault !== undefined) throw errors.badRequest(fault);
}

/**
 * Returns why no account may have this address: if the organization restricts the domains of its
 * people, it has to be in one of them, else not in a disposable one (docs/decisions/0066).
 */
export function faultOf(reads: Reads, email: string): string | undefined {
  const folded = email.trim().toLowerCase();
  const at = folded.lastIndexOf('@');
  const domain = folded.slice(at + 1);
  if (!realmSetting(reads, 'emails_restricted_to_domains')) {
    if (!realmSetting(reads, 'disallow_disposable_email_addresses')) return undefined;
    return isDisposable(domain)
      ? 'Disposable email addresses are not allowed in this organization'
      : undefined;
  }
  // With any text after a plus, the mail goes to the same person, who could make any number of
  // accounts.
  if (folded.slice(0, at).includes('+')) {
    return 'Email addresses containing + are not allowed in this organization.';
  }
  if (isNamed(reads, domain)) return undefined;
  return (
    `Your email address, ${folded}, is not in one of the domains that are allowed to register for ` +
    'accounts in this organization.'
  );
}

function isNamed(reads: Reads, domain: string): boolean {
  if (reads.realmDomains.has([domain])) return true;
  for (let dot = domain.indexOf('.'); dot >= 0; dot = domain.indexOf('.', dot + 1)) {
    if (reads.realmDomains.get([domain.slice(dot + 1)])?.allowsSubdomains) return true;
  }
  return false;
}
