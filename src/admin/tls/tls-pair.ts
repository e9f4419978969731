import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../../settings/reading.ts';

/**
 * Refuses files that cannot be read, or that are no key with its certificate. The socket library
 * would not say which.
 */
export function checkTlsPair(files: { readonly key: string; readonly cert: string }) {
  const key = read('CONFAB_TLS_KEY', files.key);
  const cert = read('CONFAB_TLS_CERT', files.cert);
  requireUsable('CONFAB_TLS_KEY holds no private key', { key });
  requireUsable('CONFAB_TLS_CERT holds no certificate', { cert });
  requireUsable('CONFAB_TLS_KEY and CONFAB_TLS_CERT do not belong together', { key, cert });
}

function read(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError(`${setting} cannot be read: ${(error as Error).message}`);
  }
}

function requireUsable(fault: string, pair: { key?: Buffer; cert?: Buffer }) {
  try {
    createSecureContext(pair);
  } catch (error) {
    throw new ConfigError(`${fault}: ${(error as Error).message}`);
  }
}
