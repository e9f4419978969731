import type { WireEvent } from '../client.ts';
import { computeRights, GROUP_CHANGES } from './apply-group-event.ts';
import {
  addUnread,
  editMessages,
  everyUnread,
  forget,
  forgetUnread,
  isSameTopic,
  receive,
  recount,
  removeMessages,
} from './apply-message-event.ts';
import { PEOPLE_CHANGES } from './apply-people-event.ts';
import { REALM_CHANGES } from './apply-realm-event.ts';
import {
  ascending,
  type Channel,
  type Draft,
  type Entry,
  entriesOf,
  isOf,
  LISTS,
  type Scheduled,
  type Snapshot,
  type TopicPolicy,
  viewsOf,
  without,
} from './snapshot.ts';

/**
 * Does to a snapshot what a client does on an event. Impossible events throw, such as a peer that
 * leaves without having been there: existing clients fail on them as well.
 */
export function applyEvent(state: Snapshot, event: WireEvent) {
  const kind = typeof event['op'] === 'string' ? `${event.type} ${event['op']}` : event.type;
  const apply = CHANGES[kind];
  if (apply === undefined) throw new Error(`no client knows what to do with ${kind}`);
  apply(state, event);
  if (event.type === 'user_group') computeRights(state);
}

const nothing = () => undefined;

/** The events that a client knows how to apply, by type or type and operation. */
export const appliedKinds = (): string[] => Object.keys(CHANGES);

const CHANGES: Readonly<Record<string, (state: Snapshot, event: WireEvent) => void>> = {
  ...PEOPLE_CHANGES,
  heartbeat: nothing,
  invites_changed: nothing,
  restart: (state, { server_generation }) => {
    state['server_generation'] = server_generation;
  },
  'realm_user add': (state, { person: { is_active, ...person } }) => {
    forgetUser(state, person.user_id);
    (is_active ? state.realm_users : state.realm_non_active_users).push(person);
  },
  'realm_user remove': (state, { person: { user_id: id } }) => {
    const knownAs = [id, state.realm_users.find(({ user_id }) => user_id === id)?.['email']];
    for (const name of knownAs) delete state.presences?.[name];
    delete state.user_status?.[id];
    forgetUser(state, id);
  },
  'realm_bot add': (state, { bot }) => {
    if (state.realm_bots.some((known) => known['user_id'] === bot.user_id)) {
      throw new Error(`bot ${bot.user_id} is added a second time`);
    }
    state.realm_bots.push(bot);
  },
  'realm_bot update': (state, { bot }) => {
    const known = state.realm_bots.find((one) => one['user_id'] === bot.user_id);
    if (known === undefined) throw new Error(`bot ${bot.user_id} changes, which is not known`);
    Object.assign(known, bot);
  },
  'realm_bot delete': (state, { bot }) => {
    if (!state.realm_bots.some((known) => known['user_id'] === bot.user_id)) {
      throw new Error(`bot ${bot.user_id} is not known`);
    }
    state.realm_bots = state.realm_bots.filter((known) => known['user_id'] !== bot.user_id);
  },
  ...GROUP_CHANGES,
  'navigation_view add': (state, { navigation_view }) => {
    viewsOf(state).push({ ...navigation_view });
  },
  'navigation_view update': (state, { fragment, data }) => {
    const view = viewsOf(state).find((known) => known['fragment'] === fragment);
    if (view === undefined) throw new Error(`there is no view ${fragment}`);
    Object.assign(view, data);
  },
  'navigation_view remove': (state, { fragment }) => {
    state['navigation_views'] = viewsOf(state).filter((view) => view['fragment'] !== fragment);
  },
  push_device: (state, { push_account_id, status, error_code }) => {
    const devices = state['push_devices'] as Entry;
    devices[push_account_id] = { status, error_code: error_code ?? null };
  },
  ...REALM_CHANGES,
  default_streams: (state, { default_streams }) => {
    state.realm_default_streams = default_streams;
  },
  'stream create': (state, { streams }) => {
    for (const channel of streams as Channel[]) {
      if (state.streams.some(isOf(channel.stream_id))) {
        throw new Error(`${channel.name} is created a second time`);
      }
      state.streams.push({ ...channel });
      state.never_subscribed.push({ ...channel, subscribers: [] });
    }
  },
  'stream delete': (state, { stream_ids }) => {
    for (const id of stream_ids as number[]) {
      if (!state.streams.some(isOf(id))) throw new Error(`channel ${id} is not known`);
      forgetUnread(state, id);
      for (const name of LISTS) state[name] = state[name].filter((entry) => !isOf(id)(entry));
    }
  },
  'stream update': (state, { id, type, op, stream_id, name, property, value, ...more }) => {
    if (!state.streams.some(isOf(stream_id))) throw new Error(`${name} is not known`);
    for (const entry of entriesOf(state, stream_id)) {
      Object.assign(entry, { [property]: value, ...more });
    }
    // "What is in it counts as read" (docs/decisions/0041).
    if (property === 'is_archived' && value === true) forgetUnread(state, stream_id);
  },
  'subscription add': (state, { subscriptions }) => {
    for (const added of subscriptions as Channel[]) {
      for (const entry of entriesOf(state, added.stream_id)) {
        entry.subscriber_count = added.subscriber_count;
      }
      if (!state.streams.some(isOf(added.stream_id))) throw new Error(`${added.name} is not known`);
      take(state, ['unsubscribed', 'never_subscribed'], added.stream_id);
      state.subscriptions.push({ ...added });
    }
  },
  'subscription remove': (state, { subscriptions }) => {
    for (const { stream_id: id } of subscriptions as Channel[]) {
      changePeers(state, { channelId: id, userIds: [state.user_id], isAdded: false });
      state.unsubscribed.push(take(state, ['subscriptions'], id));
      forgetUnread(state, id);
    }
  },
  'subscription update': (state, { stream_id, property, value }) => {
    const entry = state.subscriptions.find(isOf(stream_id));
    if (entry === undefined) throw new Error(`channel ${stream_id} is not subscribed to`);
    entry[property as keyof Channel] = value as never;
    recount(state);
  },
  'subscription peer_add': (state, { stream_ids, user_ids }) => {
    for (const channelId of stream_ids) {
      changePeers(state, { channelId, userIds: user_ids, isAdded: true });
    }
  },
  'subscription peer_remove': (state, { stream_ids, user_ids }) => {
    for (const channelId of stream_ids) {
      changePeers(state, { channelId, userIds: user_ids, isAdded: false });
    }
  },
  'channel_folder add': (state, { channel_folder }) => {
    state.channel_folders.push(channel_folder);
  },
  'channel_folder update': (state, { channel_folder_id: id, data }) => {
    without(state.channel_folders, id);
    state.channel_folders = state.channel_folders.map((folder) =>
      folder.id === id ? { ...folder, ...data } : folder,
    );
  },
  'channel_folder reorder': (state, { order }) => {
    const ids = order as number[];
    state.channel_folders = ids.map((id, index) => {
      const folder = state.channel_folders.find((known) => known.id === id);
      if (folder === undefined) throw new Error(`there is no channel folder ${id}`);
      return { ...folder, order: index };
    });
  },
  default_stream_groups: (state, { default_stream_groups }) => {
    state['realm_default_stream_groups'] = default_stream_groups;
  },
  user_topic: (state, { id, type, ...decided }) => {
    const change = decided as TopicPolicy;
    const others = state.user_topics.filter((known) => !isSameTopic(known, change));
    state.user_topics = change.visibility_policy === 0 ? others : [...others, change];
    recount(state);
  },
  muted_topics: (state, { muted_topics }) => {
    state.muted_topics = muted_topics;
  },
  'drafts add': (state, { drafts }) => {
    state.drafts = newestFirst([...state.drafts, ...drafts]);
  },
  'drafts update': (state, { draft }) => {
    state.drafts = newestFirst([...without(state.drafts, draft.id), draft]);
  },
  'drafts remove': (state, { draft_id }) => {
    state.drafts = without(state.drafts, draft_id);
  },
  'saved_snippets add': (state, { saved_snippet }) => {
    state.saved_snippets.push(saved_snippet);
  },
  'saved_snippets update': (state, { saved_snippet: changed }) => {
    without(state.saved_snippets, changed.id);
    state.saved_snippets = state.saved_snippets.map((one) =>
      one.id === changed.id ? changed : one,
    );
  },
  'saved_snippets remove': (state, { saved_snippet_id }) => {
    state.saved_snippets = without(state.saved_snippets, saved_snippet_id);
  },
  'reminders add': (state, { reminders }) => {
    state.reminders = [...state.reminders, ...reminders].sort(
      (one, other) =>
        one.scheduled_delivery_timestamp - other.scheduled_delivery_timestamp ||
        one.reminder_id - other.reminder_id,
    );
  },
  'reminders remove': (state, { reminder_id }) => {
    const others = state.reminders.filter((known) => known.reminder_id !== reminder_id);
    if (others.length === state.reminders.length) throw new Error(`no reminder ${reminder_id}`);
    state.reminders = others;
  },
  'scheduled_messages add': (state, { scheduled_messages }) => {
    state.scheduled_messages = soonestFirst([...state.scheduled_messages, ...scheduled_messages]);
  },
  'scheduled_messages update': (state, { scheduled_message: changed }) => {
    const others = withoutScheduled(state, changed.scheduled_message_id);
    state.scheduled_messages = soonestFirst([...others, changed]);
  },
  'scheduled_messages remove': (state, { scheduled_message_id: id }) => {
    state.scheduled_messages = withoutScheduled(state, id);
  },
  onboarding_steps: (state, { onboarding_steps }) => {
    state['onboarding_steps'] = onboarding_steps;
  },
  muted_users: (state, { muted_users }) => {
    state['muted_users'] = muted_users;
  },
  alert_words: (state, { alert_words }) => {
    state['alert_words'] = alert_words;
  },
  message: receive,
  delete_message: removeMessages,
  update_message: editMessages,
  // Transient, and in no snapshot.
  'typing start': nothing,
  'typing stop': nothing,
  'typing_edit_message start': nothing,
  'typing_edit_message stop': nothing,
  'reaction add': nothing,
  'reaction remove': nothing,
  submessage: nothing,
  // A snapshot holds nothing of files and exports: a client asks for the lists.
  realm_export: nothing,
  realm_export_consent: nothing,
  'attachment add': nothing,
  'attachment update': nothing,
  'attachment remove': nothing,
  'update_message_flags add': (state, { flag, messages, all }) => {
    if (flag === 'read') forget(state, all ? everyUnread(state) : messages);
    if (flag === 'starred') {
      state.starred_messages = ascending([...state.starred_messages, ...messages]);
    }
  },
  'update_message_flags remove': (state, event) => {
    const messages = event['messages'] as number[];
    if (event['flag'] === 'starred') {
      state.starred_messages = state.starred_messages.filter((id) => !messages.includes(id));
    }
    if (event['flag'] !== 'read') return;
    for (const id of messages) {
      const details = event['message_details'][id];
      const isChannel = details.type === 'stream';
      // Only what one is subscribed to is listed.
      if (isChannel && !state.subscriptions.some(isOf(details.stream_id))) continue;
      addUnread(state, {
        id,
        mentioned: details.mentioned === true,
        ...(isChannel
          ? { channel: { id: details.stream_id, topic: details.topic } }
          : { userIds: details.user_ids }),
      });
    }
  },
};

const newestFirst = (drafts: Draft[]) =>
  drafts.sort((one, other) => other.timestamp - one.timestamp || other.id - one.id);

const soonestFirst = (list: Scheduled[]) =>
  list.sort(
    (one, other) =>
      one.scheduled_delivery_timestamp - other.scheduled_delivery_timestamp ||
      one.scheduled_message_id - other.scheduled_message_id,
  );

function withoutScheduled({ scheduled_messages: list }: Snapshot, id: number): Scheduled[] {
  const others = list.filter((known) => known.scheduled_message_id !== id);
  if (others.length === list.length) throw new Error(`there is no scheduled message ${id}`);
  return others;
}

/** A placeholder, or somebody of whom one may not know any more. */
function forgetUser(state: Snapshot, userId: number) {
  const others = ({ user_id }: { user_id: number }) => user_id !== userId;
  state.realm_users = state.realm_users.filter(others);
  state.realm_non_active_users = state.realm_non_active_users.filter(others);
}

function take(
  state: Snapshot,
  lists: readonly (typeof LISTS)[number][],
  channelId: number,
): Channel {
  for (const name of lists) {
    const found = state[name].find(isOf(channelId));
    if (found === undefined) continue;
    state[name] = state[name].filter((entry) => entry !== found);
    return found;
  }
  throw new Error(`channel ${channelId} is in none of ${lists.join(', ')}`);
}

function changePeers(
  state: Snapshot,
  change: { channelId: number; userIds: readonly number[]; isAdded: boolean },
) {
  const { channelId, userIds, isAdded } = change;
  const entries = entriesOf(state, channelId);
  if (entries.length === 0) throw new Error(`peers of channel ${channelId}, which is not known`);
  for (const entry of entries) {
    entry.subscriber_count += isAdded ? userIds.length : -userIds.length;
    const { subscribers } = entry;
    if (subscribers === undefined) continue;
    for (const id of userIds) {
      if (subscribers.includes(id) === isAdded) {
        throw new Error(`user ${id} ${isAdded ? 'joins' : 'leaves'} ${entry.name} once more`);
      }
    }
    entry.subscribers = isAdded
      ? ascending([...subscribers, ...userIds])
      : subscribers.filter((id) => !userIds.includes(id));
  }
}
