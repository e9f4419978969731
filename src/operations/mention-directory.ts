import type { UserRow } from '../../storage/tables/users.ts';
import type { MarkdownDirectory, MentionableUser } from '../domain/markdown.ts';
import { byName, hasContentAccess } from './channel-access.ts';
import type { Reads } from './groups.ts';

/** Whom and what a message of this author can name. */
export function mentionDirectory(tx: Reads, author: UserRow): MarkdownDirectory {
  const mentionable = (user: UserRow | undefined): MentionableUser | undefined =>
    user && { userId: user.id, fullName: user.fullName, isActive: user.isActive };
  return {
    user: (userId) => mentionable(tx.users.get([userId])),
    usersNamed(fullName) {
      return Array.from(tx.userNames.keysUnder([fullName.toLowerCase()]), ([, userId]) =>
        mentionable(tx.users.get([userId])),
      ).filter((user) => user !== undefined);
    },
    channelNamed(name) {
      const channel = byName(tx, name);
      if (channel === undefined) return undefined;
      const subscription = tx.subscriptions.get([channel.id, author.id]);
      return hasContentAccess(tx, { user: author, channel, subscription })
        ? { channelId: channel.id, name: channel.name }
        : undefined;
    },
  };
}
