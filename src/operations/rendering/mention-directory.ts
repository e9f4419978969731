import type { UserRow } from '../../../storage/tables/people/users.ts';
import { topicKey } from '../../domain/rules/messages/topic.ts';
import type { Linkifiers } from '../../domain/rules/texts/linkifiers.ts';
import { SYSTEM_GROUPS, systemGroupId } from '../../domain/wire/system-groups.ts';
import type {
  LinkPreviews,
  MarkdownDirectory,
  MentionableGroup,
  MentionableUser,
  PagePreview,
} from '../../markdown/directory.ts';
import type { Site } from '../access/caller.ts';
import { byName, hasContentAccess } from '../access/channel-access.ts';
import { type Reads, realmSetting } from '../access/groups.ts';
import { type Sees, visibilityTo } from '../access/user-visibility.ts';
import * as customEmoji from '../files/custom-emoji.ts';
import { previewsOf } from '../files/external-content.ts';
import * as linkifiers from './linkifiers.ts';

/** Returns the directory of an author, for texts without previews. */
export const mentionDirectory = (tx: Reads, author: UserRow, site?: Site): MarkdownDirectory =>
  new Directory(tx, author, { site, previews: () => null });

/** Returns the directory for a message, which may show previews. */
export const messageDirectory = (
  tx: Reads,
  author: UserRow,
  site: Site,
  pagePreviews: ReadonlyMap<string, PagePreview> = NO_PREVIEWS,
): MarkdownDirectory =>
  new Directory(tx, author, {
    site,
    previews: () => previewsOf(tx, author, { settings: site.settings, pagePreviews }),
  });

/**
 * Returns the directory for a message of an import, which shows these files of it. Its mentions of
 * people who have not claimed their accounts yet are theirs once they do.
 */
export const importedDirectory = (
  tx: Reads,
  author: UserRow,
  site: Site,
  opened: ReadonlySet<string>,
): MarkdownDirectory =>
  new Directory(tx, author, {
    site,
    isOfImport: true,
    previews: () =>
      previewsOf(tx, author, { settings: site.settings, pagePreviews: NO_PREVIEWS, opened }),
  });

const NO_PREVIEWS: ReadonlyMap<string, PagePreview> = new Map();

interface Setting {
  readonly site: Site | undefined;
  readonly isOfImport?: boolean;
  /** Called only for messages with links. */
  readonly previews: () => LinkPreviews | null;
}

/**
 * It is a class, because one is made for every message: most do not use it, and closures would cost
 * more than the rest of it.
 */
class Directory implements MarkdownDirectory {
  private readonly tx: Reads;
  private readonly author: UserRow;
  private readonly setting: Setting;
  private sees: Sees | undefined;
  /** Set when the first piece of a message needs them. */
  private readyLinkifiers: Linkifiers | undefined;

  constructor(tx: Reads, author: UserRow, setting: Setting) {
    this.tx = tx;
    this.author = author;
    this.setting = setting;
  }

  user(userId: number) {
    return this.mentionable(this.tx.users.get([userId]));
  }

  usersNamed(fullName: string) {
    const { users, userNames } = this.tx;
    return Array.from(userNames.keysUnder([fullName.toLowerCase()]), ([, userId]) =>
      this.mentionable(users.get([userId])),
    ).filter((user) => user !== undefined);
  }

  private mentionable(user: UserRow | undefined): MentionableUser | undefined {
    if (user === undefined) return undefined;
    this.sees ??= visibilityTo(this.tx, this.author);
    // A name that a guest may not know is treated like a missing one.
    if (!this.sees(user)) return undefined;
    const { id, fullName, isActive } = user;
    const isAwaited = this.setting.isOfImport === true && this.tx.placeholders.has([id]);
    return { userId: id, fullName, isActive: isActive || isAwaited };
  }

  groupNamed(name: string) {
    return groupNamed(this.tx, name);
  }

  channelNamed(name: string) {
    const { tx, author } = this;
    const channel = byName(tx, name);
    if (channel === undefined) return undefined;
    const subscription = tx.subscriptions.get([channel.id, author.id]);
    return author.isSystem || hasContentAccess(tx, { user: author, channel, subscription })
      ? { channelId: channel.id, name: channel.name }
      : undefined;
  }

  newestInTopic(channelId: number, topic: string) {
    return this.tx.topics.get([channelId, topicKey(topic)])?.newestMessageId;
  }

  customEmoji(name: string) {
    const row = customEmoji.named(this.tx, name);
    return row && { src: customEmoji.imageUrl(this.tx, row.fileName) };
  }

  get linkifiers() {
    this.readyLinkifiers ??= linkifiers.ready(this.tx);
    return this.readyLinkifiers;
  }

  get translatesEmoticons() {
    return this.author.settings['translate_emoticons'] === true;
  }

  get defaultCodeLanguage() {
    return realmSetting(this.tx, 'default_code_block_language');
  }

  get previews() {
    return this.setting.previews();
  }

  get realmUrl() {
    return this.setting.site?.url ?? '';
  }

  get aliasPrefix() {
    return this.setting.site?.settings.aliasPrefix ?? '';
  }
}

/** Returns a system group, or one that a user made. */
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
