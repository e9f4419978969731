import { createHash } from 'node:crypto';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { Site } from '../access/caller.ts';
import * as outbox from '../access/outbox.ts';

/** The linked pages of a message, to be fetched after its commit. */
export interface Unfurl {
  readonly messageId: number;
  /** Hash of the message as it was: an edited one has another visit. */
  readonly contentHash: string;
  /** The realm's URL as the author addressed it. */
  readonly realmUrl: string;
  readonly pages: readonly string[];
}

/** Requests a visit of the pages that a message may show. */
export function request(
  tx: RealmTransaction,
  row: MessageRow,
  { pages, site }: { pages: readonly string[]; site: Site },
) {
  if (pages.length === 0) return;
  const contentHash = hashOf(row);
  const content: Unfurl = { messageId: row.id, contentHash, realmUrl: site.url, pages };
  outbox.post(tx, { kind: 'visit', content });
}

/** Tests whether the message is still the one that the visit was made for. */
export const isFor = ({ contentHash }: Unfurl, row: MessageRow): boolean =>
  hashOf(row) === contentHash;

const hashOf = ({ content }: MessageRow) =>
  createHash('sha256').update(content, 'utf8').digest('base64');
