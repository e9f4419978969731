import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError, type Environment, orNull, type Read, variable, whole } from './reading.ts';

const ACME_DIRECTORY = 'https://acme-v02.api.letsencrypt.org/directory';

export function tlsFiles(
  keyName: string,
  certName: string,
): Read<Readonly<{ key: string; cert: string }> | null> {
  const readKey = variable(keyName, z.string().default(''));
  const readCert = variable(certName, z.string().default(''));
  return (env) => {
    const [key, cert] = [readKey(env), readCert(env)];
    if ((key === '') !== (cert === '')) {
      throw new ConfigError(`${keyName} and ${certName} go together`);
    }
    return key === '' ? null : Object.freeze({ key, cert });
  };
}

/** ACME proves the names of the server on the redirect port, and keeps its files below the data. */
export function acmeAuthority(readData: Read<string>) {
  const readEmail = variable(
    'CONFAB_ACME_EMAIL',
    orNull(z.string().regex(/^[^\s@]+@[^\s@]+$/, 'is not a mail address')),
  );
  const readDirectory = variable(
    'CONFAB_ACME_DIRECTORY',
    z
      .string()
      .refine((url) => /^https:/.test(url) && URL.canParse(url), 'is not a URL of https')
      .default(ACME_DIRECTORY),
  );
  return (env: Environment) => {
    const [email, directory] = [readEmail(env), readDirectory(env)];
    if (email === null) return null;
    if ((env['CONFAB_REDIRECT_PORT'] ?? '') === '') {
      throw new ConfigError(
        'CONFAB_ACME_EMAIL needs CONFAB_REDIRECT_PORT, where it proves its names',
      );
    }
    const folder = join(readData(env), 'tls');
    const files = Object.freeze({ key: join(folder, 'key.pem'), cert: join(folder, 'cert.pem') });
    return Object.freeze({ email, directory, files });
  };
}

/** Returns the pair of the authority, or else the operator's; they do not go together. */
export function tlsPair(
  readFiles: Read<Readonly<{ key: string; cert: string }> | null>,
  readAcme: ReturnType<typeof acmeAuthority>,
): typeof readFiles {
  return (env) => {
    const [files, acme] = [readFiles(env), readAcme(env)];
    if (acme !== null && files !== null) {
      throw new ConfigError('CONFAB_ACME_EMAIL and CONFAB_TLS_KEY do not go together');
    }
    return acme?.files ?? files;
  };
}

export function portOfRedirects(readTls: Read<unknown>): Read<number | null> {
  const read = variable(
    'CONFAB_REDIRECT_PORT',
    orNull(whole({ min: 0, max: 65_535 }, 'is not a port')),
  );
  return (env) => {
    const port = read(env);
    if (port !== null && readTls(env) === null) {
      throw new ConfigError('CONFAB_REDIRECT_PORT needs TLS, which the server is set up without');
    }
    return port;
  };
}
