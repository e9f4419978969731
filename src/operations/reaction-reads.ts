import type { MessageRow } from '../../storage/tables/messages.ts';
import type { Reaction } from '../domain/objects.ts';
import type { Reads } from './groups.ts';

/** The reactions to a message, in the order they came. */
export function reactionsTo(
  tx: Reads,
  { id, hasReactions }: Pick<MessageRow, 'id' | 'hasReactions'>,
): Reaction[] {
  if (!hasReactions) return [];
  return Array.from(tx.reactions.under([id]))
    .sort(([, one], [, other]) => one.eventId - other.eventId)
    .map(([[, type, code, userId], { emojiName }]) => ({
      emoji_name: emojiName,
      emoji_code: code,
      reaction_type: type,
      user_id: userId,
    }));
}
