import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  basicAuthorization,
  type Credentials,
  jsonReply,
  type RequestParts,
  requestText,
} from './load/api.ts';
import { type HttpConnection, openHttp } from './load/http.ts';
import { print, progressBar, rounded, runMain, table, writeResults } from './report.ts';
import { cpuSeconds } from './servers/process-usage.ts';
import {
  CREDENTIALS_FILE,
  demoOwner,
  type RunningServer,
  startConfab,
  temporaryDirectory,
} from './servers/start.ts';
import { type ImportedUser, importUsers } from './stage/audience.ts';

const HELP = `operations: what the commonest requests besides sending cost the server, and how that grows

  --sizes <n>       users, topics or messages, several by comma   (100,1000,10000)
  --only <names>    register, presence, topics, flags, edit, react
  --seconds <s>     of each measurement                           (2)
  --json <file>     write the results there as well
  --help`;

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100,1000,10000' },
    only: { type: 'string' },
    seconds: { type: 'string', default: '2' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const sizes = values.sizes.split(',').map(Number);
const secondsOfEach = Number(values.seconds);
const CHANNELS = 200;
const CHANNELS_PER_USER = 5;
/** The most messages that one flag range may hold. */
const FLAG_RANGE_MAX = 5_000;
/** Requests in flight while something is set up; measured is one at a time. */
const SET_UP_IN_FLIGHT = 32;
const WARM_UP_CALLS = 5;

interface Row {
  readonly operation: string;
  readonly of: string;
  readonly size: number;
  /** CPU time of all threads of the server. */
  readonly serverMs: number;
  /** On the clock, at the client. */
  readonly replyMs: number;
  readonly calls: number;
  readonly bytes: number;
}

/** A server with a realm of a size, and how to call it. */
interface Stage {
  readonly server: RunningServer;
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

interface Benchmark {
  readonly name: string;
  /** What the size counts. */
  readonly of: string;
  readonly usersOf: (size: number) => number;
  readonly sizesMax: number;
  /** Sets up, and returns the request that is measured, the n-th of its kind. */
  readonly prepare: (stage: Stage) => Promise<(n: number) => Promise<Called>>;
}

const BENCHMARKS: readonly Benchmark[] = [
  {
    name: 'register',
    of: `users (${CHANNELS} channels)`,
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
      const id = await channel(stage);
      await say(stage, id, { count: stage.size, topic: () => 'one' });
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
      const id = await channel(stage);
      const messages = await say(stage, id, { count: stage.size, topic: () => 'one' });
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
      const id = await channel(stage);
      const messages = await say(stage, id, { count: stage.size, topic: () => 'one' });
      return (n) =>
        stage.call({
          method: n % 2 === 0 ? 'POST' : 'DELETE',
          path: `/messages/${messages[Math.floor(n / 2) % messages.length]}/reactions`,
          params: { emoji_name: 'smile' },
        });
    },
  },
];

async function main(): Promise<void> {
  if (values.help) return print(HELP);
  const only = values.only?.split(',');
  const chosen = BENCHMARKS.filter(({ name }) => only?.includes(name) ?? true);
  const runs = chosen.flatMap((benchmark) =>
    [...new Set(sizes.map((size) => Math.min(size, benchmark.sizesMax)))].map((size) => ({
      benchmark,
      size,
    })),
  );
  const progress = progressBar(runs.length);
  const rows: Row[] = [];
  try {
    for (const { benchmark, size } of runs) {
      progress.advance(`${benchmark.name} ${size}`, 0);
      rows.push(await run(benchmark, size));
      progress.advance(`${benchmark.name} ${size}`);
    }
  } finally {
    progress.stop();
  }
  report(rows);
  writeResults(values.json, 'operations', { options: values, rows });
}

async function run(benchmark: Benchmark, size: number): Promise<Row> {
  const directory = temporaryDirectory();
  const server = await startConfab({ data: directory.path });
  const connections: HttpConnection[] = [];
  try {
    const stage = await openStage({ server, data: directory.path, size }, connections, benchmark);
    const call = await benchmark.prepare(stage);
    return await measure({ benchmark, size, server, call });
  } finally {
    for (const connection of connections) connection.close();
    await server.stop();
    directory.remove();
  }
}

interface Measuring {
  readonly benchmark: Benchmark;
  readonly size: number;
  readonly server: RunningServer;
  readonly call: (n: number) => Promise<Called>;
}

async function measure({ benchmark, size, server, call }: Measuring): Promise<Row> {
  let calls = 0;
  let bytes = 0;
  while (calls < WARM_UP_CALLS) bytes = (await call(calls++)).bytes;
  const first = calls;
  const cpuBefore = cpuSeconds(server.pid);
  const startMs = performance.now();
  while (performance.now() - startMs < secondsOfEach * 1_000) await call(calls++);
  const counted = calls - first;
  return {
    operation: benchmark.name,
    of: benchmark.of,
    size,
    serverMs: ((cpuSeconds(server.pid) - cpuBefore) * 1_000) / counted,
    replyMs: (performance.now() - startMs) / counted,
    calls: counted,
    bytes,
  };
}

async function openStage(
  { server, data, size }: { server: RunningServer; data: string; size: number },
  connections: HttpConnection[],
  { usersOf }: Benchmark,
): Promise<Stage> {
  const owner = demoOwner(join(data, CREDENTIALS_FILE));
  const users = await importUsers(
    data,
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

function report(rows: readonly Row[]): void {
  const growth = (row: Row, index: number) => {
    const before = rows[index - 1];
    if (before?.operation !== row.operation) return '';
    return `${rounded(row.serverMs / before.serverMs, 1)} × for ${rounded(row.size / before.size)} ×`;
  };
  print(
    table(
      ['operation', 'size', 'of', 'server ms', 'reply ms', 'KB', 'growth'],
      rows.map((row, index) => [
        row.operation,
        row.size,
        row.of,
        rounded(row.serverMs, 3),
        rounded(row.replyMs, 2),
        rounded(row.bytes / 1024, 1),
        growth(row, index),
      ]),
    ),
  );
}

await runMain(main);
