import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { MessageRow } from '../../../storage/tables/messages/messages.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { NOTIFICATION_BOT } from '../../domain/rules/people/system-bots.ts';
import { renderMarkdown } from '../../markdown/markdown.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import { messageDirectory } from '../rendering/mention-directory.ts';
import type * as conversations from './conversations.ts';
import * as messages from './messages.ts';

/** A message of the service's notification bot, which is not subject to the checks of senders. */
interface Notice {
  /** Markdown; texts of users are put into it through `fenced` (texts/fenced.ts). */
  readonly content: string;
  /** Users for whom it begins as read. */
  readonly readBy?: readonly number[];
  /** If given, it begins as read for all other users. */
  readonly unreadBy?: readonly number[];
  /** True if it quotes users: mentions in it do not notify again. */
  readonly isQuoting?: boolean;
  /** The user as whom names in it are read, because they wrote some of it. */
  readonly readAs?: UserRow;
}

export const toChannel = (
  tx: RealmTransaction,
  site: Site,
  { channel, topic, ...notice }: Notice & { channel: ChannelRow; topic: string },
) => {
  // Messages in an archived channel count as read (docs/decisions/0041).
  const unread = channel.isArchived ? { unreadBy: [] } : {};
  return send(tx, site, { destination: { channel, topic }, ...notice, ...unread });
};

/** Sends one direct message to these people together. */
export const toPeople = (
  tx: RealmTransaction,
  site: Site,
  { people, ...notice }: Notice & { people: readonly UserRow[] },
) => send(tx, site, { destination: { people }, ...notice });

/** Returns the account that sends notices. */
export function notificationBot(tx: Reads): UserRow {
  const bot = tx.users.get([NOTIFICATION_BOT.id]);
  if (bot === undefined) throw new Error('the realm has no notification bot');
  return bot;
}

/** Names a user in a notice without notifying them. */
export const silentMention = ({ id, fullName }: Pick<UserRow, 'id' | 'fullName'>) =>
  `@_**${fullName}|${id}**`;

function send(
  tx: RealmTransaction,
  site: Site,
  {
    destination,
    content,
    readBy,
    unreadBy,
    isQuoting,
    readAs,
  }: Notice & { destination: conversations.Destination },
) {
  const user = notificationBot(tx);
  const rendered = renderMarkdown(content, messageDirectory(tx, readAs ?? user, site));
  return messages.post(
    tx,
    { user, site, client: 'Internal' },
    {
      destination,
      content,
      rendered: isQuoting ? { ...rendered, ...MENTIONING_NOBODY } : rendered,
      isReadBySender: false,
      ...(readBy === undefined ? {} : { readBy }),
      ...(unreadBy === undefined ? {} : { unreadBy }),
    },
  );
}

const MENTIONING_NOBODY = {
  mentionedUserIds: [],
  mentionedGroupIds: [],
  wildcard: null,
  hasChannelWildcard: false,
  hasTopicWildcard: false,
} as const;

/**
 * Names the place of a channel message in a notice, with a link to it; undefined for a direct
 * message.
 */
export function linkTo(tx: Reads, row: MessageRow): string | undefined {
  const channel = row.channelId === null ? undefined : tx.channels.get([row.channelId]);
  return channel && `#**${channel.name}>${row.topic}@${row.id}**`;
}

/**
 * Returns the URL of a message in clients. It has only ids: other characters could end the title of
 * a spoiler.
 */
export function urlOf(tx: Reads, { url }: Site, { id, channelId, recipientId }: MessageRow) {
  if (channelId !== null) return `${url}/#narrow/channel/${channelId}/near/${id}`;
  const people = tx.conversations.get([recipientId])?.userIds ?? [];
  return `${url}/#narrow/dm/${people.join(',')}/near/${id}`;
}

/** Returns the beginning of a text, without half a surrogate pair at its end. */
export const cutAt = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
