import type { RealmTransaction } from '../../storage/realm-store.ts';
import type { ChannelRow } from '../../storage/tables/channels.ts';
import type { UserRow } from '../../storage/tables/users.ts';
import { renderMarkdown } from '../domain/markdown.ts';
import { NOTIFICATION_BOT } from '../domain/system-bots.ts';
import type { Place } from './caller.ts';
import type { Reads } from './groups.ts';
import { messageDirectory } from './mention-directory.ts';
import * as messages from './messages.ts';

/** What the service says by itself, as a message of its notification bot. No check of a sender applies. */
interface Notice {
  /** Markdown; what users wrote goes into it through `fenced` (domain/fenced.ts). */
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
  place: Place,
  { channel, topic, ...notice }: Notice & { channel: ChannelRow; topic: string },
) => {
  // What is in an archived channel counts as read (docs/decisions/0041).
  const unread = channel.isArchived ? { unreadBy: [] } : {};
  return send(tx, place, { destination: { channel, topic }, ...notice, ...unread });
};

/** A direct message to these people together. */
export const toPeople = (
  tx: RealmTransaction,
  place: Place,
  { people, ...notice }: Notice & { people: readonly UserRow[] },
) => send(tx, place, { destination: { people }, ...notice });

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
  place: Place,
  {
    destination,
    content,
    readBy,
    unreadBy,
    isQuoting,
    readAs,
  }: Notice & { destination: messages.Destination },
) {
  const user = notificationBot(tx);
  const rendered = renderMarkdown(content, messageDirectory(tx, readAs ?? user, place));
  return messages.post(
    tx,
    { user, place, client: 'Internal' },
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
