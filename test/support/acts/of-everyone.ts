import fc from 'fast-check';
import { expect } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { ApiError } from '../../../src/domain/wire/errors.ts';
import { systemGroupId } from '../../../src/domain/wire/system-groups.ts';
import type { Reply } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import { NAMES, PEOPLE, type PersonName } from '../users.ts';
import { type Act, acts } from './acts.ts';

export const CHANNELS = ['general', 'alpha', 'beta', 'gamma', 'delta'] as const;

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

/**
 * The content has no wildcard: if a message with one came before a topic is unmuted, a client does
 * not know that it counts then.
 */
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

/**
 * Nothing is muted here: no client is told which mentions of a snapshot are wildcards, and would
 * not count then.
 */
const decide = acts(
  'decide',
  { by: who, topic: fc.constantFrom('lunch', 'tea'), visibility_policy: fc.constantFrom(0, 2, 3) },
  (server, { by, ...decision }) =>
    server.post(server.people[by], '/user_topics', { stream_id: 1, ...decision }),
);

/** The id of a channel that may not have been made yet. */
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
    const made =
      owner === undefined
        ? runCommand(app.realms, 'user create', { ...person, role })
        : runCommand(app.realms, 'bot create', { ...person, owner: `${owner}@example.com` });
    // Small numbers come up more than once, and an address is taken then.
    await made.catch((error: unknown) => expect(error).toBeInstanceOf(ApiError));
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

/** These are accounts that nobody follows: people who follow would have to register again. */
const manage = acts(
  'manage',
  {
    which: fc.nat(2),
    action: fc.constantFrom('join', 'go', 'return', 'change'),
    role: fc.constantFrom(100, 200, 300, 400, 600),
  },
  async (server, { which, action, role }) => {
    const { ona } = server.people;
    const { members } = (await server.get(ona, '/users')).body;
    const made = (members as { user_id: number }[])
      .map(({ user_id }) => user_id)
      .filter((id) => id > PEOPLE.length + 1);
    const id = made[which];
    if (id === undefined) return undefined;
    if (action === 'go') return server.delete(ona, `/users/${id}`);
    if (action === 'return') return server.post(ona, `/users/${id}/reactivate`);
    if (action === 'change') return server.patch(ona, `/users/${id}`, { role });
    const subscriptions = CHANNELS.map((name) => ({ name }));
    return server.post(ona, '/users/me/subscriptions', { subscriptions, principals: [id] });
  },
);

export const idsOf = (server: TestServer, names: readonly PersonName[]) =>
  names.map((name) => server.people[name].id);

/** Acts that anybody may do in a channel of any kind, with their frequency. */
export const actOfAnybody: fc.Arbitrary<Act<Reply | undefined>> = fc.oneof(
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

/** Acts on messages and on their readers, with their frequency. */
export const actOnMessages: fc.Arbitrary<Act<Reply | undefined>> = fc.oneof(
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
