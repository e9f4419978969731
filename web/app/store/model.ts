/** The state of the account as views show it. Each value is made once for a change. */
import type { Contents } from '@confab/client/store';
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { app } from './app.ts';
import { type Inbox, inboxOf } from './inbox.ts';
import { ownPath } from './organization/own-path.ts';
import type { Directory } from './search.ts';
import {
  type Channel,
  type Folder,
  type Person,
  type Policy,
  type Presence,
  placeKey,
  type Unread,
} from './shapes.ts';
import type { TitleNames } from './title.ts';

/** The time, to the minute: what is shown of times and presence follows it. */
export const nowMs = signal(Date.now());

export const ownId = computed(() => app.read('own').ownId);

export interface Realm {
  readonly name: string;
  /** Null until it is known. */
  readonly iconUrl: string | null;
}

export const realm: ReadonlySignal<Realm> = computed(() => {
  const { facts } = app.read('realm');
  return {
    name: facts.realm_name ?? '',
    iconUrl:
      facts.realm_icon_url === undefined ? null : ownPath(facts.realm_icon_url, facts.realm_url),
  };
});

export const people: ReadonlySignal<ReadonlyMap<number, Person>> = computed(() => {
  const found = new Map<number, Person>();
  for (const user of app.read('users').users.values()) {
    found.set(user.user_id, {
      id: user.user_id,
      name: user.full_name,
      email: user.delivery_email ?? user.email,
      // A first picture is none: its address leads to another server, which is not asked.
      avatarUrl: user.avatar_version === 1 ? null : (user.avatar_url ?? null),
      isBot: user.is_bot,
      isActive: user.is_active,
      isGuest: user.is_guest,
    });
  }
  return found;
});

const UNKNOWN = { email: '', avatarUrl: null, isBot: false, isActive: false, isGuest: false };

/** Returns a person; one of whom nothing is known if the account may not see them. */
export const personOf = (id: number): Person =>
  people.value.get(id) ?? { ...UNKNOWN, id, name: 'Unknown user' };

export const me = computed(() => personOf(ownId.value));

/** The channels that the account is subscribed to, without those in the archive. */
export const channels: ReadonlySignal<ReadonlyMap<number, Channel>> = computed(() => {
  const state = app.read('channels', 'subscriptions');
  const found = new Map<number, Channel>();
  for (const id of state.subscriptions.keys()) {
    const channel = channelIn(state, id);
    if (channel?.isArchived === false) found.set(id, channel);
  }
  return found;
});

/** Returns a channel, also of the archive; undefined if the account may not know of it. */
export const channelOf = (id: number): Channel | undefined =>
  channels.value.get(id) ?? channelIn(app.read('channels'), id);

/** The colour of channels that the account has given none. */
const NO_COLOR = '#8a8f98';

function channelIn({ channels: all, subscriptions }: Contents, id: number): Channel | undefined {
  const channel = all.get(id);
  if (channel === undefined) return undefined;
  const own = subscriptions.get(id);
  return {
    id,
    name: channel.name,
    description: channel.description,
    color: own?.color ?? NO_COLOR,
    folderId: channel.folder_id,
    isMuted: own?.is_muted ?? false,
    isPinned: own?.pin_to_top ?? false,
    isPrivate: channel.invite_only,
    isArchived: channel.is_archived,
  };
}

export const folders: ReadonlySignal<readonly Folder[]> = computed(() =>
  [...app.read('folders').folders.values()]
    .filter((folder) => !folder.is_archived)
    .sort((one, other) => one.order - other.order)
    .map(({ id, name }) => ({ id, name })),
);

const POLICIES: readonly Policy[] = ['none', 'muted', 'unmuted', 'followed'];

export const policyOf = (channelId: number, topic: string): Policy =>
  POLICIES[app.read('userTopics').mutes.policyOf(channelId, topic)] ?? 'none';

export const unread: ReadonlySignal<readonly Unread[]> = computed(() => {
  const state = app.read('unread', 'userTopics', 'subscriptions');
  const mentions = new Set(state.unread.mentionIds());
  const found: Unread[] = [];
  const add = (place: Unread['place'], ids: ReadonlySet<number>) => {
    let newestId = 0;
    let isMentioned = false;
    for (const id of ids) {
      if (id > newestId) newestId = id;
      if (mentions.has(id)) isMentioned = true;
    }
    found.push({ place, count: ids.size, newestId, isMentioned });
  };
  for (const topics of state.unread.topics.values()) {
    for (const { channelId, topic, ids } of topics.values()) {
      add({ kind: 'topic', channelId, topic }, ids);
    }
  }
  for (const { userIds, ids } of state.unread.directs.values()) {
    add({ kind: 'dm', userIds: withSelf(userIds, state.ownId) }, ids);
  }
  return found;
});

/** The conversation with oneself has nobody else in it. */
const withSelf = (userIds: readonly number[], own: number): readonly number[] =>
  userIds.length === 0 ? [own] : userIds;

export const inbox: ReadonlySignal<Inbox> = computed(() => {
  app.read('userTopics');
  return inboxOf({ unread: unread.value, channels: channels.value, policyOf });
});

const unreadByPlace = computed(
  () => new Map(unread.value.map((one) => [placeKey(one.place), one])),
);

const NOTHING = { count: 0, isMentioned: false };

/** Returns what is unread in a conversation. */
export const unreadIn = (place: Unread['place']): Pick<Unread, 'count' | 'isMentioned'> =>
  unreadByPlace.value.get(placeKey(place)) ?? NOTHING;

export interface DirectLine {
  readonly userIds: readonly number[];
  readonly newestId: number;
  readonly count: number;
}

/** Direct conversations, the one with the newest message first. */
export const directs: ReadonlySignal<readonly DirectLine[]> = computed(() => {
  const state = app.read('conversations');
  const lines = [...state.conversations.values()].map(({ userIds, newestId }) => {
    const all = withSelf(userIds, state.ownId);
    return {
      userIds: all,
      newestId: newestId ?? 0,
      count: unreadIn({ kind: 'dm', userIds: all }).count,
    };
  });
  return lines.sort((one, other) => other.newestId - one.newestId);
});

/** How many messages or drafts the entries at the top of the left column have. */
export const counts = computed(() => {
  const state = app.read('unread', 'starred', 'drafts', 'userTopics', 'subscriptions');
  return {
    inbox: inbox.value.count,
    mentions: state.unread.mentionIds().length,
    starred: state.starred.size,
    drafts: state.drafts.size,
  };
});

/** Returns the names of topics that are known, newest first. */
export const topicsOf = (channelId: number): readonly string[] =>
  app
    .read('topics', 'unread')
    .topics.of(channelId)
    .map(({ name }) => name);

/** A minute and a half without a sign is idle; more than the server's threshold is offline. */
const OFFLINE_SECONDS = 140;

export function presenceOf(id: number): Presence {
  const state = app.read('presence');
  const presence = state.presence.get(id);
  if (presence === undefined) return 'offline';
  const threshold = state.facts.server_presence_offline_threshold_seconds ?? OFFLINE_SECONDS;
  const since = nowMs.value / 1_000 - threshold;
  if (presence.active_timestamp >= since) return 'active';
  return presence.idle_timestamp >= since ? 'idle' : 'offline';
}

export const names: TitleNames = {
  get ownId() {
    return ownId.value;
  },
  channel: (id) => channelOf(id)?.name,
  person: (id) => people.value.get(id)?.name,
};

/** The names that a search may say. */
export const directory: ReadonlySignal<Directory> = computed(() => ({
  ownId: ownId.value,
  channels: [...channels.value.values()].sort((one, other) => one.name.localeCompare(other.name)),
  people: [...people.value.values()]
    .filter(({ isActive }) => isActive)
    .sort((one, other) => one.name.localeCompare(other.name)),
  topicsOf,
}));
