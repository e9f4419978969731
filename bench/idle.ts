import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { WebSocket } from 'ws';
import type { ListenerPlan, Transport } from './load/listen.ts';
import { print, progressBar, rounded, runMain, table, writeResults } from './report.ts';
import { residentBytes } from './servers.ts';
import { confabSubject, faults, floorSubject, type Subject } from './subject.ts';

const HELP = `idle: what a queue, an open socket and a parked poll cost while nothing happens

  --listeners <n>   users, each with one open socket or poll      (1000)
  --queues <n>      detached queues, spread over the users        (5000)
  --json <file>     write the results there as well
  --help`;

const { values } = parseArgs({
  options: {
    listeners: { type: 'string', default: '1000' },
    queues: { type: 'string', default: '5000' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const listenerCount = Number(values.listeners);
const queueCount = Number(values.queues);

// As much memory as first use needs (compiled code, pools of the allocator) is taken before the
// first reading: this part of the listeners comes and stays before it.
const WARM_UP_COUNT = 200;

// Memory is handed back in the background; a reading counts once two of them agree.
const READING_EVERY_MS = 500;
const READINGS_MAX = 20;
const AGREEMENT_BYTES = 64 * 1024;

const FRAME_BYTES = 500;

interface Reading {
  readonly residentBytes: number;
  /** What lives in the JavaScript heap and in buffers beside it: exact after a collection. */
  readonly heapBytes: number;
}

interface Row {
  readonly what: Transport;
  readonly server: 'confab' | 'floor';
  readonly count: number;
  readonly residentEach: number;
  readonly heapEach: number;
}

async function main(): Promise<void> {
  if (values.help) return print(HELP);
  const rows: Row[] = [];
  const found: string[] = [];
  const progress = progressBar(5);
  const kinds: readonly Transport[] = ['detached', 'socket', 'poll'];
  for (const what of kinds) {
    progress.advance(`${what}, confab`);
    const confab = await confabSubject(listenerCount, true);
    rows.push(await measured(confab, what, found));
    if (what === 'detached') continue;
    progress.advance(`${what}, floor`);
    const sizes = { frameBytes: FRAME_BYTES, bodyBytes: FRAME_BYTES, hasInspector: true };
    rows.push(await measured(await floorSubject(listenerCount, sizes), what, found));
  }
  progress.stop();
  report(rows, found);
  writeResults(values.json, 'idle', { options: values, rows, faults: found });
  process.exitCode = found.length > 0 ? 1 : 0;
}

async function measured(subject: Subject, what: Transport, found: string[]): Promise<Row> {
  try {
    const plans = plansFor(subject, what);
    const { load, server } = subject;
    await load.ask('listen', plans.slice(0, WARM_UP_COUNT));
    const inspector = await openInspector(server.inspectorUrl);
    const before = await settled(server.pid, inspector);
    await load.ask('listen', plans.slice(WARM_UP_COUNT));
    const after = await settled(server.pid, inspector);
    inspector.close();
    found.push(...faults(`${server.name}, ${what}`, await load.ask('verdict', null)));
    const count = plans.length - WARM_UP_COUNT;
    return {
      what,
      server: server.name,
      count,
      residentEach: (after.residentBytes - before.residentBytes) / count,
      heapEach: (after.heapBytes - before.heapBytes) / count,
    };
  } finally {
    await subject.stop();
  }
}

function plansFor({ audience }: Subject, what: Transport): readonly ListenerPlan[] {
  const plans = audience.listeners(what);
  if (what !== 'detached') return plans;
  const copies = Math.ceil(queueCount / plans.length);
  return Array.from({ length: copies }, () => plans)
    .flat()
    .slice(0, queueCount);
}

interface Inspector {
  readonly call: (method: string, params?: object) => Promise<unknown>;
  readonly close: () => void;
}

/** Asks the server's own inspector, because only the process itself can collect its garbage. */
async function openInspector(url: string | undefined): Promise<Inspector> {
  if (url === undefined) throw new Error('the server has no inspector');
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const waiting = new Map<number, (result: unknown) => void>();
  let count = 0;
  socket.on('message', (data) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown };
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  return {
    call: (method, params = {}) => {
      const id = ++count;
      socket.send(JSON.stringify({ id, method, params }));
      return new Promise((resolve) => waiting.set(id, resolve));
    },
    close: () => socket.close(),
  };
}

async function settled(pid: number, inspector: Inspector): Promise<Reading> {
  let last = Number.POSITIVE_INFINITY;
  for (let reading = 0; reading < READINGS_MAX; reading++) {
    await inspector.call('HeapProfiler.collectGarbage');
    await delay(READING_EVERY_MS);
    const now = residentBytes(pid);
    if (Math.abs(now - last) <= AGREEMENT_BYTES) break;
    last = now;
  }
  const expression = '(({heapUsed, external}) => heapUsed + external)(process.memoryUsage())';
  // The protocol answers an evaluation with its value inside `result`.
  const { result } = (await inspector.call('Runtime.evaluate', { expression })) as {
    result: { value: number };
  };
  return { residentBytes: residentBytes(pid), heapBytes: result.value };
}

function report(rows: readonly Row[], found: readonly string[]): void {
  print('\nMemory of the server for each, KB\n');
  print(
    table(
      ['what', 'server', 'count', 'resident', 'above floor', 'heap'],
      rows.map((row) => {
        const floor = rows.find(({ what, server }) => what === row.what && server === 'floor');
        const above = row.residentEach - (floor?.residentEach ?? 0);
        const figures = [row.residentEach, above, row.heapEach];
        return [
          row.what,
          row.server,
          row.count,
          ...figures.map((bytes) => rounded(bytes / 1024, 2)),
        ];
      }),
    ),
  );
  if (found.length > 0) print(`\n${found.join('\n')}`);
}

await runMain(main);
