import { setTimeout as delay } from 'node:timers/promises';
import {
  type AttackedRealm,
  askAll,
  messageRequest,
  openAttackedRealm,
} from '../fixtures/attacked-realm.ts';
import { ATTACKS, LONG_MESSAGE } from '../fixtures/attacks.ts';
import { type Place, subscribe } from '../fixtures/audience.ts';
import { openFixture } from '../fixtures/subject.ts';
import { type LoadProcess, startLoadProcess } from '../load/load-process.ts';
import { benchmark, lower } from '../suite/benchmark.ts';
import type { Context } from '../suite/context.ts';
import { newLatencies, summaryOf } from '../suite/latencies.ts';
import { number, text, type Values } from '../suite/options.ts';

const options = {
  only: text({ meaning: 'those attacks alone whose name has these words in it', default: '' }),
  stored: number({ meaning: 'long messages that pages are full of', default: 3500, quick: 1000 }),
  rate: number({ meaning: 'sends a second of the other realm', default: 50 }),
};

/**
 * A run fails where somebody waits for so many times what they wait on a quiet server: a machine
 * with other work has 3.
 */
const LONGEST_TIMES_QUIET_MAX = 20;
/** A quiet server may be quicker than what a ratio can be taken of. */
const QUIET_MS_MIN = 15;

const metrics = {
  'longest wait': lower(
    'ms',
    `What the other realm notices: the longest of all its sends, from the planned time to the answer, and of all deliveries of them to a poll. The run fails from ${LONGEST_TIMES_QUIET_MAX} times what it is on a quiet server.`,
  ),
  'send p99': lower('ms', 'Of these, the answers to the sends alone.'),
  'poll p99': lower('ms', 'The deliveries alone.'),
  'server CPU': lower(
    's',
    'CPU time of all threads of the server, for the attack and what the other realm does.',
  ),
  'server peak': lower('MB', 'The most memory that it had.'),
};

type Stalls = Context<Values<typeof options>, keyof typeof metrics>;

const QUIET = 'quiet';

export const stalls = benchmark({
  name: 'stalls',
  summary: 'the dearest requests that are known, against one realm, while another sends and polls',
  description:
    'Two realms of one server. Against one of them the worst known requests of each kind are made, many at once: forms and webhooks that were written to be slow, the longest messages and formulas, pages and searches of thousands of long messages, by HTTP and by one socket, pages whose clients leave, registrations, documents that nobody reads. In the other realm somebody sends at a fixed rate, and a poll waits for it.',
  elsewhere: 'the realm that is attacked is made by the command line, where the data directory is.',
  options,
  metrics,
  targets: [
    {
      name: 'the other realm, above a quiet server',
      metric: 'longest wait',
      case: new RegExp(`^(?!${QUIET}$)`),
      against: { case: QUIET },
      by: 'difference',
      atMost: 100,
    },
  ],
  seconds: ({ stored, only }, repeats) => 8 + stored / 500 + repeats * (only === '' ? 45 : 8),
  run: async (context) => {
    const { options: chosen, setting, expect, doing } = context;
    const attacks = ATTACKS.filter(({ name }) => name.includes(chosen.only));
    if (attacks.length === 0) throw new Error(`no attack is called ${chosen.only}`);
    expect(setting.repeats * (1 + attacks.length));
    const fixture = await openFixture(setting);
    const others = startLoadProcess();
    const listeners = startLoadProcess();
    try {
      const { place, server } = fixture;
      await subscribe(place.address, place.owner, [OTHERS], [place.owner.user_id]);
      const realm = await openAttackedRealm(place);
      doing(`${chosen.stored} long messages`);
      const long = Array.from({ length: chosen.stored }, () => messageRequest(realm, LONG_MESSAGE));
      await askAll(realm, long, 16);
      await others.ask('target', place.address);
      await listeners.ask('target', place.address);
      await listeners.ask('listen', [{ ...place.owner, transport: 'poll' }]);
      const running = { place, realm, pid: server.pid, others, listeners };
      for (let repeat = 0; repeat < setting.repeats; repeat++) {
        await runAll(context, running, attacks);
      }
    } finally {
      others.stop();
      listeners.stop();
      await fixture.stop();
    }
  },
});

const OTHERS = 'of others';

interface Running {
  readonly place: Place;
  readonly realm: AttackedRealm;
  readonly pid: number | undefined;
  readonly others: LoadProcess;
  readonly listeners: LoadProcess;
}

async function runAll(context: Stalls, running: Running, attacks: typeof ATTACKS): Promise<void> {
  const quiet = await longestWait(context, running, { name: QUIET, run: () => delay(QUIET_MS) });
  const bound = LONGEST_TIMES_QUIET_MAX * Math.max(QUIET_MS_MIN, quiet);
  for (const attack of attacks) {
    const longest = await longestWait(context, running, attack);
    if (longest > bound) {
      context.fault(
        `${attack.name}: the other realm waited for ${longest.toFixed(0)} ms, ${quiet.toFixed(0)} ms on a quiet server`,
      );
    }
  }
}

const QUIET_MS = 2_000;
/** Others send as long before and after, so that what is held up is among what is not. */
const BESIDE_MS = 400;
const MEGABYTE = 1_000_000;

async function longestWait(
  { measure, options: { rate } }: Stalls,
  { place: { owner }, realm, pid, others, listeners }: Running,
  { name, run }: (typeof ATTACKS)[number],
): Promise<number> {
  const { sends, deliveries } = await measure({
    case: name,
    server: 'confab',
    pids: { server: pid, generator: process.pid },
    run: async () => {
      await others.ask('startSteady', [{ sender: owner, channel: OTHERS, perSecond: rate }]);
      await delay(BESIDE_MS);
      await run(realm);
      await delay(BESIDE_MS);
      const [steady = []] = await others.ask('stopSteady', null);
      const settled = await listeners.ask('settle', steady);
      if (settled.length < steady.length) {
        throw new Error(`${steady.length - settled.length} messages of the other realm were lost`);
      }
      const plannedAt = new Map(steady.map(({ index, plannedAtMs }) => [index, plannedAtMs]));
      const sends = newLatencies();
      for (const { plannedAtMs, answeredAtMs } of steady) sends.record(answeredAtMs - plannedAtMs);
      const deliveries = newLatencies();
      for (const { index, deliveredAtMs } of settled) {
        deliveries.record(deliveredAtMs - (plannedAt.get(index) ?? deliveredAtMs));
      }
      return { sends: sends.encoded(), deliveries: deliveries.encoded() };
    },
    figures: ({ sends, deliveries }, usage) => ({
      'longest wait': Math.max(summaryOf(sends).maxMs, summaryOf(deliveries).maxMs),
      'send p99': summaryOf(sends).p99Ms,
      'poll p99': summaryOf(deliveries).p99Ms,
      'server CPU': usage.server?.cpuSeconds,
      'server peak': usage.server && usage.server.peakBytes / MEGABYTE,
    }),
    latencies: ({ sends, deliveries }) => ({ send: sends, delivery: deliveries }),
  });
  return Math.max(summaryOf(sends).maxMs, summaryOf(deliveries).maxMs);
}
