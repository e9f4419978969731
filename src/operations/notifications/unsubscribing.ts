import type { UserRow } from '../../../storage/tables/people/users.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import { isSigned, signatureOf } from '../access/signatures.ts';

/** The path of the page that mails lead to; the key follows. */
export const PATH = '/unsubscribe/';

/**
 * Returns the URL by which a user ends the mails about missed messages without a log-in. It works
 * for as long as the account, since mail programs offer it with old mails as well.
 */
export const urlOf = (tx: Reads, site: Site, userId: number): string =>
  `${site.url}${PATH}${userId}x${signatureOf(tx, 'unsubscribing', String(userId))}`;

/** Returns the user of a key, or refuses a key that was not made here. */
export function userOf(tx: Reads, key: string): UserRow {
  const [meaning = '', signature = ''] = key.split('x');
  const user = isSigned(tx, 'unsubscribing', { meaning, signature })
    ? tx.users.get([Number(meaning)])
    : undefined;
  if (!user?.isActive) throw errors.badRequest('This link is not valid.');
  return user;
}

/** Everything that a user is mailed about messages by. */
export const MAILS_OFF = {
  enable_offline_email_notifications: false,
  enable_stream_email_notifications: false,
  enable_followed_topic_email_notifications: false,
} as const;
