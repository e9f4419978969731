import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { Site } from './caller.ts';
import * as outbox from './outbox.ts';

/** The content of an outbox entry for the mail worker. */
export interface Mail {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

/** No address ends so (RFC 6761, 6.4); accounts of imports have one that does if they have none. */
const UNREACHABLE = /\.invalid>?$/i;

export const isReachable = (address: string): boolean => !UNREACHABLE.test(address);

/** Sends a mail after this commit, unless nobody could get it. */
export function post(tx: RealmTransaction, site: Site, mail: Omit<Mail, 'from'>) {
  if (!isReachable(mail.to)) return;
  const name = (tx.realm.get(['realm'])?.name ?? '').replace(/[^\p{L}\p{N} ]/gu, '');
  const content: Mail = { from: `"${name}" <noreply@${site.mailHost}>`, ...mail };
  outbox.post(tx, { kind: 'mail', content });
}
