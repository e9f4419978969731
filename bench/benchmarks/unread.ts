import { createPeople, type Place, subscribe } from '../fixtures/audience.ts';
import { type Others, openOthers } from '../fixtures/others.ts';
import { openFixture } from '../fixtures/subject.ts';
import { basicAuthorization, type Called, type Credentials, callTimed } from '../load/api.ts';
import { openPool } from '../load/http.ts';
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
    const { place, server } = await openFixture(setting);
    const { address, owner } = place;
    const returned = await createPeople(
      place,
      Array.from({ length: setting.repeats }, (_, index) => ({
        full_name: `Returned ${index + 1}`,
        email: `returned-${index + 1}@load.example.com`,
      })),
    );
    const everybody = [owner, ...returned].map(({ user_id }) => user_id);
    await subscribe(address, owner, [UNREAD], everybody);
    // The messages of the greeting are marked as read.
    for (const as of returned) await asking(address, as, 1)(MARKING, {});
    await say(place, chosen);
    const running = { address, pid: server.pid, others: await openOthers(place) };
    for (const as of returned) await measureOne(context, running, as);
  },
});

const UNREAD = 'unread';
const SENDS_IN_FLIGHT = 64;

/** Posts as somebody, on so many connections. */
function asking(address: Address, as: Credentials, connections: number) {
  const pool = openPool(address, connections);
  const authorization = basicAuthorization(as);
  return (path: string, params: Readonly<Record<string, string>>): Promise<Called> =>
    callTimed(pool, address, { method: 'POST', path, authorization, params });
}

/** Sends what nobody reads, to topics by turns. */
async function say(
  { address, owner }: Place,
  { unread, topics }: Values<typeof options>,
): Promise<void> {
  const ask = asking(address, owner, SENDS_IN_FLIGHT);
  const sends = Array.from({ length: unread }, (_, index) =>
    ask('/messages', {
      type: 'channel',
      to: UNREAD,
      topic: `topic ${index % topics}`,
      content: `unread ${index}`,
    }),
  );
  await Promise.all(sends);
}

function unreadIn({ body }: Called): number {
  const { count } = body['unread_msgs'] as { readonly count: number };
  return count;
}

const MARKING = '/mark_all_as_read';

interface Running {
  readonly address: Address;
  readonly pid: number | undefined;
  readonly others: Others;
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
  const ask = asking(running.address, as, 1);
  const register = () => ask('/register', { apply_markdown: 'true', queue_lifespan_secs: '1' });
  const cases: readonly Case[] = [
    { name: 'nobody', count: 1, ask: async () => null, left: unread },
    { name: 'register', count: registers, ask: register, left: unread },
    { name: 'mark all as read', count: 1, ask: () => ask(MARKING, {}), left: 0 },
  ];
  for (const one of cases) {
    await measureCase(context, running, one);
    const told = unreadIn(await register());
    if (told !== one.left) {
      context.fault(`after ${one.name}, ${told} messages are unread and not ${one.left}`);
    }
  }
}

const BESIDE_MS = 500;

const measureCase = (
  { measure, options: { unread, rate } }: Unread,
  { pid, others }: Running,
  { name, count, ask }: Case,
) =>
  measure({
    case: `${name}, ${unread} unread`,
    server: 'confab',
    pids: { server: pid, generator: process.pid },
    run: () =>
      others.sendDuring({ perSecond: rate, besideMs: BESIDE_MS }, async () => {
        const replies = newLatencies();
        for (let n = 0; n < count; n++) {
          const called = await ask();
          if (called !== null) replies.record(called.ms);
        }
        return replies.encoded();
      }),
    figures: ({ result: replies, times }, usage) => ({
      ...(replies.count === 0
        ? {}
        : { 'reply p50': summaryOf(replies).p50Ms, 'reply p99': summaryOf(replies).p99Ms }),
      // CPU time of a single request would be that of the whole second around it.
      ...(count === 1
        ? {}
        : { 'server CPU': usage.server && (usage.server.cpuSeconds * 1000) / count }),
      'send p99': summaryOf(times).p99Ms,
      'send max': summaryOf(times).maxMs,
    }),
    latencies: ({ result, times }) => ({ reply: result, 'send of others': times }),
  });
