import { computeRights, GROUP_CHANGES } from './apply-group-event.ts';
import { PEOPLE_CHANGES } from './apply-people-event.ts';
import { REALM_CHANGES } from './apply-realm-event.ts';
import type { WireEvent } from './client.ts';

/** A register reply with everything in it, as far as events change it. */
export interface Snapshot extends Record<string, unknown> {
  readonly user_id: number;
  realm_users: (Entry & { user_id: number })[];
  realm_non_active_users: (Entry & { user_id: number })[];
  realm_bots: Entry[];
  user_status?: Record<string, Entry>;
  presences?: Record<string, Entry>;
  realm_user_groups: (Entry & { id: number; members: number[] })[];
  streams: Channel[];
  subscriptions: Channel[];
  unsubscribed: Channel[];
  never_subscribed: Channel[];
  realm_default_streams: number[];
  max_message_id: number;
  unread_msgs: Unread;
  starred_messages: number[];
  recent_private_conversations: { user_ids: number[]; max_message_id: number }[];
  drafts: Draft[];
  saved_snippets: { readonly id: number }[];
  channel_folders: { readonly id: number; readonly order: number }[];
  reminders: { readonly reminder_id: number; readonly scheduled_delivery_timestamp: number }[];
  scheduled_messages: Scheduled[];
  user_topics: TopicPolicy[];
  muted_topics: [string, string, number][];
}

interface Draft {
  readonly id: number;
  readonly timestamp: number;
}

interface Scheduled {
  readonly scheduled_message_id: number;
  readonly scheduled_delivery_timestamp: number;
}

interface TopicPolicy {
  stream_id: number;
  topic_name: string;
  last_updated: number;
  visibility_policy: number;
}

type Entry = Record<string, unknown>;
type Channel = Entry & {
  stream_id: number;
  name: string;
  subscriber_count: number;
  subscribers?: number[];
};

interface Unread {
  count: number;
  pms: { other_user_id: number; sender_id: number; unread_message_ids: number[] }[];
  streams: { stream_id: number; topic: string; unread_message_ids: number[] }[];
  huddles: { user_ids_string: string; unread_message_ids: number[] }[];
  mentions: number[];
  old_unreads_missing: boolean;
}

/** Where an unread message is, and whether it mentions the user. */
interface Place {
  readonly id: number;
  readonly mentioned: boolean;
  /** By a wildcard, which counts only while the topic is heard. */
  readonly isWildcard?: boolean;
  readonly channel?: { readonly id: number; readonly topic: string };
  /** Of a direct message: the others. */
  readonly userIds?: readonly number[];
}

/**
 * Does to a snapshot what a client does on an event. What cannot be, such as a peer that leaves without having been there,
 * throws: existing clients fail on it as well.
 */
export function applyEvent(state: Snapshot, event: WireEvent) {
  const kind = typeof event['op'] === 'string' ? `${event.type} ${event['op']}` : event.type;
  const apply = CHANGES[kind];
  if (apply === undefined) throw new Error(`no client knows what to do with ${kind}`);
  apply(state, event);
  if (event.type === 'user_group') computeRights(state);
}

const nothing = () => undefined;

/** What a client knows how to apply, by type or type and operation. */
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
  // Of files and exports there is nothing in a snapshot: a client asks for the lists.
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

/** A client cannot know what is the newest one left: it holds some of the messages alone. */
const UNKNOWN = -2;

function removeMessages(state: Snapshot, event: WireEvent) {
  const ids = (event['message_ids'] ?? [event['message_id']]) as number[];
  forget(state, ids);
  state.starred_messages = state.starred_messages.filter((id) => !ids.includes(id));
  for (const conversation of state.recent_private_conversations) {
    if (ids.includes(conversation.max_message_id)) conversation.max_message_id = UNKNOWN;
  }
}

function editMessages(state: Snapshot, event: WireEvent) {
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

const newestFirst = (drafts: Draft[]) =>
  drafts.sort((one, other) => other.timestamp - one.timestamp || other.id - one.id);

function without<Item extends { readonly id: number }>(list: readonly Item[], id: number): Item[] {
  const others = list.filter((known) => known.id !== id);
  if (others.length === list.length) throw new Error(`there is nothing with the id ${id}`);
  return others;
}

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

function receive(state: Snapshot, { message, flags }: WireEvent) {
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

function addUnread(state: Snapshot, place: Place) {
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

/** Unread messages with a wildcard and no mention of the user's own, as far as their events were heard. */
const heardWildcards = new WeakMap<Snapshot, Set<number>>();

function wildcardsOf(state: Snapshot): Set<number> {
  const known = heardWildcards.get(state) ?? new Set();
  heardWildcards.set(state, known);
  return known;
}

/** What is muted is listed, and neither counted nor a mention for a wildcard's sake. */
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

const isSameTopic = (one: TopicOf, other: TopicOf) =>
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

const everyUnread = ({ unread_msgs: { pms, streams, huddles } }: Snapshot) =>
  [...pms, ...streams, ...huddles].flatMap(({ unread_message_ids: ids }) => ids);

function forget(state: Snapshot, messages: readonly number[]) {
  const { unread_msgs: unread } = state;
  const gone = new Set(messages);
  for (const entry of [...unread.pms, ...unread.streams, ...unread.huddles]) {
    entry.unread_message_ids = entry.unread_message_ids.filter((id) => !gone.has(id));
  }
  forgetOthers(state);
}

function forgetUnread(state: Snapshot, channelId: number) {
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

const viewsOf = (state: Snapshot) => state['navigation_views'] as Entry[];

const LISTS = ['streams', 'subscriptions', 'unsubscribed', 'never_subscribed'] as const;

const isOf = (channelId: number) => (entry: Channel) => entry.stream_id === channelId;

const entriesOf = (state: Snapshot, channelId: number) =>
  LISTS.flatMap((name) => state[name].filter(isOf(channelId)));

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

const ascending = (ids: Iterable<number>) => [...ids].sort((one, other) => one - other);

/** What is a matter of the moment or of the queue, and not of the state. */
const OF_THE_MOMENT = ['queue_id', 'last_event_id', 'server_timestamp', 'presence_last_update_id'];

/** Takes from a fresh snapshot what no client can know. */
function withWhatIs(fresh: Snapshot, state: Snapshot): Snapshot {
  const conversations = state.recent_private_conversations;
  const isKnown = conversations.every(({ max_message_id: id }) => id !== UNKNOWN);
  return {
    ...state,
    // The newest one may have been deleted, without a word to those who may not read it any more.
    max_message_id: Math.min(state.max_message_id, fresh.max_message_id),
    recent_private_conversations: isKnown ? conversations : fresh.recent_private_conversations,
  };
}

/** A snapshot without what may differ between equal states: moments, and the order of lists that have none of meaning. */
export function comparable(state: Snapshot, known = state): Record<string, unknown> {
  const { unread_msgs: unread } = state;
  const kept = Object.entries(withWhatIs(known, state)).filter(
    ([name]) => !OF_THE_MOMENT.includes(name),
  );
  return {
    ...Object.fromEntries(kept),
    // No event tells of the traffic of a channel: whoever wants it of today asks.
    ...Object.fromEntries(
      LISTS.map((name) => [
        name,
        sorted(state[name], 'stream_id').map(({ stream_weekly_traffic: _, ...entry }) => entry),
      ]),
    ),
    realm_users: sorted(state.realm_users, 'user_id'),
    realm_non_active_users: sorted(state.realm_non_active_users, 'user_id'),
    user_topics: sorted(
      state.user_topics.map((entry) => ({
        ...entry,
        key: `${entry.stream_id} ${entry.topic_name}`,
      })),
      'key',
    ),
    realm_bots: sorted(state.realm_bots, 'user_id'),
    realm_domains: sorted(state['realm_domains'] as Entry[], 'domain'),
    realm_user_groups: sorted(state.realm_user_groups, 'id'),
    navigation_views: sorted(viewsOf(state), 'fragment'),
    unread_msgs: {
      ...unread,
      mentions: ascending(unread.mentions),
      pms: sorted(unread.pms, 'other_user_id'),
      huddles: sorted(unread.huddles, 'user_ids_string'),
      // Topics are the same whatever their case.
      streams: sorted(
        unread.streams.map((entry) => ({
          ...entry,
          topic: entry.topic.toLowerCase(),
          key: `${entry.stream_id} ${entry.topic.toLowerCase()}`,
        })),
        'key',
      ),
    },
  };
}

const sorted = <Item extends object>(items: readonly Item[], by: keyof Item & string) =>
  items.toSorted((one, other) =>
    one[by] === other[by] ? 0 : (one[by] as string) < (other[by] as string) ? -1 : 1,
  );
