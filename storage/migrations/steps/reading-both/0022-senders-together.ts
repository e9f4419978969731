import type { Writers } from '../../../transaction.ts';

/**
 * Schema 22: the messages of senders are listed many at a time. Those that are there are listed
 * already.
 */
export function noteSendersListed(tables: Writers) {
  const listedThrough = tables.counters.get(['counters'])?.message ?? 0;
  if (listedThrough > 0) tables.senderLists.put(['senders'], { listedThrough });
}
