import type { UserRow } from '../../storage/tables/users.ts';
import { NO_LINKIFIERS } from '../domain/linkifiers.ts';
import type { MarkdownDirectory, MentionableUser } from '../domain/markdown/directory.ts';
import { topicKey } from '../domain/topic.ts';
import type { Place } from './caller.ts';
import { byName, hasContentAccess } from './channel-access.ts';
import { type Reads, realmSetting } from './groups.ts';

/** Whom and what a message of this author can name. */
export function mentionDirectory(
  tx: Reads,
  author: UserRow,
  place?: Pick<Place, 'url' | 'aliasPrefix'>,
): MarkdownDirectory {
  const mentionable = (user: UserRow | undefined): MentionableUser | undefined =>
    user && { userId: user.id, fullName: user.fullName, isActive: user.isActive };
  return {
    user: (userId) => mentionable(tx.users.get([userId])),
    usersNamed(fullName) {
      return Array.from(tx.userNames.keysUnder([fullName.toLowerCase()]), ([, userId]) =>
        mentionable(tx.users.get([userId])),
      ).filter((user) => user !== undefined);
    },
    groupNamed: () => undefined,
    channelNamed(name) {
      const channel = byName(tx, name);
      if (channel === undefined) return undefined;
      const subscription = tx.subscriptions.get([channel.id, author.id]);
      return author.isSystem || hasContentAccess(tx, { user: author, channel, subscription })
        ? { channelId: channel.id, name: channel.name }
        : undefined;
    },
    newestInTopic: (channelId, topic) =>
      tx.topics.get([channelId, topicKey(topic)])?.newestMessageId,
    customEmoji: () => undefined,
    linkifiers: NO_LINKIFIERS,
    get translatesEmoticons() {
      return author.settings['translate_emoticons'] === true;
    },
    get defaultCodeLanguage() {
      return realmSetting(tx, 'default_code_block_language');
    },
    realmUrl: place?.url ?? '',
    aliasPrefix: place?.aliasPrefix ?? '',
  };
}
