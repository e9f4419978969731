import { parseArgs } from 'node:util';
import { type LatencySummary, summaryOf } from './load/latency.ts';
import { print, progressBar, rounded, runMain, table, thousands, writeResults } from './report.ts';
import { isInMemory, temporaryDirectory } from './servers.ts';
import { attach, confabSubject, faults, floorSubject, measure, type Subject } from './subject.ts';

const HELP = `write-path: durable sends over HTTP, each event delivered to one listener

  --in-flight <n>   requests in flight, several by comma          (1,8,64,512)
  --seconds <s>     of each measurement                           (3)
  --rounds <n>      measurements of each, alternating             (3)
  --json <file>     write the results there as well
  --help`;

const { values } = parseArgs({
  options: {
    'in-flight': { type: 'string', default: '1,8,64,512' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const inFlight = values['in-flight'].split(',').map(Number);
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const WARM_UP_SECONDS = 1;

interface Row {
  readonly server: 'confab' | 'floor';
  readonly inFlight: number;
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly reply: LatencySummary;
  readonly delivery: LatencySummary;
}

async function main(): Promise<void> {
  if (values.help) return print(HELP);
  warnOfMemory();
  const confab = await confabSubject(1);
  await attach(confab, 'socket');
  const frameBytes = await warmUp(confab);
  const floor = await floorSubject(1, { frameBytes, bodyBytes: frameBytes, isDurable: true });
  await attach(floor, 'socket');
  await warmUp(floor);

  const rows: Row[] = [];
  const found: string[] = [];
  const progress = progressBar(inFlight.length * rounds * 2);
  try {
    for (const n of inFlight) rows.push(...(await sends([confab, floor], n, progress.advance)));
    for (const { server, load } of [confab, floor]) {
      found.push(...faults(server.name, await load.ask('verdict', null)));
    }
  } finally {
    progress.stop();
    await Promise.all([confab.stop(), floor.stop()]);
  }
  report(rows, found);
  writeResults(values.json, 'write-path', { options: values, rows, faults: found });
  process.exitCode = found.length > 0 ? 1 : 0;
}

function warnOfMemory(): void {
  const { path, remove } = temporaryDirectory();
  if (isInMemory(path)) print('The temporary directory is in memory: syncs cost nothing there.');
  remove();
}

async function warmUp({ load }: Subject): Promise<number> {
  for (const n of [1, 64]) {
    await load.ask('closedLoop', { inFlight: n, seconds: WARM_UP_SECONDS, until: 'replied' });
  }
  // Frames of one event come at one in flight alone; they are what a floor's frame should be.
  return (await load.ask('verdict', null)).singleEventBytes;
}

async function sends(
  subjects: readonly Subject[],
  n: number,
  advance: (text: string) => void,
): Promise<readonly Row[]> {
  const measured = subjects.map((subject) => ({
    subject,
    messages: 0,
    elapsedSeconds: 0,
    cpuSeconds: 0,
    replies: [] as number[],
    deliveries: [] as number[],
  }));
  for (let round = 0; round < rounds; round++) {
    for (const sum of measured) {
      advance(`${n} in flight, ${sum.subject.server.name}`);
      const { result, cpuSeconds } = await measure(sum.subject, () =>
        sum.subject.load.ask('closedLoop', { inFlight: n, seconds, until: 'replied' }),
      );
      sum.messages += result.messageCount;
      sum.elapsedSeconds += result.elapsedSeconds;
      sum.cpuSeconds += cpuSeconds;
      for (const value of result.replyMicroseconds) sum.replies.push(value);
      for (const value of result.deliveryMicroseconds) sum.deliveries.push(value);
    }
  }
  return measured.map(({ subject, messages, elapsedSeconds, cpuSeconds, replies, deliveries }) => ({
    server: subject.server.name,
    inFlight: n,
    perSecond: messages / elapsedSeconds,
    perCpuSecond: messages / cpuSeconds,
    reply: summaryOf(replies),
    delivery: summaryOf(deliveries),
  }));
}

function report(rows: readonly Row[], found: readonly string[]): void {
  print('\nDurable sends over HTTP, each delivered to one socket; latencies in ms\n');
  const head = ['in flight', 'server', 'sends/s', 'of floor', 'per core-second', 'of floor'];
  const latencies = ['reply p50', 'p99', 'max', 'delivery p99'];
  print(
    table(
      [...head, ...latencies],
      rows.map((row) => {
        const floor = rows.find(
          ({ server, inFlight: n }) => server === 'floor' && n === row.inFlight,
        );
        const times = [row.reply.p50Ms, row.reply.p99Ms, row.reply.maxMs, row.delivery.p99Ms];
        return [
          row.inFlight,
          row.server,
          thousands(row.perSecond),
          rounded(row.perSecond / (floor?.perSecond ?? 0), 2),
          thousands(row.perCpuSecond),
          rounded(row.perCpuSecond / (floor?.perCpuSecond ?? 0), 2),
          ...times.map((value) => rounded(value, 1)),
        ];
      }),
    ),
  );
  print(found.length === 0 ? '\nNothing lost, repeated or out of order.' : `\n${found.join('\n')}`);
}

await runMain(main);
