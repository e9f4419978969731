import { expect, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { MODERN } from '../../support/applying/follow.ts';
import type { Params, TestQueue } from '../../support/client.ts';
import { someOf } from '../../support/runs.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';
import type { Person } from '../../support/users.ts';

/** Kinds of channels, by who may read what was said there: who is told must be the same people. */
const KINDS = {
  public: {},
  shared: { invite_only: true, history_public_to_subscribers: true },
  protected: { invite_only: true, history_public_to_subscribers: false },
  granted: {
    invite_only: true,
    history_public_to_subscribers: true,
    can_subscribe_group: { direct_members: [], direct_subgroups: [] },
  },
} satisfies Record<string, Params>;
type Kind = keyof typeof KINDS;

/**
 * The people of the story, with the first channel from which on the messages concern them (0 is the
 * first).
 */
const CAST = {
  everywhere: 0,
  home: 0,
  leftHome: 0,
  lateAtHome: 0,
  passedByHome: Number.POSITIVE_INFINITY,
  guestAtHome: 0,
  guestInBoth: 0,
  second: 1,
  leftSecond: 1,
  starred: Number.POSITIVE_INFINITY,
  stranger: Number.POSITIVE_INFINITY,
} as const;
type Name = keyof typeof CAST;
const NAMES = Object.keys(CAST) as readonly Name[]; // the keys of a literal are its names

interface Story {
  readonly server: TestServer;
  readonly people: Readonly<Record<Name, Person>>;
  readonly queues: Readonly<Record<Name, TestQueue>>;
  /** A text, and a poll. */
  readonly ids: readonly [text: number, poll: number];
}

const JOURNEYS = (Object.keys(KINDS) as Kind[]).flatMap((home) => [
  { home, second: 'public', third: 'granted' } as const,
  { home, second: 'public', third: 'protected' } as const,
  { home, second: 'shared', third: 'public' } as const,
  { home, second: 'granted', third: 'public' } as const,
  { home, second: 'protected', third: 'public' } as const,
]);

test.each(someOf(JOURNEYS, { every: 3 }))(
  'who may read a moved message hears of it: $home, then $second, then $third',
  async ({ home, second, third }) => {
    const server = await startServer();
    const people = await cast(server);
    const { everywhere, leftHome, guestAtHome, guestInBoth, leftSecond } = people;
    const channels = {
      home: await open(server, people, {
        name: 'home',
        kind: home,
        people: [everywhere, people.home, leftHome, guestAtHome, guestInBoth],
      }),
      second: await open(server, people, {
        name: 'second',
        kind: second,
        people: [everywhere, guestInBoth, people.second, leftSecond],
      }),
      third: await open(server, people, { name: 'third', kind: third, people: [everywhere] }),
    };
    const ids = [await say(server, 'hello'), await say(server, '/poll Tea?')] as const;
    const queues = Object.fromEntries(
      await Promise.all(
        NAMES.map(async (name) => [name, await server.register(people[name], MODERN)]),
      ),
    ) as Story['queues']; // one for each name
    const story: Story = { server, people, queues, ids };
    await server.post(people.starred, '/messages/flags', {
      messages: ids,
      op: 'add',
      flag: 'starred',
    });
    await subscribe(server, 'home', [people.lateAtHome, people.passedByHome]);
    await leave(server, people.passedByHome, 'home');
    await leave(server, leftHome, 'home');
    const atHome = await expectHeard(story, 0);

    await move(story, { channelId: channels.second, place: 0, before: atHome });
    await leave(server, leftSecond, 'second');
    const atSecond = await expectHeard(story, 1);

    await move(story, { channelId: channels.third, place: 1, before: atSecond });
    const readers = await expectHeard(story, 2);
    await expectTold(story, readers, ['delete_message'], async () => {
      for (const id of ids) await server.delete(server.people.ona, `/messages/${id}`);
    });
    expect(server.bugs).toEqual([]);
  },
);

async function cast(server: TestServer): Promise<Story['people']> {
  const people: Partial<Record<Name, Person>> = {};
  for (const name of NAMES) {
    const fullName = `Test ${name}`;
    const email = `${name.toLowerCase()}@example.com`;
    const role = name.startsWith('guest') ? 'guest' : 'member';
    const account = { realm: 'test', email, name: fullName, role };
    const [line] = await runCommand(server.app.realms, 'user create', account);
    const { user_id: id, api_key: apiKey } = line as { user_id: number; api_key: string };
    people[name] = { id, email, fullName, apiKey };
  }
  return people as Story['people']; // one for each name
}

/**
 * Returns the people whom a permission lets read a private channel of the kind `granted` without
 * being in it.
 */
const granted = (people: Story['people']) =>
  [people.home, people.leftHome, people.second, people.stranger].map(({ id }) => id);

async function open(
  server: TestServer,
  cast: Story['people'],
  { name, kind, people }: { name: string; kind: Kind; people: readonly Person[] },
): Promise<number> {
  const { ona } = server.people;
  const options: Params =
    kind === 'granted'
      ? {
          ...KINDS[kind],
          can_subscribe_group: { direct_members: granted(cast), direct_subgroups: [] },
        }
      : KINDS[kind];
  const principals = [ona.id, ...people.map(({ id }) => id)];
  const channel = { subscriptions: [{ name }], principals, ...options };
  const { body: made } = await server.post(ona, '/users/me/subscriptions', channel);
  expect(made.msg).toBe('');
  const { body } = await server.get(ona, '/get_stream_id', { stream: name });
  return body.stream_id;
}

async function say(server: TestServer, content: string): Promise<number> {
  const message = { type: 'channel', to: 'home', topic: 'tea', content };
  const { body } = await server.post(server.people.ona, '/messages', message);
  return body.id;
}

const subscribe = (server: TestServer, name: string, people: readonly Person[]) =>
  server.post(server.people.ona, '/users/me/subscriptions', {
    subscriptions: [{ name }],
    principals: people.map(({ id }) => id),
  });

const leave = (server: TestServer, as: Person, name: string) =>
  server.delete(as, '/users/me/subscriptions', { subscriptions: [name] });

/**
 * Returns the people who hear of the messages while these are in the given channel: they may read
 * them, and the messages concern them.
 */
async function readersOf({ server, people, ids }: Story, place: number): Promise<Name[]> {
  const readers: Name[] = [];
  for (const name of NAMES) {
    const [one, ...others] = await Promise.all(
      ids.map((id) => server.get(people[name], `/messages/${id}`)),
    );
    const { body } = await server.get(people[name], '/messages', { message_ids: ids });
    expect(body.messages.length).toBe(one?.status === 200 ? ids.length : 0);
    expect(others.map(({ status }) => status)).toEqual(others.map(() => one?.status));
    if (one?.status !== 200) continue;
    const isConcerned = CAST[name] <= place || one.body.message.flags.includes('starred');
    if (isConcerned) readers.push(name);
  }
  return readers;
}

/** Returns the types of events about the messages that each user has heard since the last call. */
async function heard({ queues, ids }: Story): Promise<Record<Name, string[]>> {
  const types = await Promise.all(
    NAMES.map(async (name) => {
      const events = await queues[name].now();
      const concerning = events.filter(({ type, message_id, message_ids = [message_id] }) => {
        return TYPES.has(type) && ids.some((id) => message_ids.includes(id));
      });
      return [name, concerning.map(({ type }) => type)];
    }),
  );
  return Object.fromEntries(types);
}

const TYPES = new Set(['update_message', 'delete_message', 'reaction', 'submessage']);

async function expectTold(
  story: Story,
  readers: readonly Name[],
  types: readonly string[],
  act: () => Promise<unknown>,
) {
  await heard(story);
  await act();
  const told = await heard(story);
  for (const name of NAMES) {
    expect([name, [...new Set(told[name])]]).toEqual([name, readers.includes(name) ? types : []]);
  }
}

/**
 * Does everything to a message but delete it, and checks that the readers hear of it. Nothing of
 * this changes who they are; returns them.
 */
async function expectHeard(story: Story, place: number): Promise<Name[]> {
  const { server, ids } = story;
  const readers = await readersOf(story, place);
  const { ona } = server.people;
  const [text, poll] = ids;
  const topic = { topic: `tea ${place}`, propagate_mode: 'change_all', ...QUIET };
  await expectTold(story, readers, ['update_message'], () =>
    server.patch(ona, `/messages/${text}`, { content: `changed ${place}` }),
  );
  await expectTold(story, readers, ['update_message'], () =>
    server.patch(ona, `/messages/${text}`, topic),
  );
  await expectTold(story, readers, ['reaction'], async () => {
    await server.post(ona, `/messages/${text}/reactions`, { emoji_name: 'tada' });
    await server.delete(ona, `/messages/${text}/reactions`, { emoji_name: 'tada' });
  });
  await expectTold(story, readers, ['submessage'], () =>
    server.post(ona, '/submessage', {
      message_id: poll,
      msg_type: 'widget',
      content: JSON.stringify({ type: 'vote', key: 'canned,0', vote: 1 }),
    }),
  );
  expect(await readersOf(story, place)).toEqual(readers);
  return readers;
}

const QUIET = { send_notification_to_new_thread: false };

interface Move {
  readonly channelId: number;
  readonly place: number;
  /** The people who could read the messages until then. */
  readonly before: readonly Name[];
}

/**
 * Moves the messages. Users who may read them afterwards hear of the move; users who could and no
 * longer can hear that they are gone.
 */
async function move(story: Story, { channelId, place, before }: Move) {
  const { server, ids } = story;
  await heard(story);
  const change = { stream_id: channelId, propagate_mode: 'change_all', ...QUIET };
  const reply = await server.patch(server.people.ona, `/messages/${ids[0]}`, change);
  expect(reply).toMatchObject({ status: 200 });
  const told = await heard(story);
  const after = await readersOf(story, place + 1);
  for (const name of NAMES) {
    const lost = before.includes(name) ? ['delete_message'] : [];
    expect([name, told[name]]).toEqual([name, after.includes(name) ? ['update_message'] : lost]);
  }
}
