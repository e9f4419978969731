import { createHash } from 'node:crypto';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { Site } from '../access/caller.ts';
import * as outbox from '../access/outbox.ts';

/** Pages that a message links, to be looked at after its commit. */
export interface Visit {
  readonly messageId: number;
  /** Of the message as it was: of one that says something else now, another visit tells. */
  readonly contentHash: string;
  /** As the author addressed the realm. */
  readonly realmUrl: string;
  readonly pages: readonly string[];
}

/** Has the pages looked at that a message may show. */
export function request(
  tx: RealmTransaction,
  row: MessageRow,
  { pages, site }: { pages: readonly string[]; site: Site },
) {
  if (pages.length === 0) return;
  const contentHash = hashOf(row);
  const content: Visit = { messageId: row.id, contentHash, realmUrl: site.url, pages };
  outbox.post(tx, { kind: 'visit', content });
}

/** Whether this is still the message that the visit was made for. */
export const isFor = ({ contentHash }: Visit, row: MessageRow): boolean =>
  hashOf(row) === contentHash;

const hashOf = ({ content }: MessageRow) =>
  createHash('sha256').update(content, 'utf8').digest('base64');
