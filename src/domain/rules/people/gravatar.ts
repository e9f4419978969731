import { createHash } from 'node:crypto';

/**
 * The address at which clients find an image by themselves; the hash of a mail address follows it.
 */
export const GRAVATAR_URL = 'https://secure.gravatar.com/avatar/';

interface GravatarQuery {
  readonly email: string;
  /** It changes the URL, so that no older image is taken from a cache. */
  readonly version: number;
  readonly isMedium: boolean;
}

/**
 * Returns the URL of an image that is found by a mail address (reference/events-and-register.md
 * 3.1: hash of the real email, `d=identicon`, version). Everybody who has the URL can test guesses
 * at the mail address.
 */
export function gravatarImage(
  service: string,
  { email, version, isMedium }: GravatarQuery,
): string {
  const hash = createHash('md5').update(email.trim().toLowerCase()).digest('hex');
  const size = isMedium ? `&s=${MEDIUM_PIXELS}` : '';
  return `${service}${hash}?d=identicon&version=${version}${size}`;
}

const MEDIUM_PIXELS = 500;
