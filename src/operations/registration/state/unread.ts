import type { UserRow } from '../../../../storage/tables/people/users.ts';
import { UNREAD_MESSAGES_MAX } from '../../../domain/limits/messages.ts';
import type { Reads } from '../../access/groups.ts';
import { AFTER_LAST_ID } from '../../indexes/ids/iterators.ts';
import { WILDCARD_INDEX } from '../../indexes/message-access.ts';
import { decisionsOf } from '../../indexes/user-topics.ts';
import { newestUnread, type UnreadLists } from './unread-lists.ts';

export interface UnreadMessages {
  readonly count: number;
  readonly pms: readonly {
    readonly other_user_id: number;
    readonly sender_id: number;
    readonly unread_message_ids: readonly number[];
  }[];
  readonly streams: readonly {
    readonly stream_id: number;
    readonly topic: string;
    readonly unread_message_ids: readonly number[];
  }[];
  readonly huddles: readonly {
    readonly user_ids_string: string;
    readonly unread_message_ids: readonly number[];
  }[];
  readonly mentions: readonly number[];
  readonly old_unreads_missing: boolean;
}

/**
 * Returns `unread_msgs` of the snapshot (reference/events-and-register.md 5.5): the newest, by
 * topic and conversation.
 */
export function unreadMessages(tx: Reads, user: UserRow): UnreadMessages {
  const found = newestUnread(tx, user.id);
  return found === undefined ? NO_UNREAD : inWireForm(tx, user.id, found);
}

function inWireForm(tx: Reads, userId: number, found: UnreadLists): UnreadMessages {
  let count = 0;
  const heard: (readonly number[])[] = [];
  const decisions = decisionsOf(tx, userId);
  const streams: UnreadMessages['streams'][number][] = [];
  const pms: UnreadMessages['pms'][number][] = [];
  const huddles: UnreadMessages['huddles'][number][] = [];
  for (const [channelId, topics] of found.channels) {
    for (const [topicKey, ids] of topics) {
      const topic = tx.topics.get([channelId, topicKey])?.name ?? topicKey;
      streams.push({ stream_id: channelId, topic, unread_message_ids: ids });
      if (decisions.isMuted(channelId, topicKey)) continue;
      count += ids.length;
      heard.push(ids);
    }
  }
  for (const [recipientId, ids] of found.conversations) {
    count += ids.length;
    heard.push(ids);
    const userIds = tx.conversations.get([recipientId])?.userIds ?? [];
    if (userIds.length > 2) {
      huddles.push({ user_ids_string: userIds.join(','), unread_message_ids: ids });
    } else {
      const other = userIds.find((id) => id !== userId) ?? userId;
      pms.push({ other_user_id: other, sender_id: other, unread_message_ids: ids });
    }
  }
  return {
    count,
    pms,
    streams,
    huddles,
    mentions: [...new Set([...found.mentions, ...wildcardsAmong(tx, found, heard)])],
    old_unreads_missing: found.total >= UNREAD_MESSAGES_MAX,
  };
}

/** Returns the wildcard mentions of a user: "Wildcard mentions only if unmuted." */
function wildcardsAmong(
  tx: Reads,
  { topicWildcards }: UnreadLists,
  heard: readonly (readonly number[])[],
): Iterable<number> {
  const lowest = heard.reduce((low, [first = low]) => Math.min(low, first), AFTER_LAST_ID);
  const range = { start: [...WILDCARD_INDEX, lowest], end: [...WILDCARD_INDEX, AFTER_LAST_ID] };
  const wildcards = Array.from(tx.flaggedMessages.keys(range), ([, , id]) => id);
  if (wildcards.length + topicWildcards.length === 0) return [];
  const all = [...wildcards, ...topicWildcards];
  const mentioning = new Set(all);
  const among = new Set(heard.flatMap((ids) => ids.filter((id) => mentioning.has(id))));
  return all.filter((id) => among.has(id));
}

const NO_UNREAD: UnreadMessages = {
  count: 0,
  pms: [],
  streams: [],
  huddles: [],
  mentions: [],
  old_unreads_missing: false,
};
