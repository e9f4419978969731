import type { RealmTransaction } from '../../../storage/transaction.ts';
import { RESOLVED_NOTICE_TAKEN_BACK_SECONDS } from '../../domain/limits/messages.ts';
import { NOTIFICATION_BOT } from '../../domain/rules/people/system-bots.ts';
import { USER_SETTINGS } from '../../domain/wire/settings/user-settings.ts';
import type { Caller } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import { newestIn, type TopicRef } from '../indexes/channel-messages.ts';
import * as userTopics from '../indexes/user-topics.ts';
import * as notices from '../posting/notices.ts';
import { erase } from './deletion.ts';
import type { Move } from './moves.ts';
import { newTopic } from './moves.ts';

/**
 * Posts a notice that a topic was resolved or unresolved. If the newest message is such a notice
 * from a moment ago, deletes that one instead.
 */
export function notifyResolution(
  tx: RealmTransaction,
  { user, site }: Caller,
  { at, resolution }: { at: TopicRef; resolution: 'resolved' | 'unresolved' },
) {
  const channel = tx.channels.get([at.channelId]);
  if (channel === undefined) return;
  const newest = newestIn(tx, at);
  const since = Math.floor(tx.now / 1000) - RESOLVED_NOTICE_TAKEN_BACK_SECONDS;
  const isTakenBack =
    newest?.senderId === NOTIFICATION_BOT.id &&
    newest.sentAt > since &&
    RESOLUTION_NOTICE.test(newest.content);
  if (isTakenBack) {
    erase(tx, [newest]);
    return;
  }
  notices.toChannel(tx, site, {
    channel,
    topic: at.topic,
    content: `${notices.silentMention(user)} has marked this topic as ${resolution}.`,
    isQuoting: true,
    unreadBy: unreadBy(tx, at),
  });
}

const RESOLUTION_NOTICE = / has marked this topic as (?:un)?resolved\.$/;

/**
 * Returns the users for whom the notice is unread: "unread only for subscribers per their
 * `resolved_topic_notice_auto_read_policy`".
 */
function unreadBy(tx: Reads, { channelId, topic }: TopicRef): number[] {
  const ids: number[] = [];
  for (const [[, userId], { isActive }] of tx.subscriptions.under([channelId])) {
    const user = isActive ? tx.users.get([userId]) : undefined;
    if (user === undefined) continue;
    const policy = user.settings.resolved_topic_notice_auto_read_policy ?? DEFAULT_POLICY;
    if (policy === 'always') continue;
    const isFollowed =
      userTopics.policyOf(tx, userId, { channelId, topic }) === userTopics.Policy.followed;
    if (policy === 'never' || isFollowed) ids.push(userId);
  }
  return ids;
}

const DEFAULT_POLICY = USER_SETTINGS.resolved_topic_notice_auto_read_policy.default;

export interface FinishedMove {
  readonly move: Move;
  readonly count: number;
  /** True if no message that the user may read is left at the old place. */
  readonly isWhole: boolean;
  readonly toOld: boolean;
  readonly toNew: boolean;
}

/**
 * Posts notices in the old and the new topic about the messages that moved, if the request asks for
 * them.
 */
export function notifyMove(tx: RealmTransaction, caller: Caller, finished: FinishedMove) {
  const { move, count, isWhole, toOld, toNew } = finished;
  const to = { channelId: move.to.channelId, topic: newTopic(move) };
  const by = notices.silentMention(caller.user);
  if (toNew) {
    const isTopic = isWhole && !move.isMerge;
    const from = linkTo(tx, move.from);
    const what = isTopic ? 'This topic was' : moved(tx, { to, count, id: move.targetId });
    say(tx, caller, { at: to, content: `${what} moved here from ${from} by ${by}.` });
  }
  if (toOld) {
    const what = isWhole
      ? 'This topic was moved'
      : `${moved(tx, { to, count, id: move.targetId })} moved from this topic`;
    say(tx, caller, { at: move.from, content: `${what} to ${linkTo(tx, to)} by ${by}.` });
  }
}

interface Counted {
  readonly to: TopicRef;
  readonly count: number;
  readonly id: number;
}

const moved = (tx: Reads, { to, count, id }: Counted) =>
  count === 1 ? `A message (${linkTo(tx, to, id)}) was` : `${count} messages were`;

function say(
  tx: RealmTransaction,
  { user, site }: Caller,
  { at, content }: { at: TopicRef; content: string },
) {
  const channel = tx.channels.get([at.channelId]);
  if (channel === undefined) return;
  const { topic } = at;
  notices.toChannel(tx, site, { channel, topic, content, isQuoting: true, readBy: [user.id] });
}

function linkTo(tx: Reads, { channelId, topic }: TopicRef, messageId?: number): string {
  const name = tx.channels.get([channelId])?.name ?? '';
  return `#**${name}>${topic}${messageId === undefined ? '' : `@${messageId}`}**`;
}
