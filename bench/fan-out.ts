import { parseArgs } from 'node:util';
import { summaryOf } from './load/latency.ts';
import type { Transport } from './load/listen.ts';
import { print, progressBar, rounded, runMain, table, thousands, writeResults } from './report.ts';
import { attach, confabSubject, faults, floorSubject, measure, type Subject } from './subject.ts';

const HELP = `fan-out: one channel, many listeners, confab beside the floor

  --listeners <n>   sockets, then polls, of one channel           (1000)
  --transport <t>   socket, poll or both                          (both)
  --in-flight <w>   messages in flight, several by comma          (1,4,16)
  --seconds <s>     of each measurement                           (3)
  --rounds <n>      measurements of each, alternating             (3)
  --rate <n>        sends a second of the fixed-rate part; 0 none (10)
  --json <file>     write the results there as well
  --help`;

const { values } = parseArgs({
  options: {
    listeners: { type: 'string', default: '1000' },
    transport: { type: 'string', default: 'both' },
    'in-flight': { type: 'string', default: '1,4,16' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    rate: { type: 'string', default: '10' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const listenerCount = Number(values.listeners);
const inFlight = values['in-flight'].split(',').map(Number);
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const rate = Number(values.rate);
const transports: readonly Transport[] =
  values.transport === 'both'
    ? ['socket', 'poll']
    : [values.transport === 'poll' ? 'poll' : 'socket'];

// The fixed rate needs many sends for a p99, and its servers are idle most of the time.
const FIXED_RATE_FACTOR = 3;
const WARM_UP_SECONDS = 1;

interface ClosedLoopRow {
  readonly transport: Transport;
  readonly inFlight: number;
  /** Deliveries per second of server CPU, of each round. */
  readonly confab: readonly number[];
  readonly floor: readonly number[];
  readonly ratio: number;
  /** The lowest and the highest ratio of a round. */
  readonly ratioRange: readonly [number, number];
}

interface FixedRateRow {
  readonly transport: Transport;
  readonly server: string;
  readonly count: number;
  readonly replyP50Ms: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

interface Outcome {
  readonly closedLoops: ClosedLoopRow[];
  readonly fixedRates: FixedRateRow[];
  readonly faults: string[];
}

async function main(): Promise<void> {
  if (values.help) return print(HELP);
  const outcome: Outcome = { closedLoops: [], fixedRates: [], faults: [] };
  const steps = transports.length * 2 * rounds * (inFlight.length + (rate > 0 ? 1 : 0));
  const progress = progressBar(steps);
  for (const transport of transports) await measureTransport(transport, outcome, progress.advance);
  progress.stop();
  report(outcome);
  writeResults(values.json, 'fan-out', { options: values, ...outcome });
  process.exitCode = outcome.faults.length > 0 ? 1 : 0;
}

async function measureTransport(
  transport: Transport,
  outcome: Outcome,
  advance: (text: string) => void,
): Promise<void> {
  const confab = await confabSubject(listenerCount);
  await attach(confab, transport);
  const eventBytes = await warmUp(confab);
  // Both kinds are given the size that confab sends on the transport under test.
  const floor = await floorSubject(listenerCount, {
    frameBytes: eventBytes,
    bodyBytes: eventBytes,
  });
  await attach(floor, transport);
  await warmUp(floor);
  try {
    for (const w of inFlight) {
      outcome.closedLoops.push(await closedLoops({ confab, floor, transport }, w, advance));
    }
    if (rate > 0) {
      outcome.fixedRates.push(...(await fixedRates({ confab, floor, transport }, advance)));
    }
    for (const { server, load } of [confab, floor]) {
      const verdict = await load.ask('verdict', null);
      outcome.faults.push(...faults(`${server.name}, ${transport}`, verdict));
    }
  } finally {
    await Promise.all([confab.stop(), floor.stop()]);
  }
}

/** Lets both sides compile, and tells how many bytes one delivery has. */
async function warmUp({ load }: Subject): Promise<number> {
  for (const w of [1, 4]) {
    await load.ask('closedLoop', { inFlight: w, seconds: WARM_UP_SECONDS, until: 'delivered' });
  }
  return (await load.ask('verdict', null)).singleEventBytes;
}

interface Pair {
  readonly confab: Subject;
  readonly floor: Subject;
  readonly transport: Transport;
}

async function closedLoops(
  { confab, floor, transport }: Pair,
  w: number,
  advance: (text: string) => void,
): Promise<ClosedLoopRow> {
  const perCpuSecond: Record<'confab' | 'floor', number[]> = { confab: [], floor: [] };
  for (const subject of alternating([confab, floor])) {
    advance(`${transport}s, ${w} in flight, ${subject.server.name}`);
    const { result, cpuSeconds } = await measure(subject, () =>
      subject.load.ask('closedLoop', { inFlight: w, seconds, until: 'delivered' }),
    );
    const deliveries = result.messageCount * listenerCount;
    perCpuSecond[subject.server.name].push(deliveries / cpuSeconds);
  }
  const ratios = perCpuSecond.confab.map((own, round) => own / (perCpuSecond.floor[round] ?? 0));
  return {
    transport,
    inFlight: w,
    ...perCpuSecond,
    // Of each round by itself, whose two halves had the same moment of the machine.
    ratio: median(ratios),
    ratioRange: [Math.min(...ratios), Math.max(...ratios)],
  };
}

async function fixedRates(
  { confab, floor, transport }: Pair,
  advance: (text: string) => void,
): Promise<readonly FixedRateRow[]> {
  const replies: Record<'confab' | 'floor', number[]> = { confab: [], floor: [] };
  const deliveries: Record<'confab' | 'floor', number[]> = { confab: [], floor: [] };
  for (const subject of alternating([confab, floor])) {
    const { name } = subject.server;
    advance(`${transport}s, ${rate} sends/s, ${name}`);
    const { result } = await measure(subject, () =>
      subject.load.ask('fixedRate', { perSecond: rate, seconds: seconds * FIXED_RATE_FACTOR }),
    );
    replies[name].push(...result.replyMicroseconds);
    deliveries[name].push(...result.deliveryMicroseconds);
  }
  return (['confab', 'floor'] as const).map((server) => {
    const { p50Ms: replyP50Ms } = summaryOf(replies[server]);
    return { transport, server, replyP50Ms, ...summaryOf(deliveries[server]) };
  });
}

/** One after the other, so that a slow moment of the machine falls on both. */
function* alternating(subjects: readonly Subject[]): Generator<Subject> {
  for (let round = 0; round < rounds; round++) yield* subjects;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
  return (lower + upper) / 2;
}

function report({ closedLoops, fixedRates, faults: found }: Outcome): void {
  print(`\nDeliveries per server core-second to ${listenerCount} listeners (medians)\n`);
  print(
    table(
      ['transport', 'in flight', 'confab', 'floor', 'ratio', 'of rounds'],
      closedLoops.map((row) => [
        row.transport,
        row.inFlight,
        thousands(median(row.confab)),
        thousands(median(row.floor)),
        rounded(row.ratio, 2),
        row.ratioRange.map((value) => rounded(value, 2)).join('–'),
      ]),
    ),
  );
  if (fixedRates.length > 0) {
    print(`\nFrom the planned time of a send to its last delivery, ${rate} sends/s, ms\n`);
    print(
      table(
        ['transport', 'server', 'sends', 'reply p50', 'p50', 'p99', 'max'],
        fixedRates.map((row) => [
          row.transport,
          row.server,
          row.count,
          ...[row.replyP50Ms, row.p50Ms, row.p99Ms, row.maxMs].map((value) => rounded(value, 1)),
        ]),
      ),
    );
  }
  print(found.length === 0 ? '\nNothing lost, repeated or out of order.' : `\n${found.join('\n')}`);
}

await runMain(main);
