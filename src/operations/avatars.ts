import { createHash } from 'node:crypto';

/** Addresses whose hash is held: the senders of an ordinary day. */
const CACHED_MAX = 20_000;
const cache = new Map<string, string>();

interface Pictured {
  readonly email: string;
  readonly avatarVersion: number;
  readonly isSystem: boolean;
}

/**
 * The address of a Gravatar image (reference/events-and-register.md 3.1: hash of the real email, `d=identicon`). The
 * service's own account has a picture of the server's, which no client can compute.
 */
export function avatarUrl(user: Pictured) {
  if (user.isSystem) return SYSTEM_AVATAR_URL;
  const email = user.email.trim().toLowerCase();
  let hash = cache.get(email);
  if (hash === undefined) {
    if (cache.size >= CACHED_MAX) cache.clear();
    hash = createHash('md5').update(email).digest('hex');
    cache.set(email, hash);
  }
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon&version=${user.avatarVersion}`;
}

/** The same for every host that the realm is called by. */
const SYSTEM_AVATAR_URL = '/static/notification-bot.png';

/** What a user's image is, as their own account and a `realm_user` event tell it. */
export function avatarUpdate(user: Pictured) {
  const url = avatarUrl(user);
  return {
    avatar_url: url,
    avatar_url_medium: `${url}&s=500`,
    avatar_source: 'G',
    avatar_version: user.avatarVersion,
  };
}
