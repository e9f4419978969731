import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { syncedTransaction } from '../../../storage/pages/store-check.ts';
import { TABLES } from '../../../storage/schema.ts';
import type { RealmReader } from '../../../storage/transaction.ts';
import type { TestServer } from '../start-server.ts';

/**
 * Tables that change by themselves: queues are kept alive, outbox entries delivered, uses of keys
 * noted.
 */
const RESTLESS: readonly (keyof typeof TABLES)[] = ['events', 'queues', 'outbox', 'keyUses'];

/** The same for the same contents of all tables. */
export function stateDigest(reader: RealmReader): string {
  const hash = createHash('sha1');
  for (const name of Object.keys(TABLES) as (keyof typeof TABLES)[]) {
    if (RESTLESS.includes(name)) continue;
    for (const row of reader[name].range({})) hash.update(JSON.stringify(row));
    hash.update(name);
  }
  return hash.digest('base64');
}

/**
 * The digest of the first realm. It is computed again only after a commit: most requests lead to
 * none.
 */
export function openStateDigest({ data }: TestServer, reader: RealmReader): () => string {
  const folder = join(data, 'realms/1');
  let seen = Number.NaN;
  let digest = '';
  return () => {
    const transaction = syncedTransaction(folder);
    if (transaction !== seen) digest = stateDigest(reader);
    seen = transaction;
    return digest;
  };
}
