import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import { AS_THE_REALM } from '../../../storage/tables/messages/messages.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';

type Keeping = Pick<ChannelRow, 'id' | 'firstMessageId' | 'messageRetentionDays'>;

/** Whoever changes a channel's first message, or how long it keeps its messages, says so here. */
export function note(tx: RealmTransaction, former: Keeping, present: Keeping) {
  const before = keyOf(former);
  const after = keyOf(present);
  if (before?.join() === after?.join()) return;
  if (before !== undefined) tx.oldestMessages.remove(before);
  if (after === undefined) return;
  tx.oldestMessages.put(after, {});
  // It may be older than what retention waits for.
  tx.wakeAt(tx.now);
}

/** None of a channel without messages, or one that keeps them for ever. */
function keyOf({ id, firstMessageId, messageRetentionDays }: Keeping) {
  if (firstMessageId === null || messageRetentionDays === -1) return undefined;
  return [messageRetentionDays ?? AS_THE_REALM, firstMessageId, id] as [number, number, number];
}
