import type { Snapshot } from '../calls.ts';
import type {
  Bot,
  Channel,
  ChannelFolder,
  Draft,
  NavigationView,
  Presence,
  Reminder,
  SavedSnippet,
  ScheduledMessage,
  UserGroup,
  UserStatus,
} from '../generated/api.ts';
import { Mutes } from './mutes.ts';
import { ascending, type ChannelSettings, type Facts, factsOf, type Person } from './objects.ts';
import { Topics } from './topics.ts';
import { Typing } from './typing.ts';
import { directKey, Unread } from './unread.ts';

export interface StateOptions {
  /** The id of the user, which a register reply has only with `realm_user` among its types. */
  readonly ownId?: number;
  /** Returns the time in milliseconds; the clock of the machine by default. */
  readonly ownTime?: () => number;
  /**
   * Is told of an event that does not fit what is known, such as a change of an unknown channel. To
   * register again helps.
   */
  readonly onMismatch?: (message: string) => void;
}

/**
 * Holds what is known, in maps. The objects in the maps are replaced and never changed, so that a
 * comparison shows whether one is still the same. The maps themselves and `facts` change in place.
 */
export class Contents {
  readonly ownId: number;
  /** The fields of the register reply that are kept as they are. */
  readonly facts: Facts;
  /** The names of the fields that the register reply had. */
  readonly fetched: ReadonlySet<string>;
  /** All people that the user may know of, with deactivated ones and system bots. */
  readonly users = new Map<number, Person>();
  readonly bots: Map<number, Bot>;
  readonly groups: Map<number, UserGroup>;
  /** By user; in the form of `slim_presence` or `simplified_presence_events`. */
  readonly presence: Map<number, Presence>;
  readonly statuses: Map<number, UserStatus>;
  readonly typing: Typing;
  /** All channels that the user may know of, subscribed to or not. */
  readonly channels = new Map<number, Channel>();
  /** The settings of the user for the channels that the user is subscribed to. */
  readonly subscriptions = new Map<number, ChannelSettings>();
  /** The same for channels that the user has left. */
  readonly formerSubscriptions = new Map<number, ChannelSettings>();
  /** Active accounts in a channel, ascending; only with `include_subscribers`. */
  readonly subscribers = new Map<number, readonly number[]>();
  /** Tells whether the register reply had lists of subscribers. */
  readonly keepsSubscribers: boolean;
  readonly folders: Map<number, ChannelFolder>;
  readonly mutes: Mutes;
  readonly unread: Unread;
  readonly topics = new Topics(this.subscriptions);
  /** Direct conversations, those with the newest messages last. */
  readonly conversations = new Map<string, Conversation>();
  readonly starred: Set<number>;
  /** The time of muting, by user. */
  readonly mutedUsers: Map<number, number>;
  readonly drafts: Map<number, Draft>;
  readonly scheduled: Map<number, ScheduledMessage>;
  readonly reminders: Map<number, Reminder>;
  readonly snippets: Map<number, SavedSnippet>;
  /** By fragment. */
  readonly views: Map<string, NavigationView>;
  /** The number of the last event that was applied. */
  lastEventId: number;
  readonly #onMismatch: (message: string) => void;

  constructor(snapshot: Snapshot, options: StateOptions = {}) {
    const { ownId, ownTime = Date.now, onMismatch } = options;
    this.#onMismatch = onMismatch ?? (() => undefined);
    const facts = factsOf(snapshot);
    this.facts = facts;
    this.fetched = new Set(Object.keys(snapshot));
    this.ownId = ownId ?? facts.user_id ?? 0;
    this.lastEventId = facts.last_event_id ?? -1;
    for (const user of [...(facts.cross_realm_bots ?? []), ...(snapshot.realm_users ?? [])]) {
      this.users.set(user.user_id, { ...user, is_active: true });
    }
    for (const user of snapshot.realm_non_active_users ?? []) {
      this.users.set(user.user_id, { ...user, is_active: false });
    }
    this.bots = keyed(snapshot.realm_bots, ({ user_id: id }) => id);
    this.groups = keyed(snapshot.realm_user_groups, ({ id }) => id);
    // A program that asks for a form of old gets that.
    this.presence = byId(snapshot.presences as Record<number, Presence> | undefined);
    this.statuses = byId(snapshot.user_status);
    this.typing = new Typing(
      ownTime,
      facts.server_typing_started_expiry_period_milliseconds ?? TYPING_EXPIRY_MS,
    );
    this.folders = keyed(snapshot.channel_folders, ({ id }) => id);
    this.keepsSubscribers = hasSubscribers(snapshot);
    this.#takeChannels(snapshot);
    this.mutes = new Mutes(snapshot.user_topics ?? [], this.subscriptions);
    this.unread = new Unread(this.ownId, snapshot.unread_msgs, this.mutes);
    for (const topics of this.unread.topics.values()) {
      for (const { channelId, topic, ids } of topics.values()) {
        for (const id of ids) this.topics.note(channelId, topic, id);
      }
    }
    for (const {
      user_ids: ids,
      max_message_id: id,
    } of snapshot.recent_private_conversations?.toReversed() ?? []) {
      this.conversations.set(directKey(ids), { userIds: ids, newestId: id });
    }
    this.starred = new Set(snapshot.starred_messages);
    this.mutedUsers = new Map(snapshot.muted_users?.map(({ id, timestamp }) => [id, timestamp]));
    this.drafts = keyed(snapshot.drafts, ({ id }) => id);
    this.scheduled = keyed(snapshot.scheduled_messages, (message) => message.scheduled_message_id);
    this.reminders = keyed(snapshot.reminders, ({ reminder_id: id }) => id);
    this.snippets = keyed(snapshot.saved_snippets, ({ id }) => id);
    this.views = keyed(snapshot.navigation_views, ({ fragment }) => fragment);
  }

  /** Tells of an event that does not fit, unless the program never asked for what it is about. */
  mismatch(field: string | undefined, message: string): void {
    if (field === undefined || this.fetched.has(field)) this.#onMismatch(message);
  }

  #takeChannels(snapshot: Snapshot) {
    for (const channel of snapshot.streams ?? []) this.channels.set(channel.stream_id, channel);
    for (const subscription of snapshot.subscriptions ?? []) {
      this.subscriptions.set(subscription.stream_id, this.takeChannel(subscription));
    }
    for (const subscription of snapshot.unsubscribed ?? []) {
      this.formerSubscriptions.set(subscription.stream_id, this.takeChannel(subscription));
    }
    for (const channel of snapshot.never_subscribed ?? []) this.takeChannel(channel);
  }

  /** Keeps a channel, and returns what of the object is the user's own. */
  takeChannel(entry: Channel & { readonly subscribers?: readonly number[] }): ChannelSettings {
    const { subscribers, ...fields } = entry;
    const all = Object.entries(fields);
    const channel = Object.fromEntries(all.filter(([name]) => !OWN_SETTINGS.has(name)));
    const settings = Object.fromEntries(all.filter(([name]) => OWN_SETTINGS.has(name)));
    // The entry has all fields of a channel, and of one's own settings those that it has.
    this.channels.set(entry.stream_id, channel as unknown as Channel);
    if (this.keepsSubscribers && subscribers !== undefined) {
      this.subscribers.set(entry.stream_id, ascending(subscribers));
    }
    return settings as unknown as ChannelSettings;
  }
}

export interface Conversation {
  /** The other people, ascending; none in the conversation with oneself. */
  readonly userIds: readonly number[];
  /** Undefined once the newest message that was known is deleted. */
  readonly newestId: number | undefined;
}

/** Applies where the server does not say it, as to a snapshot without the facts of the server. */
const TYPING_EXPIRY_MS = 15_000;

const OWN_SETTINGS: ReadonlySet<string> = new Set<keyof ChannelSettings>([
  'color',
  'is_muted',
  'in_home_view',
  'pin_to_top',
  'desktop_notifications',
  'audible_notifications',
  'push_notifications',
  'email_notifications',
  'wildcard_mentions_notify',
  'email_address',
]);

/** Without any channel one cannot see it, and keeps the lists that come. */
function hasSubscribers({ subscriptions, unsubscribed, never_subscribed }: Snapshot): boolean {
  const known = [...(subscriptions ?? []), ...(unsubscribed ?? []), ...(never_subscribed ?? [])];
  return known.length === 0 || known.some(({ subscribers }) => subscribers !== undefined);
}

const keyed = <Key, Item>(items: readonly Item[] | undefined, keyOf: (item: Item) => Key) =>
  new Map(items?.map((item) => [keyOf(item), item]));

const byId = <Value>(record: Readonly<Record<number, Value>> | undefined) =>
  new Map(Object.entries(record ?? {}).map(([id, value]): [number, Value] => [Number(id), value]));
