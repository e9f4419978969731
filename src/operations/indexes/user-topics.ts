import type { ChannelRow } from '../../../storage/tables/channels/channels.ts';
import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import type { MaterializedView, ViewKind } from '../../../storage/views.ts';
import { MUTED_TOPICS_PER_USER_MAX, TOPIC_LENGTH_MAX } from '../../domain/limits/channels.ts';
import { madeIn, oncePerKey } from '../../domain/once-per-key.ts';
import { recentlyUsed } from '../../domain/recently-used.ts';
import { isLongTopic, printableTopic, topicKey } from '../../domain/rules/messages/topic.ts';
import * as errors from '../../domain/wire/errors.ts';
import { USER_SETTINGS } from '../../domain/wire/settings/user-settings.ts';
import { byName, hasContentAccess } from '../access/channel-access.ts';
import type { Reads } from '../access/groups.ts';
import type { TopicRef } from './channel-messages.ts';

/** The policies that a user may have for a topic (reference/endpoints.md 1.21). */
export const Policy = { none: 0, muted: 1, unmuted: 2, followed: 3 } as const;
export type Policy = (typeof Policy)[keyof typeof Policy];

export const policyOf = (tx: Reads, userId: number, { channelId, topic }: TopicRef): Policy =>
  tx.userTopics.get([userId, channelId, topicKey(topic)])?.policy ?? Policy.none;

/**
 * A user's policies, for operations on many messages: each topic and channel is read once. Topics
 * are named by their key. It is valid within one synchronous step that changes no policy.
 *
 * "Muted" has the meaning of the wire (`is:muted`, `in:home`, unread counts, `first_unread`): the
 * topic is muted, or the channel is and the topic is neither unmuted nor followed. A topic of a
 * channel without a subscription has only its own policy. `is:followed` and the like find their
 * messages by `decidedTopics`, with `topicMessages` as the index.
 */
export interface Decisions {
  isMuted(channelId: number, key: string): boolean;
  isFollowed(channelId: number, key: string): boolean;
  isChannelMuted(channelId: number): boolean;
}

export function decisionsOf(tx: Reads, userId: number): Decisions {
  const policies = new Map<string, Policy>();
  const policy = (channelId: number, key: string): Policy => {
    const name = `${channelId} ${key}`;
    const stored = () => tx.userTopics.get([userId, channelId, key])?.policy ?? Policy.none;
    return madeIn(policies, name, stored);
  };
  const isChannelMuted = oncePerKey(
    (channelId: number) => tx.subscriptions.get([channelId, userId])?.isMuted === true,
  );
  return {
    isMuted: (channelId, key) => isMutedBy(policy(channelId, key), isChannelMuted(channelId)),
    isFollowed: (channelId, key) => policy(channelId, key) === Policy.followed,
    isChannelMuted,
  };
}

const isMutedBy = (policy: Policy, isChannelMuted: boolean) =>
  policy === Policy.muted || (isChannelMuted && policy === Policy.none);

/** Yields the topics of a channel for which a user has a policy; they need not exist. */
export function* decidedTopics(
  tx: Reads,
  { userId, channelId }: { readonly userId: number; readonly channelId: number },
): Iterable<{ readonly key: string; readonly policy: Policy }> {
  for (const [[, , key], { policy }] of tx.userTopics.under([userId, channelId])) {
    yield { key, policy };
  }
}

/** Returns the users with a policy for a topic, for when it is moved. */
export const usersOf = (tx: Reads, { channelId, topic }: TopicRef): number[] =>
  Array.from(tx.topicUsers.keysUnder([channelId, topicKey(topic)]), ([, , userId]) => userId);

export interface Decision extends TopicRef {
  readonly policy: Policy;
}

/** Stores a user's policy for a topic, which need not exist (reference/endpoints.md 1.21). */
export function set(tx: RealmTransaction, user: UserRow, { channelId, topic, policy }: Decision) {
  const channel = tx.channels.get([channelId]);
  if (channel === undefined) throw errors.invalidChannelId();
  if (policy !== Policy.none) {
    const subscription = tx.subscriptions.get([channelId, user.id]);
    if (!hasContentAccess(tx, { user, channel, subscription })) throw errors.invalidChannelId();
  }
  const ref = { channelId, topic: namedTopic(topic) };
  if (policyOf(tx, user.id, ref) === policy) return;
  if (policy === Policy.muted) refuseTooManyMuted(tx, user.id);
  decide(tx, user.id, { ...ref, policy });
}

interface MuteRequest {
  /** The request has exactly one of the next two. */
  readonly channelId: number | undefined;
  readonly name: string | undefined;
  readonly topic: string;
  readonly isMuted: boolean;
}

/**
 * Mutes or unmutes a topic; does nothing if it is so already (reference/endpoints.md 1.21: legacy).
 */
export function setMuted(tx: RealmTransaction, user: UserRow, request: MuteRequest) {
  const { channelId, name, topic, isMuted } = request;
  if ((channelId === undefined) === (name === undefined)) {
    throw errors.incompatibleParameters(['stream_id', 'stream']);
  }
  const channel = name === undefined ? tx.channels.get([channelId ?? 0]) : byName(tx, name);
  if (channel === undefined) throw errors.invalidChannelId();
  const policy = policyOf(tx, user.id, { channelId: channel.id, topic: namedTopic(topic) });
  if (!isMuted && policy !== Policy.muted) return;
  set(tx, user, { channelId: channel.id, topic, policy: isMuted ? Policy.muted : Policy.none });
}

/**
 * Writes a policy that is not refused any more, and tells the user; an unchanged one does nothing.
 * A move of messages calls it for each user of `usersOf`: `none` for the topic that is gone, the
 * policy for the new one.
 */
export function decide(
  tx: RealmTransaction,
  userId: number,
  { channelId, topic, policy }: Decision,
) {
  if (policyOf(tx, userId, { channelId, topic }) === policy) return;
  const key = topicKey(topic);
  const updatedAt = Math.floor(tx.now / 1000);
  if (policy === Policy.none) {
    tx.userTopics.remove([userId, channelId, key]);
    tx.topicUsers.remove([channelId, key, userId]);
  } else {
    tx.userTopics.put([userId, channelId, key], { topic, policy, updatedAt });
    tx.topicUsers.put([channelId, key, userId], {});
  }
  if (policy === Policy.muted) tx.mutedTopics.put([userId, channelId, key], {});
  else tx.mutedTopics.remove([userId, channelId, key]);
  // The policy has no effect until the channel is unarchived, and is announced then.
  if (tx.channels.get([channelId])?.isArchived) return;
  const audience = { users: [userId] };
  tx.emit({
    event: { type: 'muted_topics', muted_topics: mutedList(tx, userId) },
    audience,
    queues: { unlessNamed: 'user_topic' },
  });
  tx.emit({
    event: {
      type: 'user_topic',
      stream_id: channelId,
      topic_name: topic,
      last_updated: updatedAt,
      visibility_policy: policy,
    },
    audience,
  });
}

/**
 * Announces the policies for topics of a channel to their users; in an archived channel none has an
 * effect.
 */
export function announceAll(tx: RealmTransaction, { id, isArchived }: ChannelRow) {
  for (const [, key, userId] of tx.topicUsers.keysUnder([id])) {
    const row = tx.userTopics.get([userId, id, key]);
    if (row === undefined) continue;
    tx.emit({
      event: {
        type: 'user_topic',
        stream_id: id,
        topic_name: row.topic,
        last_updated: row.updatedAt,
        visibility_policy: isArchived ? Policy.none : row.policy,
      },
      audience: { users: [userId] },
    });
  }
  announceMuted(tx, id);
}

/** Announces the legacy list again after a channel was renamed, since it has channels by name. */
export function announceMuted(tx: RealmTransaction, channelId: number) {
  const userIds = new Set<number>();
  for (const [, key, userId] of tx.topicUsers.keysUnder([channelId])) {
    if (tx.mutedTopics.has([userId, channelId, key])) userIds.add(userId);
  }
  for (const userId of userIds) {
    tx.emit({
      event: { type: 'muted_topics', muted_topics: mutedList(tx, userId) },
      audience: { users: [userId] },
      queues: { unlessNamed: 'user_topic' },
    });
  }
}

/** Reasons to follow a topic: what a user did in it. Each includes those before it. */
export type Reason = 'started' | 'sent' | 'participated';

/**
 * Follows or unmutes the topic for a user who did something there, if their settings say so; never
 * for a bot, and never to a lower policy than theirs (reference/endpoints.md 1.1: visibility
 * policy). Returns the new policy.
 */
export function follow(
  tx: RealmTransaction,
  user: UserRow,
  { channelId, topic, reason }: TopicRef & { reason: Reason },
): 2 | 3 | undefined {
  if (user.botType !== null) return undefined;
  const { settings } = user;
  if (counts(settings.automatically_follow_topics_policy ?? FOLLOW_DEFAULT, reason)) {
    return raise(tx, user.id, { channelId, topic, policy: Policy.followed });
  }
  if (
    counts(
      settings.automatically_unmute_topics_in_muted_streams_policy ?? UNMUTE_DEFAULT,
      reason,
    ) &&
    tx.subscriptions.get([channelId, user.id])?.isMuted === true
  ) {
    return raise(tx, user.id, { channelId, topic, policy: Policy.unmuted });
  }
  return undefined;
}

/**
 * Does the same for mentioned users, except those who have muted the topic. Returns those who
 * follow it since. A list that was processed is not processed again until a user changes a policy
 * or a setting.
 */
export function followMentioned(
  tx: RealmTransaction,
  userIds: readonly number[],
  ref: TopicRef,
): number[] {
  if (userIds.length === 0) return [];
  const settled = tx.view(SETTLED).in(ref);
  if (settled.has(userIds)) return [];
  const following = userIds.filter((userId) => {
    const user = tx.users.get([userId]);
    if (user === undefined || user.botType !== null) return false;
    if (user.settings.automatically_follow_topics_where_mentioned === false) return false;
    const current = policyOf(tx, userId, ref);
    if (current === Policy.muted || current === Policy.followed) return false;
    decide(tx, userId, { ...ref, policy: Policy.followed });
    return true;
  });
  tx.view(SETTLED).in(ref).add(userIds);
  return following;
}

/** Topics of which lists are remembered. */
const SETTLED_TOPICS_MAX = 1_000;

/** Lists of users, by topic, of whom none would follow it because of another mention. */
class SettledLists implements MaterializedView {
  private readonly lists = recentlyUsed<string, WeakSet<readonly number[]>>(SETTLED_TOPICS_MAX);

  in({ channelId, topic }: TopicRef): WeakSet<readonly number[]> {
    const name = `${channelId} ${topicKey(topic)}`;
    let known = this.lists.get(name);
    if (known === undefined) {
      known = new WeakSet();
      this.lists.set(name, known);
    }
    return known;
  }

  changed(table: string, [, channelId, key]: readonly (string | number)[]) {
    if (table === 'userTopics') this.lists.delete(`${channelId} ${key}`);
    else this.lists.clear();
  }
}

const SETTLED: ViewKind<'userTopics' | 'users', SettledLists> = {
  tables: ['userTopics', 'users'],
  open: () => new SettledLists(),
};

/**
 * Returns the muted topics of a user, as in the legacy key and event; archived channels are left
 * out.
 */
export function mutedList(tx: Reads, userId: number): (readonly [string, string, number])[] {
  const channels = new Map<number, ChannelRow | undefined>();
  const list: (readonly [string, string, number])[] = [];
  for (const [, channelId, key] of tx.mutedTopics.keysUnder([userId])) {
    if (!channels.has(channelId)) channels.set(channelId, tx.channels.get([channelId]));
    const channel = channels.get(channelId);
    const row = tx.userTopics.get([userId, channelId, key]);
    if (row === undefined || channel === undefined || channel.isArchived) continue;
    list.push([channel.name, row.topic, row.updatedAt]);
  }
  return list;
}

function raise(
  tx: RealmTransaction,
  userId: number,
  { channelId, topic, policy }: TopicRef & { policy: 2 | 3 },
): 2 | 3 | undefined {
  const current = policyOf(tx, userId, { channelId, topic });
  if (current >= policy) return undefined;
  decide(tx, userId, { channelId, topic, policy });
  return policy;
}

/**
 * Tests a setting about following topics: 1 participating, 2 sending, 3 starting the topic, 4
 * never.
 */
const counts = (setting: number, reason: Reason) => setting <= REASON_STEP[reason];

const REASON_STEP: Readonly<Record<Reason, number>> = { participated: 1, sent: 2, started: 3 };
const FOLLOW_DEFAULT = USER_SETTINGS.automatically_follow_topics_policy.default;
const UNMUTE_DEFAULT = USER_SETTINGS.automatically_unmute_topics_in_muted_streams_policy.default;

/** "`topic` (<= 60, else BR)": it names an existing topic, so it is not cut. */
function namedTopic(topic: string): string {
  const name = printableTopic(topic);
  if (isLongTopic(name)) {
    throw errors.badRequest(`topic is too long (limit: ${TOPIC_LENGTH_MAX} characters)`);
  }
  return name;
}

function refuseTooManyMuted(tx: Reads, userId: number) {
  let count = 0;
  for (const _ of tx.mutedTopics.keysUnder([userId])) count += 1;
  if (count >= MUTED_TOPICS_PER_USER_MAX) {
    throw errors.badRequest(`You can mute at most ${MUTED_TOPICS_PER_USER_MAX} topics.`);
  }
}
