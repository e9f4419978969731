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

/** Sends a mail after this commit. */
export function post(tx: RealmTransaction, site: Site, mail: Omit<Mail, 'from'>) {
  const name = (tx.realm.get(['realm'])?.name ?? '').replace(/[^\p{L}\p{N} ]/gu, '');
  const content: Mail = { from: `"${name}" <noreply@${site.mailHost}>`, ...mail };
  outbox.post(tx, { kind: 'mail', content });
}
