import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { createPeople, subscribe } from '../fixtures/audience.ts';
import { contentOf, type Fixture, openFixture } from '../fixtures/subject.ts';
import { basicAuthorization, callOnce } from '../load/api.ts';
import { contentsOf } from '../load/contents.ts';
import { httpSpeaker } from '../load/speaker.ts';
import { temporaryDirectory } from '../servers/belongings.ts';
import type { Answers } from '../servers/http-baseline.ts';
import { forkServer, type Server } from '../servers/start.ts';
import { benchmark, higher, lower, WITHIN_99 } from '../suite/benchmark.ts';
import type { Context } from '../suite/context.ts';
import { type EncodedLatencies, newLatencies, summaryOf } from '../suite/latencies.ts';
import { number, type Values } from '../suite/options.ts';
import { alternating } from '../suite/statistics.ts';

const options = {
  connections: number({ meaning: 'connections, a request at a time on each', default: 32 }),
  users: number({ meaning: 'people of the realm', default: 1000, quick: 50 }),
  stored: number({ meaning: 'messages of the channel; 100 at least', default: 2000, quick: 200 }),
  seconds: number({ meaning: 'of each measurement', default: 0.5, quick: 0.3 }),
};

const metrics = {
  'requests per second': higher(
    '/s',
    'Answers on the clock of this machine, of the server and autocannon together.',
  ),
  'requests per core-second': higher(
    '/s',
    'Answers for each second of CPU time that all threads of the server used.',
  ),
  'reply p50': lower('ms', 'From a request to its answer: half are within it.'),
  'reply p99': WITHIN_99,
};

type Http = Context<Values<typeof options>, keyof typeof metrics>;

export const http = benchmark({
  name: 'http',
  summary: 'plain requests: settings, people, a page of messages',
  description:
    'autocannon asks for one path as fast as answers come. The baseline is bare uWebSockets.js that compares the credentials and answers the same bytes; for the page of messages it reads 100 rows from LMDB and makes JSON of them.',
  elsewhere: true,
  options,
  metrics,
  targets: [
    {
      name: 'a page of 100 messages, of bare reads and encoding',
      metric: 'requests per core-second',
      case: /^GET \/messages/,
      against: { server: 'baseline' },
      atLeast: 0.5,
    },
  ],
  seconds: ({ seconds, users, stored }, repeats) =>
    4 + users / 1000 + stored / 3000 + PATHS.length * 2 * repeats * (seconds + 0.1),
  run: async (context) => {
    const { setting, expect, doing } = context;
    expect(PATHS.length * setting.repeats * (setting.remote === undefined ? 2 : 1));
    doing('a realm is made');
    const fixture = await openFixture(setting);
    const servers = [fixture.server];
    await populate(context, fixture);
    const authorization = basicAuthorization(fixture.place.owner);
    if (setting.remote === undefined) servers.push(await startBaseline(fixture));
    for (const { name, path } of PATHS) {
      for (const server of alternating(servers, setting.repeats)) {
        await ask(context, { server, name, path, authorization });
      }
    }
  },
});

const CHANNEL = 'plain requests';
const PAGE = `/messages?anchor=newest&num_before=100&num_after=0&narrow=${encodeURIComponent(JSON.stringify([['channel', CHANNEL]]))}`;

const PATHS = [
  { name: 'GET /server_settings', path: '/server_settings' },
  { name: 'GET /users/me', path: '/users/me' },
  { name: 'GET /users', path: '/users' },
  { name: 'GET /messages, 100 of them', path: PAGE },
] as const;

const SENDS_IN_FLIGHT = 32;

async function populate({ options: { users, stored }, setting }: Http, { place }: Fixture) {
  const newUsers = Array.from({ length: users }, (_, index) => ({
    full_name: `Reader ${index + 1}`,
    email: `reader-${index + 1}@load.example.com`,
  }));
  await createPeople(place, newUsers);
  const { address, owner } = place;
  await subscribe(address, owner, [CHANNEL], [owner.user_id]);
  const contents = await contentsOf(contentOf(setting), undefined);
  const speaker = httpSpeaker(address, { sender: owner, channel: CHANNEL }, SENDS_IN_FLIGHT);
  const say = (index: number) =>
    new Promise<void>((resolve, reject) => {
      speaker.say({ content: contents(index).content }, (answer) =>
        typeof answer === 'number' ? resolve() : reject(new Error(answer)),
      );
    });
  await Promise.all(Array.from({ length: stored }, (_, index) => say(index)));
}

/** It answers what confab answers. */
async function startBaseline({ place }: Fixture): Promise<Server> {
  const authorization = basicAuthorization(place.owner);
  const answers = new Map<string, Readonly<Record<string, unknown>>>();
  for (const { path } of PATHS) {
    answers.set(path, await callOnce(place.address, { method: 'GET', path, authorization }));
  }
  const { messages, ...envelope } = answers.get(PAGE) ?? {};
  if (!Array.isArray(messages) || messages.length !== 100) {
    throw new Error('confab answered no page of 100 messages');
  }
  answers.delete(PAGE);
  const toAnswer: Answers = {
    authorization,
    fixed: [...answers].map(([path, body]) => ({
      path: `/api/v1${path}`,
      body: JSON.stringify(body),
    })),
    rows: { path: `/api/v1${PAGE}`, envelope, name: 'messages', rows: messages },
  };
  const { path: data } = temporaryDirectory();
  const file = join(data, 'answers.json');
  writeFileSync(file, JSON.stringify(toAnswer));
  const parameters = [`--data=${join(data, 'rows')}`, `--answers=${file}`];
  return await forkServer({ name: 'baseline', file: 'http-baseline', parameters });
}

interface Asking {
  readonly server: Server;
  readonly name: string;
  readonly path: string;
  readonly authorization: string;
}

async function ask(
  { options: { connections, seconds }, measure, fault }: Http,
  { server, name, path, authorization }: Asking,
): Promise<void> {
  const { host, port } = server.address;
  const url = `http://${host}:${port}/api/v1${path}`;
  const { failures } = await measure({
    case: name,
    server: server.name,
    pids: { server: server.pid, generator: process.pid },
    run: () =>
      shoot({
        url,
        headers: { authorization },
        connections,
        duration: seconds,
        sampleInt: SAMPLE_EVERY_MS,
      }),
    figures: ({ count, elapsedSeconds, times }, usage) => ({
      'requests per second': count / elapsedSeconds,
      'requests per core-second': usage.server && count / usage.server.cpuSeconds,
      'reply p50': summaryOf(times).p50Ms,
      'reply p99': summaryOf(times).p99Ms,
    }),
    latencies: ({ times }) => ({ reply: times }),
  });
  if (failures > 0) fault(`${name}, ${server.name}: ${failures} requests were not answered by 200`);
}

/** autocannon looks as often whether its time is over: by default once a second. */
const SAMPLE_EVERY_MS = 50;

interface Shot {
  readonly count: number;
  readonly failures: number;
  readonly elapsedSeconds: number;
  readonly times: EncodedLatencies;
}

function shoot(asked: autocannon.Options): Promise<Shot> {
  const times = newLatencies();
  const startMs = performance.now();
  let failures = 0;
  return new Promise((resolve, reject) => {
    const run = autocannon(asked, (error: unknown, { errors }) => {
      if (error) return reject(error);
      const counted = times.encoded();
      resolve({
        count: counted.count,
        failures: failures + errors,
        elapsedSeconds: (performance.now() - startMs) / 1000,
        times: counted,
      });
    });
    run.on('response', (_client, status, _bytes, milliseconds) => {
      if (status !== 200) failures += 1;
      times.record(milliseconds);
    });
  });
}
