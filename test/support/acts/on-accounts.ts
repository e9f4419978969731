import fc from 'fast-check';
import { expect } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { ApiError } from '../../../src/domain/wire/errors.ts';
import * as joining from '../../../src/operations/accounts/joining.ts';
import { acts } from './acts.ts';
import { channelName, managers, maybe, newcomerId, ROLES, userId, who } from './administration.ts';

const person = acts(
  'person',
  {
    role: fc.constantFrom('administrator', 'moderator', 'member', 'guest'),
    number: fc.nat(1_000_000),
  },
  async (server, { role, number }) => {
    const email = `new${number}@example.com`;
    const person = { realm: 'test', email, name: 'New Person', role };
    const made = runCommand(server.app.realms, 'user create', person);
    // Small numbers come up more than once, and an address is taken then.
    await made.catch((error: unknown) => expect(error).toBeInstanceOf(ApiError));
    return undefined;
  },
);

/**
 * A user who was invited, or made by an administrator: they join the default channels and are
 * welcomed.
 */
const newcomer = acts('newcomer', { number: fc.nat(1_000_000) }, async (server, { number }) => {
  const joiner = { fullName: 'New Comer', email: `comer${number}@tea.com`, passwordHash: '' };
  const joined = server.perform((tx, site) => void joining.enroll(tx, site, joiner));
  await joined.catch((error: unknown) => expect(error).toBeInstanceOf(ApiError));
  return undefined;
});

const account = acts(
  'account',
  {
    by: managers,
    id: fc.oneof(newcomerId, newcomerId, newcomerId, userId),
    full_name: maybe(fc.constantFrom('Zoe', 'Zed', 'Zoë')),
    role: maybe(fc.constantFrom(...ROLES)),
    new_email: maybe(fc.constantFrom('zoe@example.com', 'zed@example.com')),
    profile_data: maybe(
      fc.uniqueArray(
        fc.record({ id: fc.integer({ min: 1, max: 3 }), value: fc.constantFrom('', 'tea', null) }),
        { maxLength: 2, selector: ({ id }) => id },
      ),
    ),
  },
  (server, { by, id, ...params }) => server.patch(server.people[by], `/users/${id}`, params),
);

const rename = acts(
  'rename',
  { who, full_name: fc.constantFrom('Nobody', 'Somebody', 'Mel Member') },
  (server, { who: by, ...params }) => server.patch(server.people[by], '/settings', params),
);

const visibility = acts(
  'visibility',
  { who, email_address_visibility: fc.integer({ min: 1, max: 5 }) },
  (server, { who: by, ...params }) => server.patch(server.people[by], '/settings', params),
);

const own = acts(
  'own',
  {
    who,
    timezone: maybe(fc.constantFrom('Europe/Paris', 'UTC')),
    presence_enabled: maybe(fc.boolean()),
    twenty_four_hour_time: maybe(fc.boolean()),
    enable_sounds: maybe(fc.boolean()),
    send_read_receipts: maybe(fc.boolean()),
  },
  (server, { who: by, ...params }) => server.patch(server.people[by], '/settings', params),
);

const activity = acts(
  'activity',
  { by: managers, id: fc.oneof(newcomerId, newcomerId, userId), isActive: fc.boolean() },
  (server, { by, id, isActive }) =>
    isActive
      ? server.post(server.people[by], `/users/${id}/reactivate`)
      : server.delete(server.people[by], `/users/${id}`),
);

const status = acts(
  'status',
  { id: userId, status_text: fc.constantFrom('', 'busy'), away: maybe(fc.boolean()) },
  (server, { id, ...params }) => server.post(server.people.ada, `/users/${id}/status`, params),
);

const bot = acts(
  'bot',
  {
    by: who,
    number: fc.nat(1_000_000),
    bot_type: fc.integer({ min: 1, max: 3 }),
    default_sending_stream: maybe(channelName),
    default_events_register_stream: maybe(channelName),
    default_all_public_streams: maybe(fc.boolean()),
  },
  (server, { by, number, ...params }) =>
    server.post(server.people[by], '/bots', {
      full_name: `Bot ${number}`,
      short_name: `b${number}`,
      payload_url: params.bot_type === 3 ? '"https://bot.example.com/"' : undefined,
      ...params,
    }),
);

const changedBot = acts(
  'changed bot',
  {
    by: who,
    id: fc.integer({ min: 7, max: 12 }),
    full_name: maybe(fc.constantFrom('Robot', 'Rob')),
    role: maybe(fc.constantFrom(...ROLES)),
    bot_owner_id: maybe(userId),
    default_sending_stream: maybe(channelName),
    default_all_public_streams: maybe(fc.boolean()),
  },
  (server, { by, id, ...params }) => server.patch(server.people[by], `/bots/${id}`, params),
);

const botKey = acts(
  'bot key',
  { by: who, id: fc.integer({ min: 8, max: 12 }) },
  (server, { by, id }) => server.post(server.people[by], `/bots/${id}/api_key/regenerate`),
);

const profile = acts(
  'profile',
  {
    by: who,
    id: fc.integer({ min: 1, max: 4 }),
    value: fc.constantFrom(
      'tea',
      '**tea**',
      'a',
      '2026-01-01',
      'https://tea.example.com',
      [4],
      null,
    ),
  },
  (server, { by, id, value }) =>
    server.patch(server.people[by], '/users/me/profile_data', { data: [{ id, value }] }),
);

const mute = acts('mute', { by: who, id: userId, isOver: fc.boolean() }, (server, { ...given }) =>
  server[given.isOver ? 'delete' : 'post'](
    server.people[given.by],
    `/users/me/muted_users/${given.id}`,
  ),
);

/** Acts on accounts and bots, with their frequency. */
export const ACTS_ON_ACCOUNTS = [
  { weight: 3, arbitrary: person },
  { weight: 2, arbitrary: newcomer },
  { weight: 4, arbitrary: account },
  { weight: 2, arbitrary: rename },
  { weight: 3, arbitrary: visibility },
  { weight: 2, arbitrary: own },
  { weight: 5, arbitrary: activity },
  { weight: 2, arbitrary: status },
  { weight: 3, arbitrary: bot },
  { weight: 4, arbitrary: changedBot },
  { weight: 1, arbitrary: botKey },
  { weight: 3, arbitrary: profile },
  { weight: 2, arbitrary: mute },
];
