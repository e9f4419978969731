import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import { apiEmail } from '../../domain/rules/people/users.ts';
import { emojiForClients, formerOfReaction } from '../../domain/rules/texts/aliases.ts';
import type { Reaction, Reactor } from '../../domain/wire/message-objects.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';

/** Returns the reactions to a message, in the order they came, as clients see them. */
export function reactionsTo(
  tx: Reads,
  { id, hasReactions }: Pick<MessageRow, 'id' | 'hasReactions'>,
  { host, settings: { aliasPrefix } }: Site,
): readonly Reaction[] {
  if (!hasReactions) return NO_REACTIONS;
  return Array.from(tx.reactions.under([id]))
    .sort(([, one], [, other]) => one.eventId - other.eventId)
    .map(([[, type, code, userId], { emojiName }]) => {
      const used = { emoji_name: emojiName, emoji_code: code, reaction_type: type };
      const user = () => reactor(tx.users.get([userId]) ?? missing(userId), host);
      return {
        ...emojiForClients(used, aliasPrefix),
        user_id: userId,
        ...formerOfReaction(user, aliasPrefix),
      };
    });
}

/** Returns the user who reacted, for a deprecated field. */
export const reactor = (user: UserRow, host: string): Reactor => ({
  user_id: user.id,
  email: apiEmail(user, host),
  full_name: user.fullName,
});

const missing = (userId: number): never => {
  throw new Error(`no user ${userId}`);
};

const NO_REACTIONS: readonly Reaction[] = [];
