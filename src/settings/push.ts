import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError, type Environment, orNull, variable } from './reading.ts';

const APNS_URL = 'https://api.push.apple.com';
const FCM_URL = 'https://fcm.googleapis.com';

const isHttps = (url: string) => /^https:\/\//.test(url) && URL.canParse(url);
const service = (name: string, usual: string) =>
  variable(
    name,
    z
      .string()
      .default(usual)
      .refine(isHttps, 'is not a URL of https')
      .transform((url) => new URL(url).origin),
  );

/** Returns what Apple's push service is told by; null: there is no key. */
export function apnsSettings() {
  const readFile = variable('CONFAB_APNS_KEY', orNull(z.string()));
  const id = (name: string) =>
    variable(name, orNull(z.string().regex(/^[A-Z0-9]{10}$/, 'is not an id of 10 characters')));
  const [readKeyId, readTeamId] = [id('CONFAB_APNS_KEY_ID'), id('CONFAB_APNS_TEAM_ID')];
  const readTopic = variable(
    'CONFAB_APNS_TOPIC',
    orNull(z.string().regex(/^[.a-zA-Z0-9-]{1,200}$/, 'is not the bundle id of an app')),
  );
  const readUrl = service('CONFAB_APNS_URL', APNS_URL);
  const readAuthorities = variable('CONFAB_APNS_CA', orNull(z.string()));
  return (env: Environment) => {
    const [file, keyId, teamId] = [readFile(env), readKeyId(env), readTeamId(env)];
    const [topic, url, authoritiesFile] = [readTopic(env), readUrl(env), readAuthorities(env)];
    if (file === null) {
      // An operator who sets these has meant to set the key, and would wait for pushes in vain.
      if (keyId === null && teamId === null && topic === null) return null;
      throw new ConfigError('CONFAB_APNS_KEY is not set, and the other settings of it are');
    }
    if (keyId === null || teamId === null || topic === null) {
      throw new ConfigError(
        'CONFAB_APNS_KEY needs CONFAB_APNS_KEY_ID, CONFAB_APNS_TEAM_ID and CONFAB_APNS_TOPIC',
      );
    }
    const key = privateKey('CONFAB_APNS_KEY', textOf('CONFAB_APNS_KEY', file));
    if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') {
      throw new ConfigError('CONFAB_APNS_KEY is not a key on the curve P-256');
    }
    const authorities = authoritiesFile === null ? null : certificatesIn(authoritiesFile);
    return Object.freeze({ key, keyId, teamId, topic, url, authorities });
  };
}

/** The parts of a service account's file that are of use here. */
const account = z.object({
  project_id: z.string().regex(/^[a-z0-9:.-]{1,100}$/),
  client_email: z.string().min(1),
  private_key: z.string(),
  private_key_id: z.string().optional(),
  token_uri: z.string().refine((url) => /^https?:\/\//.test(url) && URL.canParse(url)),
});

/** Returns what Google's push service is told by; null: there is no account. */
export function fcmSettings() {
  const readFile = variable('CONFAB_FCM_ACCOUNT', orNull(z.string()));
  const readUrl = variable(
    'CONFAB_FCM_URL',
    z
      .string()
      .default(FCM_URL)
      .refine(
        (url) => /^https?:\/\//.test(url) && URL.canParse(url),
        'is not a URL of http or https',
      )
      .transform((url) => new URL(url).origin),
  );
  return (env: Environment) => {
    const [file, url] = [readFile(env), readUrl(env)];
    if (file === null) return null;
    const { success, data } = account.safeParse(jsonIn(textOf('CONFAB_FCM_ACCOUNT', file)));
    if (!success) throw new ConfigError('CONFAB_FCM_ACCOUNT is not the file of a service account');
    const key = privateKey('CONFAB_FCM_ACCOUNT', data.private_key);
    if (key.asymmetricKeyType !== 'rsa') {
      throw new ConfigError('CONFAB_FCM_ACCOUNT has a key that is not of RSA');
    }
    return Object.freeze({
      key,
      keyId: data.private_key_id ?? null,
      projectId: data.project_id,
      email: data.client_email,
      tokenUrl: data.token_uri,
      url,
    });
  };
}

/** A file of something else would make each connection fail, with words about the service. */
function certificatesIn(file: string): string {
  const text = textOf('CONFAB_APNS_CA', file);
  try {
    new X509Certificate(text);
  } catch {
    throw new ConfigError('CONFAB_APNS_CA has no certificate in PEM');
  }
  return text;
}

function textOf(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${name} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** The error of Node might show a part of the key, so it is left out. */
function privateKey(name: string, pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new ConfigError(`${name} has no private key in PEM`);
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
