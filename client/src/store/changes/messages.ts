import type { Events, Message } from '../../generated/api.ts';
import type { Contents } from '../contents.ts';
import type { Section } from '../sections.ts';
import { directKey, type Place } from '../unread.ts';
import { type Changes, NOTHING } from './change.ts';

export const MESSAGES: Changes = {
  message: (state, { message, flags }) => {
    const place = placeOf(state, message);
    state.facts.max_message_id = Math.max(state.facts.max_message_id ?? -1, message.id);
    const sections: Section[] = ['userIds' in place ? 'conversations' : 'topics'];
    if ('userIds' in place) noteConversation(state, place.userIds, message.id);
    else state.topics.note(place.channelId, place.topic, message.id);
    if (state.typing.stop(place, message.sender_id)) sections.push('typing');
    if (flags.includes('read') || !isListed(state, place)) return sections;
    const isNew = state.unread.add({
      id: message.id,
      place,
      isMentioned: flags.includes('mentioned'),
      isWildcard: flags.includes('wildcard_mentioned'),
    });
    if (!isNew) state.mismatch('unread_msgs', `message ${message.id} is unread already`);
    return [...sections, 'unread'];
  },
  update_message: (state, event) => {
    const sections: Section[] = [];
    if (event.content !== undefined && !event.rendering_only) {
      const isWildcard = WILDCARDS.some((flag) => event.flags.includes(flag));
      const isMentioned = event.flags.includes('mentioned');
      if (state.unread.mentionAnew(event.message_id, isMentioned, isWildcard)) {
        sections.push('unread');
      }
    }
    return event.orig_subject === undefined ? sections : [...sections, ...move(state, event)];
  },
  delete_message: (state, { message_ids, message_id, stream_id, topic }) => {
    const ids = message_ids ?? (message_id === undefined ? [] : [message_id]);
    const sections: Section[] = [];
    if (state.unread.forget(ids)) sections.push('unread');
    if (drop(state.starred, ids)) sections.push('starred');
    if (stream_id !== undefined && topic !== undefined) {
      state.topics.leave(stream_id, topic, ids, false);
      return [...sections, 'topics'];
    }
    // A message is the newest of one conversation only, and most that are deleted are new.
    for (const [key, { userIds, newestId }] of state.conversations) {
      if (newestId === undefined || !ids.includes(newestId)) continue;
      state.conversations.set(key, { userIds, newestId: undefined });
      sections.push('conversations');
    }
    return sections;
  },
  'update_message_flags add': (state, { flag, messages, all }) => {
    if (flag === 'starred') {
      for (const id of messages) state.starred.add(id);
      return ['starred'];
    }
    if (flag !== 'read') return NOTHING;
    if (all) state.unread.forgetAll();
    else state.unread.forget(messages);
    return ['unread'];
  },
  'update_message_flags remove': (state, { flag, messages, message_details: details = {} }) => {
    if (flag === 'starred') {
      drop(state.starred, messages);
      return ['starred'];
    }
    if (flag !== 'read') return NOTHING;
    for (const id of messages) {
      const detail = details[id];
      if (detail === undefined) continue;
      const isMentioned = detail.mentioned === true;
      const place =
        detail.type === 'private'
          ? directPlace(state, detail.user_ids)
          : { channelId: detail.stream_id, topic: detail.topic };
      if (isListed(state, place)) state.unread.add({ id, place, isMentioned });
    }
    return ['unread'];
  },
  'typing start': (state, event) => {
    state.typing.start(placeOfTyping(state, event), event.sender.user_id);
    return ['typing'];
  },
  'typing stop': (state, event) =>
    state.typing.stop(placeOfTyping(state, event), event.sender.user_id) ? ['typing'] : NOTHING,
};

const WILDCARDS = ['stream_wildcard_mentioned', 'topic_wildcard_mentioned'] as const;

/** Only what the user is subscribed to is listed as unread. */
const isListed = (state: Contents, place: Place) =>
  'userIds' in place ||
  state.subscriptions.has(place.channelId) ||
  !state.fetched.has('subscriptions');

function placeOf(state: Contents, message: Message): Place {
  const { display_recipient: recipient } = message;
  if (typeof recipient !== 'string')
    return directPlace(
      state,
      recipient.map(({ id }) => id),
    );
  return { channelId: message.stream_id ?? 0, topic: message.subject };
}

function placeOfTyping(
  state: Contents,
  event: Events['typing start'] | Events['typing stop'],
): Place {
  const { recipients, stream_id: channelId, topic } = event;
  if (channelId !== undefined && topic !== undefined) return { channelId, topic };
  return directPlace(state, recipients?.map(({ user_id: id }) => id) ?? []);
}

/** The user is left out of the people of a conversation, except of the one with oneself. */
function directPlace(state: Contents, userIds: readonly number[]): Place {
  const others = userIds.filter((id) => id !== state.ownId);
  return { userIds: others.length === 0 ? [state.ownId] : others };
}

/** The register reply looks back over 1,000 messages; more people than this nobody scrolls over. */
const CONVERSATIONS_MAX = 10_000;

function noteConversation(state: Contents, others: readonly number[], newestId: number) {
  // The register reply names nobody in the conversation with oneself.
  const userIds = others.filter((id) => id !== state.ownId).sort((one, other) => one - other);
  const key = directKey(userIds);
  state.conversations.delete(key);
  state.conversations.set(key, { userIds, newestId });
  const [oldest] = state.conversations.keys();
  if (state.conversations.size > CONVERSATIONS_MAX && oldest !== undefined) {
    state.conversations.delete(oldest);
  }
}

function move(state: Contents, event: Events['update_message']): readonly Section[] {
  const { message_ids: ids, stream_id: from, orig_subject: topic, subject } = event;
  if (from === undefined || topic === undefined) return NOTHING;
  const to = event.new_stream_id ?? from;
  state.topics.leave(from, topic, ids, event.propagate_mode === 'change_all');
  // They are ascending.
  state.topics.note(to, subject ?? topic, ids.at(-1) ?? event.message_id);
  const isChanged = isListed(state, { channelId: to, topic })
    ? state.unread.move(ids, from, {
        channelId: to,
        ...(subject !== undefined && { topic: subject }),
      })
    : state.unread.forget(ids);
  return isChanged ? ['topics', 'unread'] : ['topics'];
}

function drop(known: Set<number>, ids: readonly number[]): boolean {
  let isChanged = false;
  for (const id of ids) if (known.delete(id)) isChanged = true;
  return isChanged;
}
