import type { MessageRow } from '../../storage/tables/messages.ts';
import { emojiTold } from '../domain/aliases.ts';
import type { Reaction } from '../domain/objects.ts';
import type { Place } from './caller.ts';
import type { Reads } from './groups.ts';

/** The reactions to a message, in the order they came, as clients are told of them. */
export function reactionsTo(
  tx: Reads,
  { id, hasReactions }: Pick<MessageRow, 'id' | 'hasReactions'>,
  { aliasPrefix }: Pick<Place, 'aliasPrefix'>,
): readonly Reaction[] {
  if (!hasReactions) return NO_REACTIONS;
  return Array.from(tx.reactions.under([id]))
    .sort(([, one], [, other]) => one.eventId - other.eventId)
    .map(([[, type, code, userId], { emojiName }]) => {
      const used = { emoji_name: emojiName, emoji_code: code, reaction_type: type };
      return { ...emojiTold(used, aliasPrefix), user_id: userId };
    });
}

const NO_REACTIONS: readonly Reaction[] = [];
