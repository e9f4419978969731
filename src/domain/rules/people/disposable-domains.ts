import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';

let listed: ReadonlySet<string> | undefined;

/**
 * Tests whether an address has a disposable mail domain, which gives mailboxes to anybody for an
 * hour. A listed domain includes its subdomains.
 */
export function isDisposable(domain: string): boolean {
  // The list is loaded with the first address that is checked: most servers see none for days.
  listed ??= disposableEmailBlocklistSet();
  const labels = domain.toLowerCase().replace(/\.$/, '').split('.');
  for (let first = 0; first < labels.length - 1; first += 1) {
    if (listed.has(labels.slice(first).join('.'))) return true;
  }
  return false;
}
