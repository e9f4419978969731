import { setTimeout as delay } from 'node:timers/promises';
import { type AttackedRealm, openAttackedRealm } from '../fixtures/attacked-realm.ts';
import { ATTACKS, type Attack } from '../fixtures/attacks.ts';
import { type Others, openOthers } from '../fixtures/others.ts';
import { openFixture } from '../fixtures/subject.ts';
import { type LoadProcess, startLoadProcess } from '../load/load-process.ts';
import { benchmark, lower } from '../suite/benchmark.ts';
import type { Case, Context, Setting } from '../suite/context.ts';
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
    doing(`${chosen.stored} long messages`);
    const running = await openAttacked(setting, chosen.stored);
    for (let repeat = 0; repeat < setting.repeats; repeat++) {
      await runAll(context, running, attacks);
    }
  },
});

/** Returns a server with the realm that is attacked, and the other one. */
export async function openAttacked(
  setting: Setting,
  stored: number,
  gateways = 0,
): Promise<Running> {
  const { place, server } = await openFixture(setting, { gateways });
  const realm = await openAttackedRealm(place, stored);
  const others = await openOthers(place);
  const listeners = startLoadProcess();
  await listeners.ask('target', place.address);
  await listeners.ask('listen', [{ ...place.owner, transport: 'poll' }]);
  return { realm, pid: server.pid, others, listeners };
}

interface Running {
  readonly realm: AttackedRealm;
  readonly pid: number | undefined;
  readonly others: Others;
  readonly listeners: LoadProcess;
}

async function runAll(context: Stalls, running: Running, attacks: typeof ATTACKS): Promise<void> {
  const { measure, options } = context;
  const wait = (attack: Attack) =>
    longestWait({ measure }, running, { ...attack, case: attack.name, rate: options.rate });
  const quiet = await wait(QUIETLY);
  const bound = LONGEST_TIMES_QUIET_MAX * Math.max(QUIET_MS_MIN, quiet);
  for (const attack of attacks) {
    const longest = await wait(attack);
    if (longest > bound) {
      context.fault(
        `${attack.name}: the other realm waited for ${longest.toFixed(0)} ms, ${quiet.toFixed(0)} ms on a quiet server`,
      );
    }
  }
}

const QUIET_MS = 2_000;
/** The others are watched while the attacked realm is at rest. */
export const QUIETLY: Attack = { name: QUIET, run: () => delay(QUIET_MS) };
const BESIDE_MS = 400;
const MEGABYTE = 1_000_000;

interface Waited extends Pick<Attack, 'run'> {
  readonly case: Case | string;
  /** Sends a second of the other realm. */
  readonly rate: number;
}

export async function longestWait(
  { measure }: Pick<Stalls, 'measure'>,
  { realm, pid, others, listeners }: Running,
  { case: named, run, rate }: Waited,
): Promise<number> {
  const { times, deliveries } = await measure({
    case: named,
    server: 'confab',
    pids: { server: pid, generator: process.pid },
    run: async () => {
      const setting = { perSecond: rate, besideMs: BESIDE_MS };
      const { sends, times } = await others.sendDuring(setting, () => run(realm));
      const settled = await listeners.ask('settle', sends);
      if (settled.length < sends.length) {
        throw new Error(`${sends.length - settled.length} messages of the other realm were lost`);
      }
      const plannedAt = new Map(sends.map(({ index, plannedAtMs }) => [index, plannedAtMs]));
      const deliveries = newLatencies();
      for (const { index, deliveredAtMs } of settled) {
        deliveries.record(deliveredAtMs - (plannedAt.get(index) ?? deliveredAtMs));
      }
      return { times, deliveries: deliveries.encoded() };
    },
    figures: ({ times, deliveries }, usage) => ({
      'longest wait': Math.max(summaryOf(times).maxMs, summaryOf(deliveries).maxMs),
      'send p99': summaryOf(times).p99Ms,
      'poll p99': summaryOf(deliveries).p99Ms,
      'server CPU': usage.server?.cpuSeconds,
      'server peak': usage.server && usage.server.peakBytes / MEGABYTE,
    }),
    latencies: ({ times, deliveries }) => ({ send: times, delivery: deliveries }),
  });
  return Math.max(summaryOf(times).maxMs, summaryOf(deliveries).maxMs);
}
