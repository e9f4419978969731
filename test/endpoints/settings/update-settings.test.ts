import { expect, test } from 'vitest';
import {
  USER_SETTING_NAMES,
  USER_SETTINGS,
} from '../../../src/domain/wire/settings/user-settings.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { expectExactAfter, MODERN } from '../../support/applying/follow.ts';
import type { Params, TestQueue } from '../../support/client.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { PersonName } from '../../support/users.ts';

const MODERN_SETTINGS = {
  client_capabilities: { notification_settings_null: true, user_settings_object: true },
};
const ok = { result: 'success', msg: '' };
const eventsOf = async (queue: TestQueue) => (await queue.now()).map(({ id, ...event }) => event);

/** For each setting a value that is not its default. */
const OTHER_VALUES = USER_SETTING_NAMES.map((name) => {
  const setting: { default: unknown; values?: readonly unknown[]; max?: number } =
    USER_SETTINGS[name];
  if (name === 'default_language') return { name, value: 'de' };
  if (typeof setting.default === 'boolean') return { name, value: !setting.default };
  if (setting.values === undefined) return { name, value: setting.max };
  return { name, value: setting.values.find((value) => value !== setting.default) };
});

test('every setting is set, told to its owner alone, and stays', async () => {
  const server = await startServer();
  const { mel, max } = server.people;
  const queue = await server.register(mel, { event_types: ['user_settings'] });
  const others = await server.register(max, { event_types: ['user_settings'] });
  const values = Object.fromEntries(OTHER_VALUES.map(({ name, value }) => [name, value]));
  expect((await server.patch(mel, '/settings', values)).body).toEqual(ok);
  expect(await eventsOf(queue)).toEqual(
    OTHER_VALUES.map(({ name, value }) => ({
      type: 'user_settings',
      op: 'update',
      property: name,
      value,
      ...(name === 'default_language' ? { language_name: 'Deutsch' } : {}),
    })),
  );
  expect(await others.now()).toEqual([]);
  const fresh = (await server.register(mel, MODERN_SETTINGS)).state.user_settings;
  expect(fresh).toMatchObject(values);
});

/** The settings whose values the specification lists. */
const LISTED_VALUES = {
  web_channel_default_view: [1, 2, 3, 4],
  color_scheme: [1, 2, 3],
  web_home_view: ['recent_topics', 'inbox', 'all_messages'],
  demote_inactive_streams: [1, 2, 3],
  user_list_style: [1, 2, 3],
  web_animate_image_previews: ['always', 'on_hover', 'never'],
  web_stream_unreads_count_display_policy: [1, 2, 3],
  emojiset: ['google', 'twitter', 'text'],
};

test.each(Object.entries(LISTED_VALUES).map(([name, values]) => ({ name, values })))(
  '$name is each of $values and nothing else',
  async ({ name, values }) => {
    const server = await startServer();
    const { mel } = server.people;
    const stored = async () =>
      (await server.register(mel, MODERN_SETTINGS)).state.user_settings[name];
    for (const value of values) {
      expect((await server.patch(mel, '/settings', { [name]: value })).status).toBe(200);
      expect(await stored()).toBe(value);
    }
    const others = typeof values[0] === 'number' ? [0, values.length + 1] : ['other', ''];
    for (const value of others) {
      const { status, body } = await server.patch(mel, '/settings', { [name]: value });
      expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    }
    expect(await stored()).toBe(values.at(-1));
  },
);

test('what is as it was already tells nobody and is reported, beside unknown parameters', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const queue = await server.register(mel);
  const change = { color_scheme: 1, full_name: 'Mel Member', email: mel.email, hue: 'red' };
  expect((await server.patch(mel, '/settings', change)).body).toEqual({
    ...ok,
    ignored_parameters_unsupported: ['color_scheme', 'email', 'full_name', 'hue'],
  });
  expect(await queue.now()).toEqual([]);
});

test('older clients are told in the older form as well', async () => {
  const server = await startServer();
  const { mel } = server.people;
  const types = ['user_settings', 'update_display_settings', 'update_global_notifications'];
  const older = await server.register(mel, { event_types: types });
  const modern = await server.register(mel, { event_types: types, ...MODERN_SETTINGS });
  const user = mel.email;
  const change = {
    timezone: 'Asia/Kolkata',
    default_language: 'pt-br',
    enable_sounds: false,
    web_font_size_px: 20,
  };
  await server.patch(mel, '/settings', change);
  const setting = { type: 'user_settings', op: 'update' };
  const inBoth = [
    { ...setting, property: 'timezone', value: 'Asia/Kolkata' },
    {
      ...setting,
      property: 'default_language',
      value: 'pt-br',
      language_name: 'português (Brasil)',
    },
    { ...setting, property: 'enable_sounds', value: false },
    { ...setting, property: 'web_font_size_px', value: 20 },
  ];
  expect(await eventsOf(modern)).toEqual(inBoth);
  expect(await eventsOf(older)).toEqual([
    inBoth[0],
    {
      type: 'update_display_settings',
      setting_name: 'timezone',
      setting: 'Asia/Kolkata',
      user,
    },
    inBoth[1],
    {
      type: 'update_display_settings',
      setting_name: 'default_language',
      setting: 'pt-br',
      language_name: 'português (Brasil)',
      user,
    },
    inBoth[2],
    {
      type: 'update_global_notifications',
      notification_name: 'enable_sounds',
      setting: false,
      user,
    },
    inBoth[3],
  ]);
});

test.each(['/settings/display', '/settings/notifications'])('%s is the same', async (path) => {
  const server = await startServer();
  const { mel } = server.people;
  expect((await server.patch(mel, path, { color_scheme: 2 })).body).toEqual(ok);
  const { state } = await server.register(mel, MODERN_SETTINGS);
  expect(state.user_settings.color_scheme).toBe(2);
});

test('a name and a time zone are told to everyone', async () => {
  const server = await startServer();
  const { mel, gus } = server.people;
  const queue = await server.register(gus, { event_types: ['realm_user'] });
  const change = { full_name: ' Melanie ', timezone: 'Europe/Berlin' };
  expect((await server.patch(mel, '/settings', change)).body).toEqual(ok);
  const update = { type: 'realm_user', op: 'update' };
  expect(await eventsOf(queue)).toEqual([
    { ...update, person: { user_id: mel.id, full_name: 'Melanie' } },
    { ...update, person: { user_id: mel.id, email: mel.email, timezone: 'Europe/Berlin' } },
  ]);
  const { body } = await server.get(gus, '/users/4');
  expect(body.user).toMatchObject({ full_name: 'Melanie', timezone: 'Europe/Berlin' });
  // The name is found and the former one is not.
  const { body: sent } = await server.post(gus, '/messages', {
    type: 'direct',
    to: [mel.id],
    content: '@**Melanie** @**Mel Member**',
  });
  const message = (await server.get(gus, `/messages/${sent.id}`)).body.message.content;
  expect(message.match(/data-user-id/g)).toHaveLength(1);
  expect(message).toContain('@Melanie');
});

test('where names are locked, only administrators change theirs, and nobody is refused', async () => {
  const server = await startServer();
  const { mel, ada } = server.people;
  await server.set('name_changes_disabled', true);
  const rename = async (person: typeof mel) =>
    (await server.patch(person, '/settings', { full_name: `New ${person.id}` })).body;
  expect(await rename(mel)).toEqual({ ...ok, ignored_parameters_unsupported: ['full_name'] });
  expect(await rename(ada)).toEqual(ok);
  expect((await server.get(mel, '/users/me')).body.full_name).toBe('Mel Member');
  expect((await server.get(ada, '/users/me')).body.full_name).toBe(`New ${ada.id}`);
});

test('where names are unique, nobody takes that of another, whatever its case', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await server.patch(mel, '/settings', { full_name: 'Max Member' });
  await server.patch(mel, '/settings', { full_name: 'Mel Member' });
  await server.set('require_unique_names', true);
  const reply = await server.patch(mel, '/settings', { full_name: 'max MEMBER' });
  expect(reply.body).toMatchObject({
    code: 'BAD_REQUEST',
    msg: 'Unique names required in this organization.',
  });
  const own = await server.patch(mel, '/settings', { full_name: 'MEL MEMBER' });
  expect(own.body).toEqual(ok);
});

test.each<{ params: Params; msg: string }>([
  { params: { full_name: 'x' }, msg: 'Name too short!' },
  { params: { full_name: 'x'.repeat(101) }, msg: 'Name too long!' },
  ...['*', '`', '\\', '>', '"', '@', '\u0007'].map((character) => ({
    params: { full_name: `Mel ${character} M` },
    msg: 'Invalid characters in name!',
  })),
  { params: { full_name: 'Mel|7' }, msg: 'Invalid format!' },
  ...['Nowhere/Land', 'europe/berlin', '+01:00', 'x'.repeat(1000)].map((timezone) => ({
    params: { timezone },
    msg: 'Invalid timezone: Not a recognized time zone',
  })),
  { params: { default_language: 'xx' }, msg: 'Invalid default_language' },
  {
    params: { notification_sound: 'boom' },
    msg: 'Invalid notification_sound',
  },
  { params: { emojiset: 'apple' }, msg: 'Invalid emojiset' },
  { params: { web_home_view: 'home' }, msg: 'Invalid web_home_view' },
  { params: { color_scheme: 4 }, msg: 'Invalid color_scheme' },
  { params: { color_scheme: 'dark' }, msg: 'color_scheme is not an integer' },
  { params: { color_scheme: '1.5' }, msg: 'color_scheme is not an integer' },
  { params: { web_channel_default_view: 5 }, msg: 'Invalid web_channel_default_view' },
  { params: { enter_sends: 'yes' }, msg: 'enter_sends is not a boolean' },
  { params: { enter_sends: 1 }, msg: 'enter_sends is not a boolean' },
  {
    params: { email_notifications_batching_period_seconds: 0 },
    msg: 'email_notifications_batching_period_seconds is too small',
  },
  {
    params: { email_notifications_batching_period_seconds: 604_801 },
    msg: 'email_notifications_batching_period_seconds is too large',
  },
  {
    params: { web_font_size_px: '99999999999999999999' },
    msg: 'web_font_size_px is not an integer',
  },
  {
    params: { email_address_visibility: 0 },
    msg: 'Invalid email_address_visibility',
  },
])('is refused, and nothing is changed: $params', async ({ params, msg }) => {
  const server = await startServer();
  const { mel } = server.people;
  const queue = await server.register(mel);
  const reply = await server.patch(mel, '/settings', { starred_message_counts: false, ...params });
  expect([reply.status, reply.body.code]).toEqual([400, 'BAD_REQUEST']);
  expect(reply.body.msg).toContain(msg);
  expect(await queue.now()).toEqual([]);
});

test('bots have no settings', async () => {
  const server = await startServer();
  const reply = await server.patch(server.people.bot, '/settings', { color_scheme: 2 });
  expect([reply.status, reply.body]).toEqual([
    400,
    {
      result: 'error',
      code: 'BAD_REQUEST',
      msg: 'This endpoint does not accept bot requests.',
    },
  ]);
});

const ROLES = ['ona', 'ada', 'mia', 'max', 'gus'] as const satisfies readonly PersonName[];

test.each<{
  from: number;
  to: number;
  gained: readonly PersonName[];
  lost: readonly PersonName[];
}>([
  { from: 1, to: 2, gained: [], lost: ['gus'] },
  { from: 1, to: 4, gained: [], lost: ['ona', 'ada', 'mia', 'max', 'gus'] },
  { from: 4, to: 1, gained: ['ona', 'ada', 'mia', 'max', 'gus'], lost: [] },
  { from: 2, to: 3, gained: [], lost: ['mia', 'max'] },
  { from: 3, to: 5, gained: ['mia'], lost: [] },
  { from: 5, to: 2, gained: ['max'], lost: [] },
])('visibility from $from to $to is told to those for whom it changes', async (change) => {
  const { from, to, gained, lost } = change;
  const server = await startServer();
  const { mel } = server.people;
  await server.patch(mel, '/settings', { email_address_visibility: from });
  const own = await server.register(mel, { event_types: ['realm_user'] });
  const queues = await Promise.all(
    ROLES.map((name) => server.register(server.people[name], { event_types: ['realm_user'] })),
  );
  await server.patch(mel, '/settings', { email_address_visibility: to });
  const update = (rest: object) => ({
    type: 'realm_user',
    op: 'update',
    person: { user_id: mel.id, ...rest },
  });
  const version = from === 1 ? 2 : 3;
  const address = to === 1 ? mel.email : 'user4@test.localhost';
  // Users who may not see the address are shown another picture, so everybody has to fetch it
  // again.
  const renewed = update({
    avatar_url: `/avatar/4?v=${version}`,
    avatar_url_medium: `/avatar/4/medium?v=${version}`,
    avatar_source: 'G',
    avatar_version: version,
  });
  const moved = [renewed, ...(from === 1 || to === 1 ? [update({ new_email: address })] : [])];
  for (const [index, queue] of queues.entries()) {
    const name = ROLES[index] ?? expect.fail('there is one queue a person');
    const seen = gained.includes(name)
      ? [update({ delivery_email: mel.email })]
      : lost.includes(name)
        ? [update({ delivery_email: null })]
        : [];
    expect(await eventsOf(queue), name).toEqual([...seen, ...moved]);
  }
  expect(await eventsOf(own)).toEqual(moved);
});

test('a snapshot and the events of settings give what a fresh register gives', async () => {
  const server = await startServer({ channels: ['general'] });
  await everythingChanges(server, MODERN);
});

test('the same for clients without any capability', async () => {
  const server = await startServer({ channels: ['general'] });
  await everythingChanges(server, { client_gravatar: false, include_subscribers: 'true' });
});

test('the same where guests do not know of everybody', async () => {
  const server = await startServer({ channels: ['general'] });
  const { mel, gus } = server.people;
  await server.set('can_access_all_users_group', systemGroupId('role:members'));
  await server.delete(mel, '/users/me/subscriptions', { subscriptions: ['general'] });
  const hidden = await server.register(gus, { event_types: ['realm_user', 'user_status'] });
  await everythingChanges(server, MODERN);
  expect((await hidden.now()).filter(({ person }) => person?.user_id === mel.id)).toEqual([]);
});

async function everythingChanges(server: TestServer, options: Params) {
  const { mel, ada, gus } = server.people;
  // Older clients see an inherited value of a subscription as its own, and no event says that it
  // was inherited.
  const values = Object.fromEntries(
    OTHER_VALUES.filter(({ name }) => !name.startsWith('enable_stream_')).map(({ name, value }) => [
      name,
      value,
    ]),
  );
  const change = async () => {
    await server.patch(mel, '/settings', { ...values, full_name: 'Melanie', timezone: 'UTC' });
    await server.patch(gus, '/settings', { ...values, full_name: 'Gustav' });
    for (const email_address_visibility of [4, 5, 3, 1]) {
      await server.patch(ada, '/settings', { email_address_visibility });
      await server.patch(mel, '/settings', { email_address_visibility });
      await server.patch(gus, '/settings', { email_address_visibility });
    }
  };
  await expectExactAfter(server, change, { options });
}
