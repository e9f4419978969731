import type { UserRow } from '../../../storage/tables/people/users.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import { isSigned, signatureOf } from '../access/signatures.ts';

/** The path of the page that mails lead to; the key follows. */
export const PATH = '/unsubscribe/';

/** Mails about missed messages, and weekly ones. */
export type Mails = 'missed' | 'digests';

const PURPOSES = { missed: 'unsubscribing', digests: 'ending digests' } as const;
const LETTERS = { missed: 'x', digests: 'w' } as const;

/**
 * Returns the URL by which a user ends these mails without a log-in. It works for as long as the
 * account, since mail programs offer it with old mails as well.
 */
export const urlOf = (
  tx: Reads,
  site: Site,
  { userId, mails }: { readonly userId: number; readonly mails: Mails },
): string =>
  `${site.url}${PATH}${userId}${LETTERS[mails]}${signatureOf(tx, PURPOSES[mails], String(userId))}`;

const KEY = /^(\d{1,12})([xw])([0-9a-f]{26})$/;

/** Returns the user and the mails of a key, or refuses a key that was not made here. */
export function keyOf(tx: Reads, key: string): { readonly user: UserRow; readonly mails: Mails } {
  const [, meaning = '', letter, signature = ''] = KEY.exec(key) ?? [];
  const mails = letter === LETTERS.digests ? 'digests' : 'missed';
  const user = isSigned(tx, PURPOSES[mails], { meaning, signature })
    ? tx.users.get([Number(meaning)])
    : undefined;
  if (!user?.isActive) throw errors.badRequest('This link is not valid.');
  return { user, mails };
}

/** The settings that end the mails. */
export const MAILS_OFF = {
  missed: {
    enable_offline_email_notifications: false,
    enable_stream_email_notifications: false,
    enable_followed_topic_email_notifications: false,
  },
  digests: { enable_digest_emails: false },
} as const;
