import type { ChannelRow } from '../../../../storage/tables/channels/channels.ts';
import { customProfileFieldTypes } from '../../../domain/rules/realm/realm-state.ts';
import { imaginedSubscription } from '../../channels/subscription-objects.ts';
import { realmSnapshot } from './realm.ts';
import type { State, View } from './view.ts';

/** `usual` returns the part of a guest. */
type SpectatorPart = (view: View, usual: () => State) => State;

const none =
  (...names: readonly string[]) =>
  () =>
    Object.fromEntries(names.map((name) => [name, []]));

/**
 * Parts of a snapshot that differ for spectators (reference/events-and-register.md 5.8), by fetch
 * type: they have nothing of their own, and see the web-public channels.
 */
export const SPECTATOR_PARTS: Readonly<Record<string, SpectatorPart>> = {
  realm: ({ tx, site }) => ({
    ...realmSnapshot(tx, site),
    realm_allow_message_editing: false,
    realm_presence_disabled: true,
  }),
  realm_user: (_view, usual) => ({ ...usual(), delivery_email: '' }),
  realm_bot: none('realm_bots'),
  presence: ({ now }) => ({ presences: {}, server_timestamp: now / 1000 }),
  user_status: () => ({ user_status: {} }),
  custom_profile_fields: () => ({
    custom_profile_fields: [],
    custom_profile_field_types: customProfileFieldTypes,
  }),

  subscription: (view) => ({
    subscriptions: webPublicChannels(view).map((channel, index) =>
      imaginedSubscription(view.tx, { channel, settings: view.site.settings, index }),
    ),
    unsubscribed: [],
    never_subscribed: [],
  }),
  stream: () => ({}),
  default_streams: none('realm_default_streams'),
  default_stream_groups: none('realm_default_stream_groups'),
  channel_folders: (view, usual) => {
    const shown = new Set(webPublicChannels(view).map(({ folderId }) => folderId));
    const { channel_folders = [] } = usual() as { channel_folders?: { id: number }[] }; // that part's only key
    return { channel_folders: channel_folders.filter(({ id }) => shown.has(id)) };
  },
  message: () => ({ max_message_id: -1 }),
  starred_messages: none('starred_messages'),
  recent_private_conversations: none('recent_private_conversations'),
  user_topic: none('user_topics'),
  muted_users: none('muted_users'),
  alert_words: none('alert_words'),

  drafts: none('drafts'),
  scheduled_messages: none('scheduled_messages'),
  reminders: none('reminders'),
  saved_snippets: none('saved_snippets'),
  navigation_views: none('navigation_views'),
  onboarding_steps: () => ({ onboarding_steps: [], navigation_tour_video_url: null }),
  push_device: () => ({ push_devices: {} }),
};

/** Returns the web-public channels, sorted by name. */
const webPublicChannels = ({ tx }: View): ChannelRow[] =>
  Array.from(tx.channels.range({}), ([, channel]) => channel)
    .filter(({ isWebPublic, isArchived }) => isWebPublic && !isArchived)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
