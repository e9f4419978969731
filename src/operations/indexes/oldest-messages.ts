import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import { AS_THE_REALM } from '../../../storage/tables/messages/messages.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';

type Keeping = Pick<ChannelRow, 'id' | 'firstMessageId' | 'messageRetentionDays'>;

/** Called for each change of a channel's first message, or of how long it keeps its messages. */
export function note(tx: RealmTransaction, former: Keeping, present: Keeping) {
  const before = keyOf(former);
  const after = keyOf(present);
  if (before?.join() === after?.join()) return;
  if (before !== undefined) tx.oldestMessages.remove(before);
  if (after === undefined) return;
  tx.oldestMessages.put(after, {});
  // It may be older than the message that retention waits for.
  tx.wakeAt(tx.now);
}

/** Returns the key; undefined for a channel without messages, or one that keeps them for ever. */
function keyOf({ id, firstMessageId, messageRetentionDays }: Keeping) {
  if (firstMessageId === null || messageRetentionDays === -1) return undefined;
  return [messageRetentionDays ?? AS_THE_REALM, firstMessageId, id] as [number, number, number];
}
