import type { UserRow } from '../../../storage/tables/people/users.ts';
import type { RealmTransaction } from '../../../storage/transaction.ts';
import { isSpectator } from '../../domain/rules/people/spectators.ts';
import {
  displaySettingsState,
  notificationSettingsState,
  realmUserSettingsDefaultsState,
  userSettingsState,
} from '../../domain/rules/realm/realm-state.ts';
import { withAliases } from '../../domain/rules/texts/aliases.ts';
import {
  SERVICE_FEATURE_LEVEL,
  SERVICE_MERGE_BASE,
  SERVICE_VERSION,
} from '../../domain/version.ts';
import type { QueueOptions } from '../../domain/wire/events/queue-options.ts';
import { isGuest } from '../../domain/wire/roles.ts';
import { integrationsAsShown } from '../../integrations/integrations.ts';
import type { Caller } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import * as defaultChannelGroups from '../channels/default-channel-groups.ts';
import * as channelFolders from '../channels/folders.ts';
import * as customEmoji from '../files/custom-emoji.ts';
import * as alertWords from '../indexes/alert-words.ts';
import { mutedList } from '../indexes/user-topics.ts';
import * as pushDevices from '../notifications/push-devices.ts';
import * as drafts from '../personal/drafts.ts';
import * as mutedUsers from '../personal/muted-users.ts';
import * as navigationViews from '../personal/navigation-views.ts';
import * as onboarding from '../personal/onboarding.ts';
import * as reminders from '../personal/reminders.ts';
import * as savedSnippets from '../personal/saved-snippets.ts';
import * as scheduledMessages from '../personal/scheduled-messages.ts';
import * as realmDomains from '../realm/domains.ts';
import * as playgrounds from '../realm/playgrounds.ts';
import * as linkifiers from '../rendering/linkifiers.ts';
import * as userDefaults from '../users/defaults.ts';
import { defaultStreamsState, streamState, subscriptionState } from './state/channels.ts';
import {
  messageState,
  recentConversationsState,
  starredState,
  unreadState,
} from './state/messages.ts';
import {
  presenceState,
  profileFieldsState,
  realmBotState,
  realmUserState,
  userGroupsState,
  userStatusState,
} from './state/people.ts';
import { type PeopleView, peopleView } from './state/people-view.ts';
import { realmSnapshot } from './state/realm.ts';
import { SPECTATOR_PARTS } from './state/spectators.ts';
import { userTopicsState } from './state/user-topics.ts';
import { type IncludeSubscribers, type State, type View, viewOf } from './state/view.ts';

export interface StateRequest {
  readonly caller: Caller;
  readonly options: QueueOptions;
  /** Null stands for everything. */
  readonly fetchTypes: readonly string[] | null;
  readonly includeSubscribers: IncludeSubscribers;
  readonly presenceHistoryDays: number;
}

/** All that a state is made of, as it is at one moment. */
type Snapshot = Reads & Pick<RealmTransaction, 'view' | 'now'>;

/**
 * Returns the state at the head of the log, so that the events after it lead to any later state
 * (reference/events-and-register.md section 5).
 */
export function initialState(tx: Snapshot, request: StateRequest): State {
  const { caller, options, fetchTypes } = request;
  const people = tx.view(peopleView);
  const view = viewOf({
    tx: tablesWith(tx, people),
    people,
    user: caller.user,
    site: caller.site,
    now: tx.now,
    clientGravatar: options.clientGravatar,
    capabilities: options.capabilities,
    includeSubscribers: request.includeSubscribers,
    slimPresence: options.slimPresence,
    presenceHistoryDays: request.presenceHistoryDays,
  });
  const named = fetchTypes === null ? null : new Set(fetchTypes);
  const wants = (type: string) => named === null || named.has(type);
  const state: State = { ...serviceState() };
  for (const [type, usual] of Object.entries(PARTS)) {
    const part = partFor(view.user, type, usual);
    if (wants(type)) Object.assign(state, part(view));
  }
  if (wants('message') && wants('update_message_flags')) Object.assign(state, unreadState(view));
  // Only clients that do not request the newer type by name get the older one.
  if (wants('muted_topics') && !named?.has('user_topic')) {
    state['muted_topics'] = mutedList(tx, caller.user.id);
  }
  return withAliases(state, caller.site.settings.aliasPrefix);
}

const copies = new WeakMap<Snapshot, { readonly people: PeopleView; readonly tx: Reads }>();

/**
 * Returns the tables of a transaction, with accounts from the materialized view. There are over a
 * hundred, and copying them for each registration was a sixth of its work: the tables are the same
 * for all transactions of a realm.
 */
function tablesWith(tx: Snapshot, people: PeopleView): Reads {
  const known = copies.get(tx);
  if (known?.people === people) return known.tx;
  const { users } = tx;
  const viewed = { ...users, get: ([id]: [number]) => people.account(id) ?? users.get([id]) };
  const copy: Reads = { ...tx, users: viewed };
  copies.set(tx, { people, tx: copy });
  return copy;
}

function partFor(user: UserRow, type: string, usual: Part): Part {
  const otherwise = isSpectator(user) ? SPECTATOR_PARTS[type] : undefined;
  return otherwise === undefined ? usual : (view) => otherwise(view, () => usual(view));
}

/** Returns the version of the service, for every snapshot. */
export const serviceState = () => ({
  service_version: SERVICE_VERSION,
  service_feature_level: SERVICE_FEATURE_LEVEL,
  service_merge_base: SERVICE_MERGE_BASE,
});

/** The parts of each fetch type; those without stored data are empty. */
type Part = (view: View) => State;

const PARTS: Readonly<Record<string, Part>> = {
  realm: ({ tx, site }) => realmSnapshot(tx, site),

  realm_user: realmUserState,
  realm_user_groups: userGroupsState,
  realm_bot: realmBotState,
  presence: presenceState,
  user_status: userStatusState,
  custom_profile_fields: profileFieldsState,
  realm_billing: () => ({ realm_billing: { has_pending_sponsorship_request: false } }),

  subscription: subscriptionState,
  stream: streamState,
  default_streams: defaultStreamsState,
  default_stream_groups: ({ tx, user }) => ({
    realm_default_stream_groups: isGuest(user.role) ? [] : defaultChannelGroups.list(tx),
  }),
  channel_folders: ({ tx }) => ({ channel_folders: channelFolders.list(tx) }),
  message: messageState,
  starred_messages: starredState,
  recent_private_conversations: recentConversationsState,
  user_topic: userTopicsState,
  muted_users: ({ tx, user }) => ({ muted_users: mutedUsers.list(tx, user.id) }),
  alert_words: ({ tx, user }) => ({ alert_words: alertWords.list(tx, user.id) }),
  stop_words: () => ({ stop_words: [] }),

  user_settings: ({ user }) => ({ user_settings: userSettingsState(user.settings, user.timezone) }),
  realm_user_settings_defaults: ({ tx }) => ({
    realm_user_settings_defaults: realmUserSettingsDefaultsState(userDefaults.stored(tx)),
  }),
  update_display_settings: ({ user, capabilities }) =>
    capabilities.user_settings_object ? {} : displaySettingsState(user.settings, user.timezone),
  update_global_notifications: ({ user, capabilities }) =>
    capabilities.user_settings_object ? {} : notificationSettingsState(user.settings),
  drafts: ({ tx, user }) => ({ drafts: drafts.list(tx, user.id) }),
  scheduled_messages: ({ tx, user }) => ({
    scheduled_messages: scheduledMessages.list(tx, user.id),
  }),
  reminders: ({ tx, user }) => ({ reminders: reminders.list(tx, user.id) }),
  saved_snippets: ({ tx, user }) => ({ saved_snippets: savedSnippets.list(tx, user.id) }),
  navigation_views: ({ tx, user }) => ({
    navigation_views: navigationViews.list(tx, user.id),
  }),
  onboarding_steps: ({ tx, user }) => ({
    onboarding_steps: onboarding.remaining(tx, user),
    navigation_tour_video_url: null,
  }),
  video_calls: () => ({ has_zoom_token: false }),
  giphy: () => ({ giphy_api_key: '' }),
  push_device: ({ tx, user }) => ({ push_devices: pushDevices.state(tx, user.id) }),

  realm_emoji: ({ tx }) => ({ realm_emoji: customEmoji.list(tx) }),
  realm_linkifiers: ({ tx, capabilities }) => ({
    realm_linkifiers: capabilities.linkifier_url_template ? linkifiers.list(tx) : [],
  }),
  realm_filters: () => ({ realm_filters: [] }),
  realm_playgrounds: ({ tx }) => ({ realm_playgrounds: playgrounds.list(tx) }),
  realm_domains: ({ tx }) => ({ realm_domains: realmDomains.list(tx) }),
  realm_embedded_bots: () => ({ realm_embedded_bots: [] }),
  realm_incoming_webhook_bots: () => ({ realm_incoming_webhook_bots: integrationsAsShown() }),
};
