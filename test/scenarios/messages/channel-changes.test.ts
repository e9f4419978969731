import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import { type Act, acts } from '../../support/acts/acts.ts';
import { withoutPast } from '../../support/applying/follow.ts';
import { type KeptState, keepState } from '../../support/applying/kept-state.ts';
import { comparable } from '../../support/applying/snapshot.ts';
import type { TestQueue } from '../../support/client.ts';
import { runs } from '../../support/runs.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import { NAMES, type Person } from '../../support/users.ts';

/**
 * Channels change at random in every way there is; everybody's events must lead to what a fresh
 * register gives.
 */

const OLDER = {
  notification_settings_null: true,
  user_settings_object: true,
  user_list_incomplete: true,
  empty_topic_name: true,
};
const MODERN = { ...OLDER, archived_channels: true };

const who = fc.constantFrom(...NAMES);
const channelId = fc.integer({ min: 1, max: 3 });
const setting = fc.oneof(
  fc.constantFrom(
    ...(['role:nobody', 'role:moderators', 'role:members'] as const).map(systemGroupId),
  ),
  fc.record({
    direct_members: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { maxLength: 2 }),
    direct_subgroups: fc.constantFrom([], [101]),
  }),
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const change = maybe(setting.map((value) => ({ new: value })));

const privacy = acts(
  'privacy',
  {
    by: fc.constantFrom('ona', 'mel'),
    id: channelId,
    is_private: maybe(fc.boolean()),
    is_web_public: maybe(fc.boolean()),
    history_public_to_subscribers: maybe(fc.boolean()),
  },
  (server, { by, id, ...params }) => server.patch(server.people[by], `/streams/${id}`, params),
);

const permissions = acts(
  'permissions',
  {
    by: fc.constantFrom('ona', 'mel'),
    id: channelId,
    can_administer_channel_group: change,
    can_subscribe_group: change,
    can_add_subscribers_group: change,
    can_send_message_group: change,
  },
  (server, { by, id, ...params }) => server.patch(server.people[by], `/streams/${id}`, params),
);

const description = acts(
  'description',
  {
    id: channelId,
    new_name: maybe(fc.constantFrom('one', 'One', 'two', 'three')),
    description: maybe(fc.constantFrom('', 'For **all**')),
    is_default_stream: maybe(fc.boolean()),
    message_retention_days: maybe(fc.constantFrom(7, 'unlimited', 'realm_default')),
    topics_policy: maybe(fc.constantFrom('inherit', 'disable_empty_topic', 'empty_topic_only')),
    folder_id: maybe(fc.constantFrom(null, 1)),
  },
  (server, { id, ...params }) => server.patch(server.people.ona, `/streams/${id}`, params),
);

const archive = acts('archive', { id: channelId, again: fc.boolean() }, (server, { id, again }) =>
  again
    ? server.patch(server.people.ona, `/streams/${id}`, { is_archived: false })
    : server.delete(server.people.ona, `/streams/${id}`),
);

const subscribe = acts(
  'subscribe',
  { by: who, to: who, name: fc.constantFrom('one', 'two', 'three') },
  (server, given) =>
    server.post(server.people[given.by], '/users/me/subscriptions', {
      subscriptions: [{ name: given.name }],
      principals: [server.people[given.to].id],
    }),
);

const leave = acts(
  'leave',
  { by: who, name: fc.constantFrom('one', 'two', 'three') },
  (server, given) =>
    server.delete(server.people[given.by], '/users/me/subscriptions', {
      subscriptions: [given.name],
    }),
);

const send = acts('send', { by: who, id: channelId }, (server, { by, id }) =>
  server.post(server.people[by], '/messages', {
    type: 'channel',
    to: id,
    topic: 'tea',
    content: '@**Mel Member** hello',
  }),
);

const policy = acts(
  'policy',
  { by: who, id: channelId, visibility_policy: fc.integer({ min: 0, max: 3 }) },
  (server, { by, id, ...params }) =>
    server.post(server.people[by], '/user_topics', { stream_id: id, topic: 'tea', ...params }),
);

const property = acts(
  'property',
  {
    by: who,
    stream_id: channelId,
    change: fc.constantFrom(
      { property: 'is_muted', value: true },
      { property: 'in_home_view', value: true },
      { property: 'color', value: '#123456' },
      { property: 'pin_to_top', value: true },
      { property: 'push_notifications', value: false },
      { property: 'wildcard_mentions_notify', value: null },
    ),
  },
  (server, { by, stream_id, change: changed }) =>
    server.post(server.people[by], '/users/me/subscriptions/properties', {
      subscription_data: [{ stream_id, ...changed }],
    }),
);

const member = acts(
  'member',
  { user: fc.integer({ min: 1, max: 7 }), op: fc.constantFrom('add', 'delete') },
  (server, { user, op }) =>
    server.post(server.people.ona, '/user_groups/101/members', { [op]: [user] }),
);

const folder = acts(
  'folder',
  { name: maybe(fc.constantFrom('Work', 'Fun')), is_archived: maybe(fc.boolean()) },
  (server, params) => server.patch(server.people.ona, '/channel_folders/1', params),
);

const grouped = acts(
  'grouped',
  { op: fc.constantFrom('add', 'remove'), name: fc.constantFrom('one', 'two', 'three') },
  (server, { op, name }) =>
    server.patch(server.people.ona, '/default_stream_groups/1/streams', {
      op,
      stream_names: [name],
    }),
);

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 5, arbitrary: privacy },
  { weight: 5, arbitrary: permissions },
  { weight: 3, arbitrary: description },
  { weight: 3, arbitrary: archive },
  { weight: 4, arbitrary: subscribe },
  { weight: 4, arbitrary: leave },
  { weight: 4, arbitrary: send },
  { weight: 2, arbitrary: policy },
  { weight: 3, arbitrary: property },
  { weight: 3, arbitrary: member },
  { weight: 1, arbitrary: folder },
  { weight: 2, arbitrary: grouped },
);

test('4: snapshots stay exact for everybody, however channels change', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 3, maxLength: 12 }),
      fc.array(act, { minLength: 20, maxLength: 40 }),
      async (before, after) => {
        const server = await startServer({ channels: ['one', 'two', 'three'] });
        await server.set('enable_spectator_access', true);
        await server.post(server.people.ona, '/user_groups/create', {
          name: 'group',
          description: '',
          members: [],
        });
        await server.post(server.people.ona, '/channel_folders/create', { name: 'Work' });
        await server.post(server.people.ona, '/default_stream_groups/create', {
          group_name: 'newcomers',
          stream_names: ['one', 'two'],
        });
        for (const next of before) await next(server);
        const followed = await Promise.all(
          NAMES.flatMap((name) =>
            [OLDER, MODERN].map((capabilities) =>
              follow(server, server.people[name], capabilities),
            ),
          ),
        );
        for (const next of after) {
          const { status, body } = await next(server);
          expect([200, 400], JSON.stringify(body)).toContain(status);
        }
        for (const each of followed) await expectExact(server, each);
        expect(server.bugs).toEqual([]);
        await server.stop();
      },
    ),
    { numRuns: runs({ few: 1, all: 4 }), endOnFailure: true },
  );
});

interface Followed {
  readonly queue: TestQueue;
  readonly state: KeptState;
  readonly capabilities: object;
}

const formOf = (client_capabilities: object) => ({
  include_subscribers: 'true',
  client_gravatar: false,
  client_capabilities,
});

async function follow(server: TestServer, as: Person, capabilities: object): Promise<Followed> {
  const queue = await server.register(as, formOf(capabilities));
  return { queue, state: keepState(queue.state), capabilities };
}

async function expectExact(server: TestServer, { queue, state, capabilities }: Followed) {
  for (let events = await queue.now(); events.length > 0; events = await queue.now()) {
    for (const event of events) state.apply(event);
  }
  const fresh = await server.register(queue.as, formOf(capabilities));
  const seen = capabilities === OLDER ? withoutPast : comparable;
  const whose = `as ${queue.as.fullName} sees it, ${JSON.stringify(capabilities)}`;
  expect(seen(state.snapshot()), whose).toEqual(seen(fresh.state));
}
