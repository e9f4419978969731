import { randomBytes } from 'node:crypto';
import type { RealmStore } from '../../storage/store.ts';
import type { RealmTransaction } from '../operations/access/caller.ts';
import { EXTERNAL_CONTENT_PATH, proxied } from '../operations/files/external-content.ts';
import { type Pace, slicesOf } from './pace.ts';

const TOKEN_BYTES = 16;

/**
 * Signs URLs again if the secret of the realm was not in the archive: messages show images of other
 * sites by signed URLs. Gives webhooks new tokens, which archives for administrators leave out.
 */
export async function resign(
  store: RealmStore,
  { now, pace }: { readonly now: () => number; readonly pace: Pace },
) {
  const bots = [...store.reader.botServices.range({})].filter(([, { token }]) => token === '');
  const run = (operation: (tx: RealmTransaction) => void) =>
    store
      .commit(() => [operation], now)
      .then(([outcome]) => {
        if (outcome !== undefined && 'error' in outcome) throw outcome.error;
      });
  if (bots.length > 0) {
    await run((tx) => {
      for (const [key, row] of bots) {
        tx.botServices.put(key, { ...row, token: randomBytes(TOKEN_BYTES).toString('hex') });
      }
    });
  }
  if (store.reader.secrets.has(['external content'])) return;
  await run((tx) =>
    tx.secrets.put(['external content'], { value: randomBytes(32).toString('hex') }),
  );
  for (const name of RENDERED) {
    for await (const slice of slicesOf(store.reader[name] as RenderedTable, pace)) {
      const signed = slice.filter(([, row]) => isSigned(row.renderedContent));
      if (signed.length === 0) continue;
      await run((tx) => {
        for (const [key, row] of signed) {
          const renderedContent = withSignatures(tx, row.renderedContent);
          (tx[name] as RenderedTable).put(key, { ...row, renderedContent });
        }
      });
    }
  }
  for await (const slice of slicesOf(store.reader.messageEdits, pace)) {
    const signed = slice.filter(([, { before }]) => isSigned(before.renderedContent ?? ''));
    if (signed.length === 0) continue;
    await run((tx) => {
      for (const [key, row] of signed) {
        const renderedContent = withSignatures(tx, row.before.renderedContent ?? '');
        tx.messageEdits.put(key, { ...row, before: { ...row.before, renderedContent } });
      }
    });
  }
}

/** The tables that hold rendered content of messages. */
const RENDERED = ['messages', 'scheduledMessages', 'reminders'] as const;

type RenderedTable = RealmTransaction['messages']; // only that column is used

const isSigned = (html: string) => html.includes(EXTERNAL_CONTENT_PATH);

const SIGNED = new RegExp(`${EXTERNAL_CONTENT_PATH}[0-9a-f]{64}/([0-9a-f]+)`, 'g');

const withSignatures = (tx: RealmTransaction, html: string): string =>
  html.replace(SIGNED, (_, hex: string) => proxied(tx, Buffer.from(hex, 'hex').toString('utf8')));
