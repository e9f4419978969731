import {
  basicAuthorization,
  type Credentials,
  jsonReply,
  type RequestParts,
  requestText,
} from '../load/api.ts';
import { type HttpConnection, openHttp } from '../load/http.ts';
import { createPeople, type ImportedUser } from '../stage/audience.ts';
import { type Stage as Opened, openStage as openServer, type Server } from '../stage/subject.ts';
import { benchmark } from '../suite/benchmark.ts';
import { type EncodedLatencies, newLatencies, summaryOf } from '../suite/latencies.ts';
import { number, numbers, type Values, words } from '../suite/options.ts';

const OPERATIONS = ['register', 'presence', 'topics', 'flags', 'edit', 'react'] as const;

const options = {
  sizes: numbers({
    meaning: 'users, topics or messages of the realm',
    default: [100, 1000, 10_000],
    quick: [50, 200],
  }),
  only: words(OPERATIONS, {
    meaning: `any of ${OPERATIONS.join(', ')}`,
    default: ['register', 'presence', 'topics', 'edit'],
    quick: OPERATIONS,
  }),
  seconds: number({ meaning: 'of each measurement', default: 0.4, quick: 0.2 }),
};

const metrics = {
  'server time': {
    unit: 'ms',
    better: 'lower',
    meaning: 'CPU time of all threads of the server for one request.',
  },
  'reply p50': {
    unit: 'ms',
    better: 'lower',
    meaning: 'From the request to its answer, one at a time: half are within it.',
  },
  'reply p99': { unit: 'ms', better: 'lower', meaning: 'The same, of which 99 in 100 are within.' },
  answer: { unit: 'KB', better: 'lower', meaning: 'How long the answer is.' },
} as const;

export const register = benchmark({
  name: 'register',
  summary: 'a registration, and what is asked for most besides sending, by the size of the realm',
  description:
    'One request at a time, on a realm of a size: a registration with everything (users, in 200 channels, five each), a presence delta, the topics of a channel, a flag on a range of messages, an edit, a reaction. There is no floor: what counts is how the cost grows.',
  elsewhere: true,
  options,
  metrics,
  marks: [
    {
      name: 'a registration with 10,000 users',
      metric: 'server time',
      case: /^register, 10000 /,
      atMost: 50,
    },
    { name: 'a presence delta', metric: 'server time', case: /^presence, /, atMost: 1 },
  ],
  seconds: ({ sizes, only, seconds }, repeats) =>
    only.length * sizes.reduce((sum, size) => sum + 2 + repeats * seconds + size / 3000, 0),
  run: async ({ options: chosen, setting, expect, doing, measure, note }) => {
    const runs = runsOf(chosen).filter(
      ({ operation }) => setting.target === undefined || operation.name !== 'presence',
    );
    if (setting.target !== undefined) note('Left out: presence, which bots do not have.');
    expect(runs.length * setting.repeats);
    for (const { operation, size } of runs) {
      doing(`${operation.name}: a realm of ${size}`);
      const opened = await openServer(setting);
      const connections: HttpConnection[] = [];
      try {
        const stage = await openStage({ opened, size }, connections, operation);
        const call = await operation.prepare(stage);
        const asking = await warmUp(call);
        for (let repeat = 0; repeat < setting.repeats; repeat++) {
          await measure({
            case: {
              name: `${operation.name}, ${size} ${operation.of}`,
              at: { axis: 'size', curve: operation.name, value: size },
            },
            server: 'confab',
            pids: { server: opened.server.pid, generator: process.pid },
            run: () => askFor(asking, chosen.seconds),
            figures: ({ count, bytes, times }, usage) => ({
              'server time': usage.server && (usage.server.cpuSeconds * 1000) / count,
              'reply p50': summaryOf(times).p50Ms,
              'reply p99': summaryOf(times).p99Ms,
              answer: bytes / 1024,
            }),
            latencies: ({ times }) => ({ reply: times }),
          });
        }
      } finally {
        for (const connection of connections) connection.close();
        await opened.stop();
      }
    }
  },
});

interface Run {
  readonly operation: Operation;
  readonly size: number;
}

const runsOf = ({ only, sizes }: Values<typeof options>): readonly Run[] =>
  OPERATION_LIST.filter(({ name }) => only.includes(name)).flatMap((operation) =>
    [...new Set(sizes.map((size) => Math.min(size, operation.sizesMax)))].map((size) => ({
      operation,
      size,
    })),
  );

const CHANNELS = 200;
const CHANNELS_PER_USER = 5;
/** The most messages that one flag range may hold. */
const FLAG_RANGE_MAX = 5_000;
/** Requests in flight while something is set up; measured is one at a time. */
const SET_UP_IN_FLIGHT = 32;
const WARM_UP_CALLS = 5;

/** A server with a realm of a size, and how to call it. */
interface Stage {
  readonly server: Server;
  readonly owner: Credentials & { readonly user_id: number };
  readonly users: readonly ImportedUser[];
  readonly size: number;
  call(parts: Omit<RequestParts, 'authorization'>, as?: Credentials): Promise<Called>;
  /** Many calls, several in flight. */
  all(
    calls: readonly (() => { parts: Omit<RequestParts, 'authorization'>; as?: Credentials })[],
  ): Promise<void>;
}

interface Called {
  readonly body: Readonly<Record<string, unknown>>;
  readonly bytes: number;
}

interface Operation {
  readonly name: (typeof OPERATIONS)[number];
  /** What the size counts. */
  readonly of: string;
  readonly usersOf: (size: number) => number;
  readonly sizesMax: number;
  /** Sets up, and returns the request that is measured, the n-th of its kind. */
  readonly prepare: (stage: Stage) => Promise<(n: number) => Promise<Called>>;
}

const OPERATION_LIST: readonly Operation[] = [
  {
    name: 'register',
    of: `users in ${CHANNELS} channels`,
    usersOf: (size) => size,
    sizesMax: 10_000,
    prepare: async (stage) => {
      await populate(stage);
      return () =>
        stage.call({
          method: 'POST',
          path: '/register',
          params: { include_subscribers: 'true', apply_markdown: 'true', queue_lifespan_secs: '1' },
        });
    },
  },
  {
    name: 'presence',
    of: 'users present, nothing new',
    usersOf: (size) => size,
    sizesMax: 10_000,
    prepare: async (stage) => {
      const params = { status: 'active', ping_only: 'true' };
      const parts = { method: 'POST', path: '/users/me/presence', params } as const;
      await stage.all(stage.users.map((as) => () => ({ parts, as })));
      const first = { status: 'active', last_update_id: '-1' };
      const { body } = await stage.call({ ...parts, params: first });
      let last = Number(body['presence_last_update_id']);
      return async () => {
        const called = await stage.call({
          ...parts,
          params: { status: 'active', last_update_id: String(last) },
        });
        last = Number(called.body['presence_last_update_id']);
        return called;
      };
    },
  },
  {
    name: 'topics',
    of: 'topics of the channel',
    usersOf: () => 1,
    sizesMax: 10_000,
    prepare: async (stage) => {
      const id = await channel(stage);
      await say(stage, id, { count: stage.size, topic: (index) => `topic ${index}` });
      return () => stage.call({ method: 'GET', path: `/users/me/${id}/topics` });
    },
  },
  {
    name: 'flags',
    of: 'messages read and unread again',
    usersOf: () => 1,
    sizesMax: FLAG_RANGE_MAX,
    prepare: async (stage) => {
      const { id } = await filledTopic(stage);
      const narrow = JSON.stringify([{ operator: 'channel', operand: id }]);
      return (n) =>
        stage.call({
          method: 'POST',
          path: '/messages/flags/narrow',
          params: {
            anchor: 'newest',
            num_before: String(Math.min(stage.size, FLAG_RANGE_MAX)),
            num_after: '0',
            narrow,
            op: n % 2 === 0 ? 'add' : 'remove',
            flag: 'starred',
          },
        });
    },
  },
  {
    name: 'edit',
    of: 'messages of the topic, one edited',
    usersOf: () => 1,
    sizesMax: 10_000,
    prepare: async (stage) => {
      const { messages } = await filledTopic(stage);
      return (n) =>
        stage.call({
          method: 'PATCH',
          path: `/messages/${messages[n % messages.length]}`,
          params: { content: `edited ${n}` },
        });
    },
  },
  {
    name: 'react',
    of: 'messages of the topic, one reacted to',
    usersOf: () => 1,
    sizesMax: 10_000,
    prepare: async (stage) => {
      const { messages } = await filledTopic(stage);
      return (n) =>
        stage.call({
          method: n % 2 === 0 ? 'POST' : 'DELETE',
          path: `/messages/${messages[Math.floor(n / 2) % messages.length]}/reactions`,
          params: { emoji_name: 'smile' },
        });
    },
  },
];

interface Asking {
  readonly call: (n: number) => Promise<Called>;
  /** The n-th of its kind, over all repeats. */
  next: number;
}

async function warmUp(call: Asking['call']): Promise<Asking> {
  const asking = { call, next: 0 };
  while (asking.next < WARM_UP_CALLS) await call(asking.next++);
  return asking;
}

interface Asked {
  readonly count: number;
  readonly bytes: number;
  readonly times: EncodedLatencies;
}

/** One after the other, for so long. */
async function askFor(asking: Asking, seconds: number): Promise<Asked> {
  const times = newLatencies();
  const endMs = performance.now() + seconds * 1000;
  let count = 0;
  let bytes = 0;
  for (let startMs = performance.now(); startMs < endMs; startMs = performance.now()) {
    bytes = (await asking.call(asking.next++)).bytes;
    count += 1;
    times.record(performance.now() - startMs);
  }
  return { count, bytes, times: times.encoded() };
}

async function openStage(
  { opened: { server, place }, size }: { readonly opened: Opened; readonly size: number },
  connections: HttpConnection[],
  { usersOf }: Operation,
): Promise<Stage> {
  const { owner } = place;
  const users = await createPeople(
    place,
    Array.from({ length: usersOf(size) }, (_, index) => ({
      full_name: `User ${index + 1}`,
      email: `user-${index + 1}@load.example.com`,
    })),
  );
  for (let index = 0; index < SET_UP_IN_FLIGHT; index++) connections.push(openHttp(server.address));
  const callOn = (
    connection: HttpConnection,
    parts: Omit<RequestParts, 'authorization'>,
    as: Credentials,
  ) =>
    new Promise<Called>((resolve, reject) => {
      const authorization = basicAuthorization(as);
      connection.send(requestText(server.address, { ...parts, authorization }), (raw) => {
        const reply = raw === undefined ? undefined : jsonReply(raw);
        if (raw !== undefined && reply?.status === 200) {
          resolve({ body: reply.body, bytes: raw.end - raw.start });
        } else reject(new Error(`${parts.method} ${parts.path}: ${JSON.stringify(reply)}`));
      });
    });
  return {
    server,
    owner,
    users,
    size,
    call(parts, as = owner) {
      const [connection] = connections;
      if (connection === undefined) throw new Error('no connection');
      return callOn(connection, parts, as);
    },
    async all(calls) {
      let next = 0;
      await Promise.all(
        connections.map(async (connection) => {
          for (let one = calls[next++]; one !== undefined; one = calls[next++]) {
            const { parts, as } = one();
            await callOn(connection, parts, as ?? owner);
          }
        }),
      );
    },
  };
}

/** Channels that each hold their share of the users. */
async function populate(stage: Stage): Promise<void> {
  const members = Array.from({ length: CHANNELS }, () => [stage.owner.user_id]);
  for (const [index, { user_id }] of stage.users.entries()) {
    for (let place = 0; place < CHANNELS_PER_USER; place++) {
      members[(index * CHANNELS_PER_USER + place) % CHANNELS]?.push(user_id);
    }
  }
  for (const [index, ids] of members.entries()) {
    await stage.call(subscription(`channel ${index}`, ids));
  }
}

const subscription = (name: string, userIds: readonly number[]) =>
  ({
    method: 'POST',
    path: '/users/me/subscriptions',
    params: {
      subscriptions: JSON.stringify([{ name }]),
      principals: JSON.stringify(userIds),
      send_new_subscription_messages: 'false',
    },
  }) as const;

async function channel(stage: Stage): Promise<number> {
  const ids = [stage.owner.user_id, ...stage.users.map(({ user_id }) => user_id)];
  await stage.call(subscription('load', ids));
  const { body } = await stage.call({ method: 'GET', path: '/users/me/subscriptions' });
  const listed = body['subscriptions'] as readonly { stream_id: number; name: string }[];
  const id = listed.find(({ name }) => name === 'load')?.stream_id;
  if (id === undefined) throw new Error('the channel is not there');
  return id;
}

/** A channel of which all messages are in one topic. */
async function filledTopic(stage: Stage) {
  const id = await channel(stage);
  const messages = await say(stage, id, { count: stage.size, topic: () => 'one' });
  return { id, messages };
}

/** Sends messages of the owner; returns their ids, ascending. */
async function say(
  stage: Stage,
  channelId: number,
  { count, topic }: { count: number; topic: (index: number) => string },
): Promise<readonly number[]> {
  await stage.all(
    Array.from({ length: count }, (_, index) => () => ({
      parts: {
        method: 'POST',
        path: '/messages',
        params: {
          type: 'channel',
          to: String(channelId),
          topic: topic(index),
          content: `message ${index}`,
        },
      },
    })),
  );
  const { body } = await stage.call({
    method: 'GET',
    path: `/messages?anchor=newest&num_before=${Math.min(count, FLAG_RANGE_MAX)}&num_after=0&narrow=${encodeURIComponent(JSON.stringify([['channel', 'load']]))}`,
  });
  return (body['messages'] as readonly { id: number }[]).map(({ id }) => id);
}
