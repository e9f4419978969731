import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { systemGroupId } from '../../src/domain/system-groups.ts';
import { applyEvent, comparable, type Snapshot } from '../support/apply-event.ts';
import type { Reply, TestQueue } from '../support/client.ts';
import { startServer, type TestServer } from '../support/start-server.ts';
import { PEOPLE, type Person, type PersonName } from '../support/users.ts';

/**
 * Everyone registers, random people change things at random over HTTP, and everyone applies their events to their
 * snapshot: each must arrive at what a fresh register gives.
 */

const NAMES = [...PEOPLE.map(({ name }) => name), 'bot'] as const satisfies readonly PersonName[];
const CHANNELS = ['general', 'alpha', 'beta', 'gamma', 'delta'] as const;

/** A modern client, for which nothing is left out or put in an older form. */
const EVERYTHING = {
  include_subscribers: 'true',
  client_gravatar: false,
  client_capabilities: {
    notification_settings_null: true,
    user_settings_object: true,
    user_list_incomplete: true,
    bulk_message_deletion: true,
    empty_topic_name: true,
  },
};

type Act = (server: TestServer) => Promise<Reply | undefined>;

const who = fc.constantFrom(...NAMES);
const some = fc.uniqueArray(who, { minLength: 1, maxLength: 3 });
const channel = fc.constantFrom(...CHANNELS);
const channels = fc.uniqueArray(channel, { minLength: 1, maxLength: 2 });
const group = fc.oneof(
  fc.constantFrom(
    ...(['role:nobody', 'role:moderators', 'role:fullmembers', 'role:members'] as const).map(
      systemGroupId,
    ),
  ),
  // The people of a test server have the ids 1 to 7.
  fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 2 }).map((ids) => ({
    direct_members: ids,
    direct_subgroups: [],
  })),
);
const maybe = { nil: undefined, freq: 2 };

const create = acts(
  'create',
  {
    by: who,
    name: channel,
    principals: fc.option(some, maybe),
    invite_only: fc.boolean(),
    is_web_public: fc.boolean(),
    is_default_stream: fc.boolean(),
    history_public_to_subscribers: fc.boolean(),
    can_administer_channel_group: fc.option(group, maybe),
    can_subscribe_group: fc.option(group, maybe),
    can_add_subscribers_group: fc.option(group, maybe),
  },
  (server, { by, name, principals, ...creation }) =>
    server.post(server.people[by], '/users/me/subscriptions', {
      subscriptions: [{ name }],
      principals: principals === undefined ? undefined : idsOf(server, principals),
      ...creation,
    }),
);

const subscribe = acts(
  'subscribe',
  { by: who, names: channels, people: some },
  (server, { by, names, people }) =>
    server.post(server.people[by], '/users/me/subscriptions', {
      subscriptions: names.map((name) => ({ name })),
      principals: idsOf(server, people),
      authorization_errors_fatal: false,
    }),
);

const unsubscribe = acts(
  'unsubscribe',
  { by: who, names: channels, people: some },
  (server, { by, names, people }) =>
    server.delete(server.people[by], '/users/me/subscriptions', {
      subscriptions: names,
      principals: idsOf(server, people),
    }),
);

const leave = acts('leave', { by: who, name: channel }, (server, { by, name }) =>
  server.delete(server.people[by], '/users/me/subscriptions', { subscriptions: [name] }),
);

const send = acts(
  'send',
  {
    by: who,
    to: channel,
    topic: fc.constantFrom('lunch', 'Lunch', 'tea', ''),
    content: fc.constantFrom('hello', '@**Mel Member** look', '@**all** look', '@**Gus Guest**'),
    read_by_sender: fc.boolean(),
  },
  (server, { by, ...message }) =>
    server.post(server.people[by], '/messages', { type: 'channel', ...message }),
);

/** Without wildcards: of one that came before, a client does not know that it counts when its topic is unmuted. */
const whisper = acts(
  'whisper',
  { by: who, to: channel, content: fc.constantFrom('hush', '@**Mel Member** hush') },
  (server, { by, ...message }) =>
    server.post(server.people[by], '/messages', { type: 'channel', topic: 'quiet', ...message }),
);

const hush = acts(
  'hush',
  {
    by: who,
    stream_id: fc.integer({ min: 1, max: 5 }),
    topic: fc.constantFrom('quiet', 'Quiet', 'silence'),
    visibility_policy: fc.integer({ min: 0, max: 3 }),
  },
  (server, { by, ...decision }) => server.post(server.people[by], '/user_topics', decision),
);

const schedule = acts(
  'schedule',
  { by: who, to: who, seconds: fc.integer({ min: 1, max: 3_600 }) },
  (server, { by, to, seconds }) =>
    server.post(server.people[by], '/scheduled_messages', {
      type: 'direct',
      to: idsOf(server, [to]),
      content: 'later',
      scheduled_delivery_timestamp: Math.floor(server.clock.now() / 1000) + seconds,
    }),
);

const draft = acts(
  'draft',
  {
    by: who,
    isNew: fc.boolean(),
    to: fc.integer({ min: 1, max: 5 }),
    timestamp: fc.integer({ min: 1, max: 5 }),
  },
  async (server, { by, isNew, to, timestamp }) => {
    const as = server.people[by];
    const written = { type: 'stream', to: [to], topic: 'tea', content: 'hmm', timestamp };
    const known = (await server.get(as, '/drafts')).body.drafts?.[0];
    if (isNew || known === undefined) return server.post(as, '/drafts', { drafts: [written] });
    return server.patch(as, `/drafts/${known.id}`, { draft: written });
  },
);

const synchronize = acts(
  'synchronize',
  { by: who, enable_drafts_synchronization: fc.boolean() },
  (server, { by, ...change }) => server.patch(server.people[by], '/settings', change),
);

const direct = acts(
  'direct',
  { by: who, to: some, read_by_sender: fc.boolean() },
  (server, { by, to, read_by_sender }) =>
    server.post(server.people[by], '/messages', {
      type: 'direct',
      to: idsOf(server, to),
      content: '@**Mel Member** psst',
      read_by_sender,
    }),
);

const flag = acts(
  'flag',
  {
    by: who,
    messages: fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
    op: fc.constantFrom('add', 'remove'),
    flag: fc.constantFrom('read', 'starred', 'collapsed'),
  },
  (server, { by, ...change }) => server.post(server.people[by], '/messages/flags', change),
);

const flagNarrow = acts(
  'flag the newest',
  { by: who, name: channel, op: fc.constantFrom('add', 'remove') },
  (server, { by, name, op }) =>
    server.post(server.people[by], '/messages/flags/narrow', {
      anchor: 'newest',
      num_before: 3,
      num_after: 0,
      narrow: [['channel', name]],
      op,
      flag: 'read',
    }),
);

const someMessage = fc.integer({ min: 1, max: 15 });

const edit = acts(
  'edit',
  { by: who, id: someMessage, content: fc.constantFrom('other', '@**Mel Member**', '@**all**') },
  (server, { by, id, content }) => server.patch(server.people[by], `/messages/${id}`, { content }),
);

const move = acts(
  'move',
  {
    by: who,
    id: someMessage,
    topic: fc.option(fc.constantFrom('lunch', '✔ lunch', 'tea', '✔ tea', ''), maybe),
    to: fc.option(fc.constantFrom('general', 'alpha', 'beta', 'gamma', 'delta'), maybe),
    propagate_mode: fc.constantFrom('change_one', 'change_later', 'change_all'),
    send_notification_to_old_thread: fc.boolean(),
    send_notification_to_new_thread: fc.boolean(),
  },
  async (server, { by, id, to, ...change }) =>
    server.patch(server.people[by], `/messages/${id}`, {
      ...change,
      stream_id: to === undefined ? undefined : await channelId(server, to),
    }),
);

const erase = acts('delete', { by: who, id: someMessage }, (server, { by, id }) =>
  server.delete(server.people[by], `/messages/${id}`),
);

const eraseTopic = acts(
  'delete topic',
  { by: who, name: channel, topic_name: fc.constantFrom('lunch', 'tea') },
  async (server, { by, name, topic_name }) =>
    server.post(server.people[by], `/streams/${await channelId(server, name)}/delete_topic`, {
      topic_name,
    }),
);

const react = acts(
  'react',
  { by: who, id: someMessage, isAdded: fc.boolean() },
  (server, { by, id, isAdded }) => {
    const change = isAdded ? server.post : server.delete;
    return change(server.people[by], `/messages/${id}/reactions`, { emoji_name: 'tada' });
  },
);

/** Nothing is muted here: which of the mentions in a snapshot are wildcards, which then do not count, no client is told. */
const decide = acts(
  'decide',
  { by: who, topic: fc.constantFrom('lunch', 'tea'), visibility_policy: fc.constantFrom(0, 2, 3) },
  (server, { by, ...decision }) =>
    server.post(server.people[by], '/user_topics', { stream_id: 1, ...decision }),
);

/** Of one that may not have been made yet. */
const channelId = ({ perform }: TestServer, name: string) =>
  perform((tx) => tx.channelNames.get([name])?.channelId ?? 99);

const account = acts(
  'account',
  {
    role: fc.constantFrom('administrator', 'moderator', 'member', 'guest'),
    owner: fc.option(fc.constantFrom('mel', 'ada'), { nil: undefined }),
    number: fc.nat(1_000_000),
  },
  async ({ app }, { role, owner, number }) => {
    const person = { realm: 'test', email: `new${number}@example.com`, name: 'New Person' };
    if (owner === undefined) await runCommand(app.realms, 'user create', { ...person, role });
    else {
      const bot = { ...person, owner: `${owner}@example.com` };
      await runCommand(app.realms, 'bot create', bot);
    }
    return undefined;
  },
);

const mute = acts(
  'mute',
  { by: who, whom: who, isOver: fc.boolean() },
  (server, { by, whom, isOver }) =>
    server[isOver ? 'delete' : 'post'](
      server.people[by],
      `/users/me/muted_users/${server.people[whom].id}`,
    ),
);

/** Of accounts that nobody follows: those who do follow would have to register again. */
const manage = acts(
  'manage',
  {
    which: fc.nat(2),
    deed: fc.constantFrom('join', 'go', 'return', 'change'),
    role: fc.constantFrom(100, 200, 300, 400, 600),
  },
  async (server, { which, deed, role }) => {
    const { ona } = server.people;
    const { members } = (await server.get(ona, '/users')).body;
    const made = (members as { user_id: number }[])
      .map(({ user_id }) => user_id)
      .filter((id) => id > PEOPLE.length + 1);
    const id = made[which];
    if (id === undefined) return undefined;
    if (deed === 'go') return server.delete(ona, `/users/${id}`);
    if (deed === 'return') return server.post(ona, `/users/${id}/reactivate`);
    if (deed === 'change') return server.patch(ona, `/users/${id}`, { role });
    const subscriptions = CHANNELS.map((name) => ({ name }));
    return server.post(ona, '/users/me/subscriptions', { subscriptions, principals: [id] });
  },
);

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: create },
  { weight: 4, arbitrary: subscribe },
  { weight: 3, arbitrary: unsubscribe },
  { weight: 3, arbitrary: leave },
  { weight: 8, arbitrary: send },
  { weight: 3, arbitrary: direct },
  { weight: 4, arbitrary: whisper },
  { weight: 4, arbitrary: hush },
  { weight: 1, arbitrary: schedule },
  { weight: 2, arbitrary: draft },
  { weight: 1, arbitrary: synchronize },
  { weight: 5, arbitrary: flag },
  { weight: 2, arbitrary: flagNarrow },
  { weight: 2, arbitrary: account },
  { weight: 4, arbitrary: manage },
  { weight: 2, arbitrary: mute },
  { weight: 2, arbitrary: edit },
  { weight: 6, arbitrary: move },
  { weight: 2, arbitrary: erase },
  { weight: 1, arbitrary: eraseTopic },
  { weight: 2, arbitrary: react },
  { weight: 2, arbitrary: decide },
);

test('4: a snapshot and the events after it give what a fresh register gives, for everybody, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 5, maxLength: 20 }),
      fc.array(act, { minLength: 10, maxLength: 30 }),
      async (before, after) => {
        const server = await startServer({ channels: ['general'] });
        await allowWebPublic(server);
        for (const next of before) await take(server, next);
        const followed = await Promise.all(
          NAMES.map((name) => follow(server, server.people[name])),
        );
        for (const next of after) await take(server, next);
        // What an act set off in a commit of its own is over as well.
        await server.perform(() => undefined);
        for (const each of followed) await expectExact(server, each);
        expect(server.bugs).toEqual([]);
        await server.stop();
      },
    ),
    { numRuns: 5, endOnFailure: true },
  );
});

/** Channels of every kind, with some of the people each, and messages of several topics. */
async function startCrowded(): Promise<TestServer> {
  const server = await startServer({ channels: ['general', 'alpha'] });
  const { post, people } = server;
  await server.set('can_move_messages_between_channels_group', systemGroupId('role:members'));
  const make = (name: string, members: readonly PersonName[], options: object) =>
    post(people.ona, '/users/me/subscriptions', {
      subscriptions: [{ name }],
      principals: idsOf(server, members),
      ...options,
    });
  await make('beta', ['ona', 'mel', 'gus'], {
    invite_only: true,
    history_public_to_subscribers: true,
  });
  await make('gamma', ['ona', 'max', 'mel', 'bot'], { invite_only: true });
  await make('delta', ['ona', 'mia'], {});
  for (const to of CHANNELS) {
    for (const topic of ['lunch', 'tea']) {
      await post(people.ona, '/messages', { type: 'channel', to, topic, content: '@**all**' });
    }
  }
  return server;
}

const actOnMessages: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: send },
  { weight: 8, arbitrary: move },
  { weight: 2, arbitrary: edit },
  { weight: 1, arbitrary: erase },
  { weight: 1, arbitrary: eraseTopic },
  { weight: 1, arbitrary: react },
  { weight: 1, arbitrary: decide },
  { weight: 4, arbitrary: flag },
  { weight: 2, arbitrary: flagNarrow },
  { weight: 2, arbitrary: leave },
  { weight: 2, arbitrary: subscribe },
  { weight: 2, arbitrary: mute },
);

test('4: and so it is when messages are edited, moved between channels of every kind, and deleted', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(actOnMessages, { maxLength: 10 }),
      fc.array(actOnMessages, { minLength: 10, maxLength: 25 }),
      async (before, after) => {
        const server = await startCrowded();
        for (const next of before) await take(server, next);
        const followed = await Promise.all(
          NAMES.map((name) => follow(server, server.people[name])),
        );
        for (const next of after) await take(server, next);
        await server.perform(() => undefined);
        for (const each of followed) await expectExact(server, each);
        expect(server.bugs).toEqual([]);
        await server.stop();
      },
    ),
    { numRuns: 2, endOnFailure: true },
  );
});

const mention = {
  type: 'channel',
  to: 'general',
  topic: 'tea',
  content: '@**Mel Member** @**all**',
};

test.each<{ what: string; do: (server: TestServer) => Promise<unknown> }>([
  {
    what: 'a default channel is made',
    do: ({ post, people }) =>
      post(people.ada, '/users/me/subscriptions', {
        subscriptions: [{ name: 'news' }],
        is_default_stream: true,
      }),
  },
  {
    what: 'a moderator makes a private channel of others, for which a third may add subscribers',
    do: ({ post, people }) =>
      post(people.mia, '/users/me/subscriptions', {
        subscriptions: [{ name: 'team' }],
        invite_only: true,
        principals: [people.max.id, people.gus.id],
        can_add_subscribers_group: { direct_members: [people.mel.id], direct_subgroups: [] },
      }),
  },
  {
    what: 'the first message is sent to a private channel that moderators may join',
    async do({ post, people }) {
      await post(people.max, '/users/me/subscriptions', {
        subscriptions: [{ name: 'team' }],
        invite_only: true,
        can_subscribe_group: systemGroupId('role:moderators'),
      });
      await post(people.max, '/messages', { ...mention, to: 'team' });
    },
  },
  {
    what: 'the maker of a private channel leaves it and joins again',
    async do({ post, delete: remove, people }) {
      const subscriptions = [{ name: 'team' }];
      const principals = [people.mel.id, people.max.id];
      const params = { subscriptions, principals, invite_only: true };
      await post(people.mel, '/users/me/subscriptions', params);
      await post(people.max, '/messages', { ...mention, to: 'team' });
      await remove(people.mel, '/users/me/subscriptions', { subscriptions: ['team'] });
      await post(people.max, '/messages', { ...mention, to: 'team' });
      await post(people.max, '/users/me/subscriptions', params);
    },
  },
  {
    what: 'somebody leaves a channel with messages unread and joins again',
    async do({ post, delete: remove, people }) {
      await post(people.max, '/messages', mention);
      await remove(people.mel, '/users/me/subscriptions', { subscriptions: ['general'] });
      await post(people.mel, '/users/me/subscriptions', { subscriptions: [{ name: 'general' }] });
    },
  },
  {
    what: 'somebody leaves a channel with messages of another one marked unread',
    async do({ post, delete: remove, people }) {
      await post(people.mel, '/users/me/subscriptions', { subscriptions: [{ name: 'other' }] });
      const { body } = await post(people.max, '/messages', mention);
      const change = { messages: [body.id], flag: 'read' };
      await post(people.mel, '/messages/flags', { ...change, op: 'add' });
      await post(people.mel, '/messages/flags', { ...change, op: 'remove' });
      await post(people.max, '/messages', { ...mention, to: 'other' });
      await remove(people.mel, '/users/me/subscriptions', { subscriptions: ['other'] });
    },
  },
  {
    what: 'a guest is named among those who administer a private channel',
    do: ({ post, people }) =>
      post(people.mia, '/users/me/subscriptions', {
        subscriptions: [{ name: 'team' }],
        invite_only: true,
        can_administer_channel_group: { direct_members: [people.gus.id], direct_subgroups: [] },
      }),
  },
  {
    what: 'a guest leaves a channel and is added again',
    async do({ post, delete: remove, people }) {
      await post(people.max, '/messages', mention);
      await remove(people.gus, '/users/me/subscriptions', { subscriptions: ['general'] });
      await post(people.mel, '/users/me/subscriptions', {
        subscriptions: [{ name: 'general' }],
        principals: [people.gus.id],
      });
    },
  },
  {
    what: 'mentions are read and marked unread again',
    async do({ post, people }) {
      const { body } = await post(people.max, '/messages', mention);
      const change = { messages: [body.id], flag: 'read' };
      await post(people.mel, '/messages/flags', { ...change, op: 'add' });
      await post(people.mel, '/messages/flags', { ...change, op: 'remove' });
      const { body: direct } = await post(people.max, '/messages', {
        type: 'direct',
        to: [people.mel.id, people.ada.id],
        content: '@**Mel Member**',
      });
      const direction = { messages: [direct.id], flag: 'read' };
      await post(people.mel, '/messages/flags', { ...direction, op: 'add' });
      await post(people.mel, '/messages/flags', { ...direction, op: 'remove' });
    },
  },
  {
    what: 'accounts of every kind are made',
    async do({ app }) {
      for (const role of ['owner', 'administrator', 'moderator', 'member', 'guest']) {
        const person = { realm: 'test', email: `${role}@example.com`, name: 'New', role };
        await runCommand(app.realms, 'user create', person);
      }
      const bot = { realm: 'test', email: 'b@example.com', name: 'New Bot' };
      await runCommand(app.realms, 'bot create', { ...bot, owner: 'mel@example.com' });
    },
  },
])('4: a snapshot and its events give what a fresh register gives after $what', async (change) => {
  const server = await startServer({ channels: ['general'] });
  const followed = await Promise.all(NAMES.map((name) => follow(server, server.people[name])));
  await change.do(server);
  for (const each of followed) await expectExact(server, each);
  expect(server.bugs).toEqual([]);
});

interface Followed {
  readonly queue: TestQueue;
  readonly state: Snapshot;
}

async function follow(server: TestServer, as: Person): Promise<Followed> {
  const queue = await server.register(as, EVERYTHING);
  return { queue, state: queue.state };
}

async function take(server: TestServer, next: Act) {
  const reply = await next(server);
  if (reply !== undefined) expect([200, 400]).toContain(reply.status);
}

async function expectExact(server: TestServer, { queue, state }: Followed) {
  for (let events = await queue.now(); events.length > 0; events = await queue.now()) {
    for (const event of events) applyEvent(state, event);
  }
  const fresh = await server.register(queue.as, EVERYTHING);
  expect(fresh.state.last_event_id).toBeGreaterThanOrEqual(queue.lastEventId);
  expect(comparable(state, fresh.state as Snapshot), `as ${queue.as.fullName} sees it`).toEqual(
    comparable(fresh.state as Snapshot),
  );
  expectInOrder(fresh.state);
}

/** What comparing sorts away (reference/events-and-register.md 5.4, 5.5). */
function expectInOrder(state: Snapshot) {
  for (const list of ['streams', 'subscriptions', 'unsubscribed', 'never_subscribed'] as const) {
    const names = state[list].map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
  }
  const ids = state.realm_users.map(({ user_id: id }) => id);
  expect(ids).toEqual(ids.toSorted((one, other) => one - other));
}

const idsOf = (server: TestServer, names: readonly PersonName[]) =>
  names.map((name) => server.people[name].id);

/** No endpoint changes settings of the organization yet. */
function allowWebPublic({ app }: TestServer) {
  const realm = app.realms.named('test') ?? expect.fail('there is a realm');
  return realm.perform((tx) => {
    const row = tx.realm.get(['realm']) ?? expect.fail('the realm has a row');
    tx.realm.put(['realm'], { ...row, settings: { enable_spectator_access: true } });
  });
}

/** Something to do with random values, which a failure prints. */
function acts<Given extends object>(
  what: string,
  given: { [Name in keyof Given]: fc.Arbitrary<Given[Name]> },
  run: (server: TestServer, given: Given) => Promise<Reply | undefined>,
): fc.Arbitrary<Act> {
  return fc.record(given).map((values): Act => {
    const act: Act = (server) => run(server, values);
    return Object.assign(act, { [fc.toStringMethod]: () => `${what} ${JSON.stringify(values)}` });
  });
}
