import { hash, randomBytes } from 'node:crypto';
import { SIGN_IN_MS_MAX } from '../../domain/limits/credentials.ts';
import type { Site } from '../../operations/access/caller.ts';
import type { Attempt } from './provider.ts';

/**
 * An attempt to sign in is kept by the browser alone: everything of it is made from the secret in
 * its cookie, so any process of the server can finish what another has begun.
 */
export interface BegunAttempt extends Attempt {
  readonly provider: string;
  /** The place in the web client where the person goes on: empty, or `#` and more. */
  readonly place: string;
}

/** A place in the web client; it is never the address of another page. */
const PLACE = /^#[\x21-\x7e]{0,500}$/;
const SECRET = /^[0-9a-f]{64}$/;

/** Begins an attempt, and returns it with the header that sets its cookie. */
export function begin(site: Site, provider: string, wanted: string) {
  const secret = randomBytes(32).toString('hex');
  const place = PLACE.test(wanted) ? wanted : '';
  const endsAt = Math.ceil((Date.now() + SIGN_IN_MS_MAX) / 1000);
  const value = [secret, endsAt, provider, encodeURIComponent(place)].join('.');
  return {
    attempt: { ...derived(secret), provider, place },
    cookie: header(site, value, SIGN_IN_MS_MAX / 1000),
  };
}

/** Returns the attempt of a browser; undefined if it has none, or if it is too old. */
export function inCookies(site: Site, cookies: string): BegunAttempt | undefined {
  const name = nameAt(site);
  const found = cookies.split(';').find((pair) => pair.trim().startsWith(`${name}=`));
  const [secret = '', endsAt = '', provider = '', ...more] =
    found
      ?.trim()
      .slice(name.length + 1)
      .split('.') ?? [];
  if (!SECRET.test(secret) || !(Number(endsAt) * 1000 > Date.now())) return undefined;
  const place = decodedPlace(more.join('.'));
  return { ...derived(secret), provider, place };
}

/** The header that makes a browser forget its attempt, which is good for one answer. */
export const forgotten = (site: Site): string => header(site, '', 0);

/** None of them tells the secret, or another. */
const derived = (secret: string): Attempt => ({
  state: hash('sha256', `state ${secret}`, 'base64url'),
  nonce: hash('sha256', `nonce ${secret}`, 'base64url'),
  verifier: hash('sha256', `verifier ${secret}`, 'base64url'),
});

function decodedPlace(text: string): string {
  try {
    const place = decodeURIComponent(text);
    return PLACE.test(place) ? place : '';
  } catch {
    return '';
  }
}

const isSecure = ({ url }: Site) => url.startsWith('https://');

/** Over TLS no other host may set a cookie whose name begins like this. */
const nameAt = (site: Site) => (isSecure(site) ? '__Host-confab-sign-in' : 'confab-sign-in');

/** The provider leads the browser back by a link, with which it sends cookies that are `Lax`. */
const header = (site: Site, value: string, seconds: number): string =>
  `${nameAt(site)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(site) ? '; Secure' : ''}`;
