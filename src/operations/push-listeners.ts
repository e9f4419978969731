import type { RealmTransaction } from '../../storage/realm-store.ts';

/** Notes whether somebody wants every message of a channel pushed, or of all channels (`ALL_CHANNELS`). */
export function note(
  tx: RealmTransaction,
  { userId, channelId }: { readonly userId: number; readonly channelId: number },
  isWanted: boolean,
) {
  if (isWanted) tx.pushListeners.put([channelId, userId], {});
  else tx.pushListeners.remove([channelId, userId]);
}
