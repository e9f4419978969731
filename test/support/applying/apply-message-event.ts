import type { WireEvent } from '../client.ts';
import { ascending, isOf, type Snapshot, UNKNOWN, type Unread } from './snapshot.ts';

export function removeMessages(state: Snapshot, event: WireEvent) {
  const ids = (event['message_ids'] ?? [event['message_id']]) as number[];
  forget(state, ids);
  state.starred_messages = state.starred_messages.filter((id) => !ids.includes(id));
  for (const conversation of state.recent_private_conversations) {
    if (ids.includes(conversation.max_message_id)) conversation.max_message_id = UNKNOWN;
  }
}

export function editMessages(state: Snapshot, event: WireEvent) {
  const { message_id: id, message_ids: ids, stream_id: from, flags } = event;
  const { unread_msgs: unread } = state;
  if (event['content'] !== undefined && event['rendering_only'] === false) {
    const isUnread = [...unread.pms, ...unread.streams, ...unread.huddles].some((entry) =>
      entry.unread_message_ids.includes(id),
    );
    unread.mentions = unread.mentions.filter((known) => known !== id);
    wildcardsOf(state).delete(id);
    if (isUnread && flags.includes('mentioned')) unread.mentions.push(id);
    else if (isUnread && isWildcardIn(flags)) wildcardsOf(state).add(id);
    recount(state);
  }
  if (event['orig_subject'] === undefined) return;
  const to = event['new_stream_id'] ?? from;
  for (const entry of [...unread.streams]) {
    if (entry.stream_id !== from) continue;
    const moved = entry.unread_message_ids.filter((known) => ids.includes(known));
    entry.unread_message_ids = entry.unread_message_ids.filter((known) => !ids.includes(known));
    if (moved.length === 0 || !state.subscriptions.some(isOf(to))) continue;
    const list = topicIds(unread, { id: to, topic: event['subject'] ?? entry.topic });
    list.push(...moved);
    list.sort((one, other) => one - other);
  }
  forgetOthers(state);
}

const isWildcardIn = (flags: readonly string[]) =>
  flags.includes('stream_wildcard_mentioned') || flags.includes('topic_wildcard_mentioned');

export function receive(state: Snapshot, { message, flags }: WireEvent) {
  state.max_message_id = Math.max(state.max_message_id, message.id);
  const userIds =
    message.type === 'private'
      ? (message.display_recipient as { id: number }[])
          .map(({ id }) => id)
          .filter((id) => id !== state.user_id)
      : [];
  if (message.type === 'private') noteConversation(state, ascending(userIds), message.id);
  if (flags.includes('read')) return;
  addUnread(state, {
    id: message.id,
    mentioned: flags.includes('mentioned'),
    isWildcard: flags.includes('wildcard_mentioned'),
    ...(message.type === 'private'
      ? { userIds: ascending(userIds) }
      : { channel: { id: message.stream_id, topic: message.subject } }),
  });
}

function noteConversation(state: Snapshot, userIds: number[], messageId: number) {
  const others = state.recent_private_conversations.filter(
    (known) => known.user_ids.join() !== userIds.join(),
  );
  const newest = { user_ids: userIds, max_message_id: messageId };
  state.recent_private_conversations = [newest, ...others];
}

/** The place of an unread message, and whether it mentions the user. */
interface Place {
  readonly id: number;
  readonly mentioned: boolean;
  /** By a wildcard, which counts only while the topic is heard. */
  readonly isWildcard?: boolean;
  readonly channel?: { readonly id: number; readonly topic: string };
  /** The other people of a direct message. */
  readonly userIds?: readonly number[];
}

export function addUnread(state: Snapshot, place: Place) {
  const { id, mentioned, isWildcard = false, channel, userIds = [] } = place;
  const { unread_msgs: unread } = state;
  const ids = channel === undefined ? directIds(state, userIds) : topicIds(unread, channel);
  if (ids.includes(id)) throw new Error(`message ${id} is unread already`);
  ids.push(id);
  ids.sort((one, other) => one - other);
  if (mentioned) unread.mentions.push(id);
  else if (isWildcard) wildcardsOf(state).add(id);
  recount(state);
}

/**
 * Unread messages with a wildcard and no mention of the user's own, as far as their events were
 * heard.
 */
const heardWildcards = new WeakMap<Snapshot, Set<number>>();

function wildcardsOf(state: Snapshot): Set<number> {
  const known = heardWildcards.get(state) ?? new Set();
  heardWildcards.set(state, known);
  return known;
}

/**
 * Counts again. Muted messages are listed, but do not count, nor do wildcards in them as mentions.
 */
export function recount(state: Snapshot) {
  const { unread_msgs: unread } = state;
  const heard = [
    ...unread.pms,
    ...unread.huddles,
    ...unread.streams.filter((entry) => !isMuted(state, entry)),
  ].flatMap(({ unread_message_ids: ids }) => ids);
  unread.count = heard.length;
  const wildcards = wildcardsOf(state);
  unread.mentions = [
    ...unread.mentions.filter((id) => !wildcards.has(id)),
    ...heard.filter((id) => wildcards.has(id)),
  ];
}

interface TopicOf {
  readonly stream_id: number;
  readonly topic_name: string;
}

export const isSameTopic = (one: TopicOf, other: TopicOf) =>
  one.stream_id === other.stream_id &&
  one.topic_name.toLowerCase() === other.topic_name.toLowerCase();

function isMuted(state: Snapshot, { stream_id, topic }: { stream_id: number; topic: string }) {
  const place = { stream_id, topic_name: topic };
  const policy = state.user_topics.find((known) => isSameTopic(known, place))?.visibility_policy;
  const channel = state.subscriptions.find(isOf(stream_id));
  return policy === 1 || (channel?.['is_muted'] === true && policy === undefined);
}

function topicIds(unread: Unread, channel: { id: number; topic: string }): number[] {
  const key = channel.topic.toLowerCase();
  let entry = unread.streams.find(
    ({ stream_id, topic }) => stream_id === channel.id && topic.toLowerCase() === key,
  );
  if (entry === undefined) {
    entry = { stream_id: channel.id, topic: channel.topic, unread_message_ids: [] };
    unread.streams.push(entry);
  }
  return entry.unread_message_ids;
}

function directIds({ unread_msgs: unread, user_id }: Snapshot, others: readonly number[]) {
  if (others.length > 1) {
    const everyone = ascending([...others, user_id]).join(',');
    let entry = unread.huddles.find(({ user_ids_string }) => user_ids_string === everyone);
    if (entry === undefined) {
      entry = { user_ids_string: everyone, unread_message_ids: [] };
      unread.huddles.push(entry);
    }
    return entry.unread_message_ids;
  }
  const other = others[0] ?? user_id;
  let entry = unread.pms.find(({ other_user_id }) => other_user_id === other);
  if (entry === undefined) {
    entry = { other_user_id: other, sender_id: other, unread_message_ids: [] };
    unread.pms.push(entry);
  }
  return entry.unread_message_ids;
}

export const everyUnread = ({ unread_msgs: { pms, streams, huddles } }: Snapshot) =>
  [...pms, ...streams, ...huddles].flatMap(({ unread_message_ids: ids }) => ids);

export function forget(state: Snapshot, messages: readonly number[]) {
  const { unread_msgs: unread } = state;
  const gone = new Set(messages);
  for (const entry of [...unread.pms, ...unread.streams, ...unread.huddles]) {
    entry.unread_message_ids = entry.unread_message_ids.filter((id) => !gone.has(id));
  }
  forgetOthers(state);
}

export function forgetUnread(state: Snapshot, channelId: number) {
  const { unread_msgs: unread } = state;
  unread.streams = unread.streams.filter((entry) => entry.stream_id !== channelId);
  forgetOthers(state);
}

/** Brings what is counted in line with the lists. */
function forgetOthers(state: Snapshot) {
  const { unread_msgs: unread } = state;
  const hasIds = ({ unread_message_ids: ids }: { unread_message_ids: number[] }) => ids.length > 0;
  unread.pms = unread.pms.filter(hasIds);
  unread.streams = unread.streams.filter(hasIds);
  unread.huddles = unread.huddles.filter(hasIds);
  const listed = [...unread.pms, ...unread.streams, ...unread.huddles].flatMap(
    ({ unread_message_ids: ids }) => ids,
  );
  unread.mentions = unread.mentions.filter((id) => listed.includes(id));
  for (const id of wildcardsOf(state)) if (!listed.includes(id)) wildcardsOf(state).delete(id);
  recount(state);
}
