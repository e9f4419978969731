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

/** What the service says by itself, as a message of its notification bot. No check of a sender applies. */
interface Notice {
  /** Markdown; what users wrote goes into it through `fenced` (texts/fenced.ts). */
  readonly content: string;
  /** Users for whom it begins as read. */
  readonly readBy?: readonly number[];
  /** When given, it begins as read for everybody else. */
  readonly unreadBy?: readonly number[];
  /** It quotes what users wrote: whom they mentioned is not mentioned once more. */
  readonly isQuoting?: boolean;
  /** Names in it mean what they mean to this user, who wrote some of it. */
  readonly readAs?: UserRow;
}

export const toChannel = (
  tx: RealmTransaction,
  site: Site,
  { channel, topic, ...notice }: Notice & { channel: ChannelRow; topic: string },
) => {
  // What is in an archived channel counts as read (docs/decisions/0041).
  const unread = channel.isArchived ? { unreadBy: [] } : {};
  return send(tx, site, { destination: { channel, topic }, ...notice, ...unread });
};

/** A direct message to these people together. */
export const toPeople = (
  tx: RealmTransaction,
  site: Site,
  { people, ...notice }: Notice & { people: readonly UserRow[] },
) => send(tx, site, { destination: { people }, ...notice });

/** The account that notices come from. */
export function notificationBot(tx: Reads): UserRow {
  const bot = tx.users.get([NOTIFICATION_BOT.id]);
  if (bot === undefined) throw new Error('the realm has no notification bot');
  return bot;
}

/** How a notice names a user without notifying them. */
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

/** How a notice names the place of a channel message, with a link to it; undefined for a direct message. */
export function linkTo(tx: Reads, row: MessageRow): string | undefined {
  const channel = row.channelId === null ? undefined : tx.channels.get([row.channelId]);
  return channel && `#**${channel.name}>${row.topic}@${row.id}**`;
}

/** Where clients find a message. Of ids alone: what is in the title of a spoiler must not end it. */
export function urlOf(tx: Reads, { url }: Site, { id, channelId, recipientId }: MessageRow) {
  if (channelId !== null) return `${url}/#narrow/channel/${channelId}/near/${id}`;
  const people = tx.conversations.get([recipientId])?.userIds ?? [];
  return `${url}/#narrow/dm/${people.join(',')}/near/${id}`;
}

/** The beginning of a text, without half a character at its end. */
export const cutAt = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
