import { describe, expect, test } from 'vitest';
import { CLIENT_CAPABILITIES } from '../../../src/domain/wire/events/queue-options.ts';
import {
  USER_SETTING_NAMES,
  USER_SETTINGS,
} from '../../../src/domain/wire/settings/user-settings.ts';
import { snapshotFields } from '../../../src/endpoints/events/snapshot-fields.ts';
import type { Params } from '../../support/client.ts';
import { snapshot } from '../../support/initial-state.ts';
import { startServer } from '../../support/start-server.ts';

const ALWAYS = [
  'queue_id',
  'last_event_id',
  'service_version',
  'service_feature_level',
  'service_merge_base',
];

/**
 * The keys of each fetch type, apart from `realm` (reference/events-and-register.md 5.4 to 5.7).
 */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  realm_user: [
    'realm_users',
    'realm_non_active_users',
    'cross_realm_bots',
    'user_id',
    'email',
    'full_name',
    'delivery_email',
    'avatar_url',
    'avatar_url_medium',
    'avatar_source',
    'is_owner',
    'is_admin',
    'is_moderator',
    'is_guest',
    'can_create_streams',
    'can_create_public_streams',
    'can_create_private_streams',
    'can_create_web_public_streams',
    'can_invite_others_to_realm',
    'has_second_step',
  ],
  realm_user_groups: ['realm_user_groups'],
  realm_bot: ['realm_bots'],
  presence: ['presences', 'presence_last_update_id', 'server_timestamp'],
  user_status: ['user_status'],
  custom_profile_fields: ['custom_profile_fields', 'custom_profile_field_types'],
  realm_billing: ['realm_billing'],
  subscription: ['subscriptions', 'unsubscribed', 'never_subscribed'],
  stream: ['streams'],
  default_streams: ['realm_default_streams'],
  default_stream_groups: ['realm_default_stream_groups'],
  channel_folders: ['channel_folders'],
  message: ['max_message_id'],
  update_message_flags: [],
  starred_messages: ['starred_messages'],
  recent_private_conversations: ['recent_private_conversations'],
  user_topic: ['user_topics'],
  muted_topics: ['muted_topics'],
  muted_users: ['muted_users'],
  alert_words: ['alert_words'],
  stop_words: ['stop_words'],
  user_settings: ['user_settings'],
  realm_user_settings_defaults: ['realm_user_settings_defaults'],
  drafts: ['drafts'],
  scheduled_messages: ['scheduled_messages'],
  reminders: ['reminders'],
  saved_snippets: ['saved_snippets'],
  navigation_views: ['navigation_views'],
  onboarding_steps: ['onboarding_steps', 'navigation_tour_video_url'],
  video_calls: ['has_zoom_token'],
  giphy: ['giphy_api_key'],
  push_device: ['push_devices'],
  realm_emoji: ['realm_emoji'],
  realm_linkifiers: ['realm_linkifiers'],
  realm_filters: ['realm_filters'],
  realm_playgrounds: ['realm_playgrounds'],
  realm_domains: ['realm_domains'],
  realm_embedded_bots: ['realm_embedded_bots'],
  realm_incoming_webhook_bots: ['realm_incoming_webhook_bots'],
};

test('each fetch type gives its own keys, and only those beside what is always there', async () => {
  const server = await startServer({ channels: ['general'] });
  for (const [type, keys] of Object.entries(KEYS)) {
    const state = await snapshot(server, { fetch_event_types: [type] });
    expect(keysOf(state), type).toEqual([...ALWAYS, ...keys].sort());
  }
  expect(keysOf(await snapshot(server, { fetch_event_types: [] }))).toEqual([...ALWAYS].sort());
  expect(keysOf(await snapshot(server, { fetch_event_types: ['nonsense'] }))).toEqual(
    [...ALWAYS].sort(),
  );
});

test('without fetch types everything is given, all of it of some type', async () => {
  const server = await startServer();
  const all = keysOf(await snapshot(server, {}));
  const types = [
    ...Object.keys(KEYS),
    'realm',
    'update_display_settings',
    'update_global_notifications',
  ];
  expect(keysOf(await snapshot(server, { fetch_event_types: types }))).toEqual(
    all.filter((key) => key !== 'muted_topics'),
  );
  expect(all).toEqual(expect.arrayContaining(Object.values(KEYS).flat()));
});

test('unread_msgs needs both of its types, and muted_topics gives way to user_topic by name', async () => {
  const server = await startServer();
  const both = await snapshot(server, { fetch_event_types: ['message', 'update_message_flags'] });
  expect(keysOf(both)).toEqual([...ALWAYS, 'max_message_id', 'unread_msgs'].sort());
  const topics = await snapshot(server, { fetch_event_types: ['muted_topics', 'user_topic'] });
  expect(keysOf(topics)).toEqual([...ALWAYS, 'user_topics'].sort());
  const event = await snapshot(server, { event_types: ['message'] });
  expect(keysOf(event)).toEqual([...ALWAYS, 'max_message_id'].sort());
});

const keysOf = ({ result, msg, ...state }: Record<string, unknown>) => Object.keys(state).sort();

/** Fields of section 5 that are sent only in demo organizations. */
const DEMO_ALONE = ['demo_organization_scheduled_deletion_date'];

/** Fields of section 5.6 that clients without `user_settings_object` get a second time. */
const LEGACY_SETTINGS = [
  ...USER_SETTING_NAMES.filter((name) => USER_SETTINGS[name].kind !== 'modern'),
  ...['timezone', 'emojiset_choices', 'available_notification_sounds'],
];

describe('5: every key is there, with a value of its type', () => {
  const EVERY = Object.keys(snapshotFields).filter((key) => !DEMO_ALONE.includes(key));
  const capable = Object.fromEntries(CLIENT_CAPABILITIES.map((name) => [name, true]));

  test.each([
    ['without capabilities', {}, EVERY],
    [
      'with each capability',
      { client_capabilities: capable },
      EVERY.filter((key) => !LEGACY_SETTINGS.includes(key)),
    ],
    ...CLIENT_CAPABILITIES.map((name): [string, Params, string[]] => [
      `with ${name} alone`,
      { client_capabilities: { notification_settings_null: false, [name]: true } },
      name === 'user_settings_object'
        ? EVERY.filter((key) => !LEGACY_SETTINGS.includes(key))
        : EVERY,
    ]),
  ])('for a client %s', async (_, params, keys) => {
    const server = await startServer({ channels: ['general'] });
    for (const person of [server.people.ona, server.people.gus, server.people.bot]) {
      // The types of all values are checked by the client of the tests, against the same table.
      const { state } = await server.register(person, params);
      expect(keysOf(state), person.fullName).toEqual(keys.toSorted());
    }
  });

  test('for those who are not logged in, but for the three that they have no use for', async () => {
    const server = await startServer();
    await server.set('enable_spectator_access', true);
    await server.post(server.people.ona, '/users/me/subscriptions', {
      subscriptions: [{ name: 'open' }],
      is_web_public: true,
    });
    const { body } = await server.post(null, '/register');
    const absent = ['last_event_id', 'streams', 'presence_last_update_id'];
    expect(keysOf(body)).toEqual(EVERY.filter((key) => !absent.includes(key)).toSorted());
  });
});
