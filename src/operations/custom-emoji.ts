import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { RealmEmojiRow } from '../../storage/tables/realm-emoji.ts';
import type { Reads } from './groups.ts';

/** The active custom emoji of this name. */
export function named(tx: Reads, name: string): RealmEmojiRow | undefined {
  const emojiId = tx.realmEmojiNames.get([name])?.emojiId;
  return emojiId === undefined ? undefined : tx.realmEmoji.get([emojiId]);
}

/** Stores one: a new one takes its name, a deactivated one gives it back. */
export function store(tx: RealmTransaction, row: RealmEmojiRow) {
  tx.realmEmoji.put([row.id], row);
  const hasName = tx.realmEmojiNames.get([row.name])?.emojiId === row.id;
  if (!row.isDeactivated) tx.realmEmojiNames.put([row.name], { emojiId: row.id });
  else if (hasName) tx.realmEmojiNames.remove([row.name]);
}

/** Where clients find an image of an emoji. */
export const imageUrl = (tx: Reads, fileName: string): string =>
  `/user_avatars/${tx.realm.get(['realm'])?.id}/emoji/images/${encodeURIComponent(fileName)}`;
