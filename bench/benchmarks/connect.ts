import { setTimeout as delay } from 'node:timers/promises';
import { allowedSizes } from '../fixtures/connections.ts';
import {
  type Restarting,
  restartingBaseline,
  restartingConfab,
  type Signal,
} from '../fixtures/restarting.ts';
import { faults } from '../fixtures/subject.ts';
import type { SettledSend, SteadySend } from '../load/steady-sends.ts';
import { cpuSeconds } from '../servers/process-usage.ts';
import { benchmark, lower } from '../suite/benchmark.ts';
import type { Case, Context } from '../suite/context.ts';
import { newLatencies, summaryOf } from '../suite/latencies.ts';
import { number, type Values, words } from '../suite/options.ts';
import { alternating } from '../suite/statistics.ts';

const SIGNALS = ['SIGTERM', 'SIGKILL'] as const;

const options = {
  sockets: number({ meaning: 'that come back, each with its queue', default: 10_000, quick: 200 }),
  signals: words(SIGNALS, { meaning: 'how the server is ended', default: SIGNALS }),
  rate: number({
    meaning: 'sends a second whose sender is watched, to a channel of their own',
    default: 25,
  }),
  'rate-to-all': number({
    meaning: 'sends a second to all sockets, before, during and after',
    default: 2,
  }),
};

const metrics = {
  'caught up': lower(
    's',
    'From the end of the old process until every socket is back and has every message that was acknowledged by then: the start of the new process and what clients wait between attempts are in it.',
  ),
  outage: lower(
    's',
    'From the end of the old process to the first answer that a sender gets of the new.',
  ),
  'send p99': lower(
    'ms',
    'Of the sends that were planned between that answer and the moment when all have caught up: from the planned time to the answer.',
  ),
  'server CPU': lower(
    's',
    'CPU time of all threads of the new process until all have caught up, its start in it.',
  ),
};

type Connect = Context<Values<typeof options>, keyof typeof metrics>;

export const connect = benchmark({
  name: 'connect',
  summary: 'all sockets come back after a restart, and resume',
  description:
    'Sockets of one channel, each of another user. The server is ended, by SIGTERM and by SIGKILL, and started again on its data. Clients come back when the server told them to, or else after about a tenth of a millisecond for each of them, spread, and again after as long; each resumes its queue where it was. Meanwhile somebody sends to all of them at a fixed rate, and somebody else to another channel at a higher one; each send is repeated with its Idempotency-Key until it is acknowledged. Every listener must get every one of the first once and in order; the second is who is asked what a sender notices. By turns the same is done with the baseline, a bare server of uWebSockets.js and LMDB: the same sockets come back to it in the same way, and each is sent as many bytes; it starts at once, keeps no queues and knows nobody.',
  elsewhere: 'a server elsewhere is not ours to end',
  options,
  metrics,
  targets: [
    {
      name: '10,000 sockets have caught up',
      metric: 'caught up',
      case: /^10000 sockets, /,
      atMost: 5,
    },
    {
      name: 'a send while 10,000 sockets come back',
      metric: 'send p99',
      case: /^10000 sockets, /,
      atMost: 250,
    },
  ],
  seconds: ({ sockets, signals }, repeats) =>
    sockets / ATTACHED_PER_SECOND + 2 * signals.length * repeats * RESTART_SECONDS,
  run: async (context) => {
    const { options: chosen, setting, expect, doing } = context;
    if (allowedSizes([chosen.sockets], context).length === 0) return;
    expect(2 * chosen.signals.length * setting.repeats);
    doing(`${chosen.sockets} users and their sockets`);
    const company = {
      sockets: chosen.sockets,
      toAll: chosen['rate-to-all'],
      aside: chosen.rate,
    };
    const sides = await Promise.all([
      restartingConfab(setting, company),
      restartingBaseline(company),
    ]);
    for (const signal of alternating(chosen.signals, setting.repeats)) {
      const named = `${chosen.sockets} sockets, ${signal}`;
      const one = { case: named, sockets: chosen.sockets, signal };
      for (const side of sides) await measureRestart(context, side, one);
    }
    for (const { name, listeners } of sides) {
      const verdict = await listeners.ask('verdict', null);
      for (const fault of faults(`${name}, ${chosen.sockets} sockets`, verdict))
        context.fault(fault);
    }
  },
});

const ATTACHED_PER_SECOND = 900;
const RESTART_SECONDS = 4.5;
// Some are delivered before the end, and some only after it.
const SENDS_BEFORE_MS = 500;

interface Restart {
  readonly case: Case | string;
  readonly sockets: number;
  readonly signal: Signal;
}

export const measureRestart = (
  { measure }: Pick<Connect, 'measure'>,
  { name, restart, listeners, sender, plans }: Restarting,
  { case: named, sockets, signal }: Restart,
) =>
  measure({
    case: named,
    server: name,
    // It is another process at the end than at the beginning.
    pids: { server: undefined, generator: listeners.pid },
    run: async () => {
      await sender.ask('startSteady', plans);
      await delay(SENDS_BEFORE_MS);
      const { pid, endedAtMs } = await restart(signal);
      const attachedAtMs = await listeners.ask('untilAttached', sockets);
      const serverCpuSeconds = cpuSeconds(pid);
      const [toAll = [], aside = []] = await sender.ask('stopSteady', null);
      const settled = await listeners.ask('settle', toAll);
      const seen = { toAll, aside, settled, endedAtMs, attachedAtMs };
      return { ...noticed(seen), serverCpuSeconds };
    },
    figures: (result) => ({
      'caught up': result.caughtUpMs / 1000,
      outage: result.outageMs / 1000,
      'send p99': summaryOf(result.sends).p99Ms,
      'server CPU': result.serverCpuSeconds,
    }),
    latencies: ({ sends }) => ({ 'send while they come back': sends }),
  });

interface Seen {
  readonly toAll: readonly SteadySend[];
  readonly aside: readonly SteadySend[];
  readonly settled: readonly SettledSend[];
  readonly endedAtMs: number;
  readonly attachedAtMs: number;
}

/** The restart as the listeners and the sender saw it. */
function noticed({ toAll, aside, settled, endedAtMs, attachedAtMs }: Seen) {
  const deliveredAtMs = new Map(settled.map((one) => [one.index, one.deliveredAtMs]));
  const answeredAfter = [...toAll, ...aside].filter(({ answeredAtMs }) => answeredAtMs > endedAtMs);
  const firstAnswerAtMs = Math.min(...answeredAfter.map(({ answeredAtMs }) => answeredAtMs));
  const caughtUpAtMs = Math.max(
    attachedAtMs,
    ...toAll
      .filter(({ answeredAtMs }) => answeredAtMs <= attachedAtMs)
      .map(({ index }) => deliveredAtMs.get(index) ?? Number.POSITIVE_INFINITY),
  );
  const latencies = newLatencies();
  for (const { plannedAtMs, answeredAtMs } of aside) {
    const isMeanwhile = plannedAtMs >= firstAnswerAtMs && plannedAtMs <= caughtUpAtMs;
    if (isMeanwhile) latencies.record(answeredAtMs - plannedAtMs);
  }
  return {
    caughtUpMs: caughtUpAtMs - endedAtMs,
    outageMs: firstAnswerAtMs - endedAtMs,
    sends: latencies.encoded(),
  };
}
