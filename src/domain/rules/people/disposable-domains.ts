import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';

let listed: ReadonlySet<string> | undefined;

/** Whether mail there is for an address that anybody can have for an hour: of a listed domain, all below it are as well. */
export function isDisposable(domain: string): boolean {
  // Read when the first address is looked at: most servers see none for days.
  listed ??= disposableEmailBlocklistSet();
  const labels = domain.toLowerCase().replace(/\.$/, '').split('.');
  for (let first = 0; first < labels.length - 1; first += 1) {
    if (listed.has(labels.slice(first).join('.'))) return true;
  }
  return false;
}
