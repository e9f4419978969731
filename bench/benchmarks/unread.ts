import { setTimeout as delay } from 'node:timers/promises';
import { createPeople, type Place, subscribe } from '../fixtures/audience.ts';
import { openFixture } from '../fixtures/subject.ts';
import {
  basicAuthorization,
  type Credentials,
  jsonReply,
  type ReplyBody,
  requestText,
} from '../load/api.ts';
import { type HttpPool, openPool } from '../load/http.ts';
import { type LoadProcess, startLoadProcess } from '../load/load-process.ts';
import type { Address } from '../load/stream.ts';
import { benchmark, lower, WITHIN_99 } from '../suite/benchmark.ts';
import type { Context } from '../suite/context.ts';
import { newLatencies, summaryOf } from '../suite/latencies.ts';
import { number, type Values } from '../suite/options.ts';

const options = {
  unread: number({ meaning: 'messages that are unread', default: 50_000, quick: 2000 }),
  topics: number({ meaning: 'topics that they are in', default: 200, quick: 20 }),
  registers: number({ meaning: 'registrations in a repeat', default: 25, quick: 5 }),
  rate: number({ meaning: 'sends a second of somebody else meanwhile', default: 100, quick: 50 }),
};

const metrics = {
  'reply p50': lower(
    'ms',
    'From the request to its whole answer, one at a time: half are within it.',
  ),
  'reply p99': WITHIN_99,
  'server CPU': lower(
    'ms',
    'CPU time of all threads of the server for one registration, and what is sent meanwhile.',
  ),
  'send p99': lower(
    'ms',
    'What others notice: another process sends at a fixed rate meanwhile, and this is from the planned time to the answer.',
  ),
  'send max': lower('ms', 'The longest of them.'),
};

type Unread = Context<Values<typeof options>, keyof typeof metrics>;

export const unread = benchmark({
  name: 'unread',
  summary: 'somebody who has 50,000 unread messages registers, and marks all as read',
  description:
    'People of one channel in which 50,000 messages were sent to topics by turns, which is how they are told apart least easily. One after the other registers with everything, one request at a time; then marks all as read, of which each can do one. Another process sends meanwhile, at a fixed rate: how long it waits is what a busy event loop costs everybody else. Every answer is held against what has to be unread.',
  elsewhere: true,
  options,
  metrics,
  targets: [
    { name: 'others while somebody registers', metric: 'send p99', case: /^register/, atMost: 100 },
    { name: 'others while all is marked read', metric: 'send p99', case: /^mark/, atMost: 100 },
  ],
  seconds: ({ unread, registers }, repeats) => 4 + unread / 3500 + repeats * (2 + registers / 15),
  run: async (context) => {
    const { options: chosen, setting, expect, doing } = context;
    expect(setting.repeats * 3);
    doing(`${chosen.unread} messages that nobody reads`);
    const fixture = await openFixture(setting);
    const others = startLoadProcess();
    try {
      const returned = await createPeople(
        fixture.place,
        Array.from({ length: setting.repeats }, (_, index) => ({
          full_name: `Returned ${index + 1}`,
          email: `returned-${index + 1}@load.example.com`,
        })),
      );
      const [everybody, owner] = [returned.map(({ user_id }) => user_id), fixture.place.owner];
      await subscribe(fixture.place.address, owner, [UNREAD], [owner.user_id, ...everybody]);
      await subscribe(fixture.place.address, owner, [OTHERS], [owner.user_id]);
      // The messages of the greeting are marked as read.
      for (const as of returned) await markAllRead(fixture.place, as);
      await say(fixture.place, chosen);
      await others.ask('target', fixture.place.address);
      const running = { place: fixture.place, pid: fixture.server.pid, others };
      for (const as of returned) await measureOne(context, running, as);
    } finally {
      others.stop();
      await fixture.stop();
    }
  },
});

const UNREAD = 'unread';
const OTHERS = 'of others';
const SENDS_IN_FLIGHT = 64;

/** Sends what nobody reads, to topics by turns. */
async function say(
  { address, owner }: Place,
  { unread, topics }: Values<typeof options>,
): Promise<void> {
  const pool = openPool(address, SENDS_IN_FLIGHT);
  const sends = Array.from({ length: unread }, (_, index) =>
    call({ address, pool, as: owner }, '/messages', {
      type: 'channel',
      to: UNREAD,
      topic: `topic ${index % topics}`,
      content: `unread ${index}`,
    }),
  );
  await Promise.all(sends);
  pool.close();
}

interface Calling {
  readonly address: Address;
  readonly pool: HttpPool;
  readonly as: Credentials;
}

interface Called {
  /** Until all of the answer was there. */
  readonly ms: number;
  readonly body: ReplyBody;
}

const call = (
  { address, pool, as }: Calling,
  path: string,
  params: Readonly<Record<string, string>>,
): Promise<Called> =>
  new Promise((resolve, reject) => {
    const authorization = basicAuthorization(as);
    const start = performance.now();
    pool.send(requestText(address, { method: 'POST', path, authorization, params }), (raw) => {
      const ms = performance.now() - start;
      const reply = raw && jsonReply(raw);
      if (reply?.status === 200) resolve({ ms, body: reply.body });
      else reject(new Error(`${path}: ${JSON.stringify(reply)}`));
    });
  });

const register = (calling: Calling) =>
  call(calling, '/register', { apply_markdown: 'true', queue_lifespan_secs: '1' });

function unreadIn({ body }: Called): number {
  const { count } = body['unread_msgs'] as { readonly count: number };
  return count;
}

const MARKING = '/mark_all_as_read';

async function markAllRead({ address }: Place, as: Credentials): Promise<void> {
  const pool = openPool(address, 1);
  await call({ address, pool, as }, MARKING, {});
  pool.close();
}

interface Running {
  readonly place: Place;
  readonly pid: number | undefined;
  readonly others: LoadProcess;
}

/** A measured request, and the number of unread messages that must be left afterwards. */
interface Case {
  readonly name: string;
  readonly count: number;
  readonly ask: () => Promise<Called | null>;
  readonly left: number;
}

async function measureOne(context: Unread, running: Running, as: Credentials): Promise<void> {
  const { unread, registers } = context.options;
  const { address } = running.place;
  const pool = openPool(address, 1);
  const calling = { address, pool, as };
  const marking = () => call(calling, MARKING, {});
  const cases: readonly Case[] = [
    { name: 'nobody', count: 1, ask: async () => null, left: unread },
    { name: 'register', count: registers, ask: () => register(calling), left: unread },
    { name: 'mark all as read', count: 1, ask: marking, left: 0 },
  ];
  for (const one of cases) {
    await measureCase(context, running, one);
    const told = unreadIn(await register(calling));
    if (told !== one.left) {
      context.fault(`after ${one.name}, ${told} messages are unread and not ${one.left}`);
    }
  }
  pool.close();
}

const measureCase = (
  { measure, options: { unread, rate } }: Unread,
  { place: { owner }, pid, others }: Running,
  { name, count, ask }: Case,
) =>
  measure({
    case: `${name}, ${unread} unread`,
    server: 'confab',
    pids: { server: pid, generator: process.pid },
    run: async () => {
      await others.ask('startSteady', [{ sender: owner, channel: OTHERS, perSecond: rate }]);
      await delay(BESIDE_MS);
      const replies = newLatencies();
      for (let n = 0; n < count; n++) {
        const called = await ask();
        if (called !== null) replies.record(called.ms);
      }
      await delay(BESIDE_MS);
      const sends = newLatencies();
      const [steady = []] = await others.ask('stopSteady', null);
      for (const { plannedAtMs, answeredAtMs } of steady) {
        sends.record(answeredAtMs - plannedAtMs);
      }
      return { replies: replies.encoded(), sends: sends.encoded() };
    },
    figures: ({ replies, sends }, usage) => ({
      ...(replies.count === 0
        ? {}
        : { 'reply p50': summaryOf(replies).p50Ms, 'reply p99': summaryOf(replies).p99Ms }),
      // CPU time of a single request would be that of the whole second around it.
      ...(count === 1
        ? {}
        : { 'server CPU': usage.server && (usage.server.cpuSeconds * 1000) / count }),
      'send p99': summaryOf(sends).p99Ms,
      'send max': summaryOf(sends).maxMs,
    }),
    latencies: ({ replies, sends }) => ({ reply: replies, 'send of others': sends }),
  });

/** Others send as long before and after, so that what is held up is among what is not. */
const BESIDE_MS = 500;
