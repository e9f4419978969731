import type { UserRow } from '../../storage/tables/users.ts';
import type { Linkifiers } from '../domain/linkifiers.ts';
import type {
  MarkdownDirectory,
  MentionableGroup,
  MentionableUser,
} from '../domain/markdown/directory.ts';
import type { LinkPreviews, PageCard } from '../domain/markdown/previews.ts';
import { SYSTEM_GROUPS, systemGroupId } from '../domain/system-groups.ts';
import { topicKey } from '../domain/topic.ts';
import type { Place } from './caller.ts';
import { byName, hasContentAccess } from './channel-access.ts';
import * as customEmoji from './custom-emoji.ts';
import { previewsOf } from './external-content.ts';
import { type Reads, realmSetting } from './groups.ts';
import * as linkifiers from './linkifiers.ts';
import { type Sees, sightOf } from './user-sight.ts';

/** Whom and what a text of this author can name; its links are no more than links. */
export const mentionDirectory = (
  tx: Reads,
  author: UserRow,
  place?: Pick<Place, 'url' | 'aliasPrefix'>,
): MarkdownDirectory => directoryOf(tx, author, { place, previews: () => null });

/** The same of a message, which may show what it links. */
export const messageDirectory = (
  tx: Reads,
  author: UserRow,
  place: Place,
  cards: ReadonlyMap<string, PageCard> = NO_CARDS,
): MarkdownDirectory =>
  directoryOf(tx, author, { place, previews: () => previewsOf(tx, author, { place, cards }) });

const NO_CARDS: ReadonlyMap<string, PageCard> = new Map();

interface Setting {
  readonly place: Pick<Place, 'url' | 'aliasPrefix'> | undefined;
  /** Asked for by messages with links alone. */
  readonly previews: () => LinkPreviews | null;
}

function directoryOf(tx: Reads, author: UserRow, { place, previews }: Setting): MarkdownDirectory {
  let sees: Sees | undefined;
  const mentionable = (user: UserRow | undefined): MentionableUser | undefined => {
    if (user === undefined) return undefined;
    sees ??= sightOf(tx, author);
    // A name that a guest may not know of means nothing, as one that nobody has.
    if (!sees(user)) return undefined;
    return { userId: user.id, fullName: user.fullName, isActive: user.isActive };
  };
  // Read when the first message asks, and then for all of its pieces.
  let readyLinkifiers: Linkifiers | undefined;
  return {
    user: (userId) => mentionable(tx.users.get([userId])),
    usersNamed(fullName) {
      return Array.from(tx.userNames.keysUnder([fullName.toLowerCase()]), ([, userId]) =>
        mentionable(tx.users.get([userId])),
      ).filter((user) => user !== undefined);
    },
    groupNamed: (name) => groupNamed(tx, name),
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
    customEmoji(name) {
      const row = customEmoji.named(tx, name);
      return row && { src: customEmoji.imageUrl(tx, row.fileName) };
    },
    get linkifiers() {
      readyLinkifiers ??= linkifiers.ready(tx);
      return readyLinkifiers;
    },
    get translatesEmoticons() {
      return author.settings['translate_emoticons'] === true;
    },
    get defaultCodeLanguage() {
      return realmSetting(tx, 'default_code_block_language');
    },
    get previews() {
      return previews();
    },
    realmUrl: place?.url ?? '',
    aliasPrefix: place?.aliasPrefix ?? '',
  };
}

/** A group of every realm, or one that somebody made. */
function groupNamed(tx: Reads, name: string): MentionableGroup | undefined {
  const folded = name.toLowerCase();
  const system = SYSTEM_GROUPS.find((group) => group.name === folded);
  if (system !== undefined) {
    return { groupId: systemGroupId(system.name), name: system.name, isActive: true };
  }
  const groupId = tx.groupNames.get([folded])?.groupId;
  const row = groupId === undefined ? undefined : tx.groups.get([groupId]);
  return row && { groupId: row.id, name: row.name, isActive: !row.isDeactivated };
}
