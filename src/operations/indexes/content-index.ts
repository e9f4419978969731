import { EVERYWHERE } from '../../../storage/tables/messages/contents.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import {
  CONTENTS,
  type ContentBit,
  contentBits,
} from '../../domain/rules/search/message-contents.ts';
import type { Reads } from '../access/groups.ts';
import { type IdSet, indexed, type ReadCounter } from './ids/iterators.ts';
import { without } from './ids/without.ts';
import { listingOf } from './read-sets.ts';

type IndexedMessage = Pick<MessageRow, 'id' | 'recipientId' | 'renderedContent' | 'hasReactions'>;

/** Lists a new message under its contents. */
export const enter = (tx: RealmTransaction, row: IndexedMessage) => change(tx, null, row);

/** Removes a message that is deleted from the lists. */
export const leave = (tx: RealmTransaction, row: IndexedMessage) => change(tx, row, null);

/** Called when a message is changed: it may have other contents, or be in another place. */
export const noteChange = (tx: RealmTransaction, before: IndexedMessage, after: IndexedMessage) =>
  change(tx, before, after);

function change(tx: RealmTransaction, before: IndexedMessage | null, after: IndexedMessage | null) {
  const was = before === null ? 0 : contentBits(before);
  const is = after === null ? 0 : contentBits(after);
  if ((was | is) === 0) return;
  const hasMoved = before?.recipientId !== after?.recipientId;
  if (was === is && !hasMoved) return;
  for (const bit of CONTENTS) {
    const had = before !== null && (was & bit) !== 0;
    const has = after !== null && (is & bit) !== 0;
    if (had && (!has || hasMoved)) tx.contentIndex.remove([bit, before.recipientId, before.id]);
    if (has && (!had || hasMoved)) tx.contentIndex.put([bit, after.recipientId, after.id], {});
    if (had && !has) tx.contentIndex.remove([bit, EVERYWHERE, before.id]);
    if (has && !had) tx.contentIndex.put([bit, EVERYWHERE, after.id], {});
  }
}

/** Returns the messages with this content: in one channel or conversation, or in all. */
export const holding = (tx: Reads, bit: ContentBit, recipientId: number = EVERYWHERE): IdSet =>
  indexed(tx.contentIndex, [bit, recipientId]);

/** Returns the messages of one channel or conversation without this content. */
export const lacking = (
  tx: Reads,
  bit: ContentBit,
  {
    place,
    counter,
  }: { readonly place: Parameters<typeof listingOf>[1]; readonly counter?: ReadCounter },
): IdSet =>
  without(
    listingOf(tx, place),
    { index: tx.contentIndex, prefix: [bit, place.recipientId] },
    counter,
  );
