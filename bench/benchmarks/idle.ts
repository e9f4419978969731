import { setTimeout as delay } from 'node:timers/promises';
import type { ListenerPlan, Transport } from '../load/listen.ts';
import { type Inspector, openInspector } from '../servers/inspector.ts';
import { cpuSeconds, residentBytes } from '../servers/process-usage.ts';
import { attach, check, confabSubject, floorSubject, type Subject } from '../stage/subject.ts';
import { benchmark } from '../suite/benchmark.ts';
import type { Context } from '../suite/context.ts';
import { number, type Values } from '../suite/options.ts';

const options = {
  sockets: number({
    meaning: 'open sockets, one a user; 10000 at most',
    default: 1000,
    quick: 400,
  }),
  polls: number({ meaning: 'parked polls, one a user; 5000 at most', default: 1000, quick: 400 }),
  queues: number({
    meaning: 'detached queues, spread over 1000 users; 100000 at most',
    default: 5000,
    quick: 800,
  }),
  seconds: number({ meaning: 'that nothing happens, to count CPU time', default: 0.5 }),
};

const metrics = {
  'resident each': {
    unit: 'KB',
    better: 'lower',
    meaning:
      'How much the process grew for each, garbage collected before each reading; of confab its queue is in it.',
  },
  'heap each': {
    unit: 'KB',
    better: 'lower',
    meaning: 'The part of it that lives in JavaScript and its buffers.',
  },
  'CPU each': {
    unit: 'µs/s',
    better: 'lower',
    meaning: 'CPU time that each takes in a second in which nothing happens.',
  },
  resident: {
    unit: 'MB',
    better: 'lower',
    meaning: 'The whole process, garbage collected, before anybody connects.',
  },
} as const;

type Idle = Context<Values<typeof options>, keyof typeof metrics>;

export const idle = benchmark({
  name: 'idle',
  summary: 'memory and CPU of an open socket, a parked poll and a detached queue',
  description:
    'A fresh server, which has a part of the listeners before the first reading so that what first use needs is not counted; then the others come, and nothing happens. The floor holds as many bare sockets or parked responses.',
  elsewhere: 'idle reads the memory of the server, which it cannot of one elsewhere.',
  options,
  metrics,
  marks: [
    {
      name: 'memory of an open socket',
      metric: 'resident each',
      case: /open sockets$/,
      against: { server: 'floor' },
      by: 'difference',
      atMost: 3,
    },
    {
      name: 'memory of a parked poll',
      metric: 'resident each',
      case: /parked polls$/,
      against: { server: 'floor' },
      by: 'difference',
      atMost: 3,
    },
    {
      name: 'memory of a detached queue',
      metric: 'resident each',
      case: /detached queues$/,
      atMost: 6,
    },
    {
      name: 'a server with 1,000 users idle',
      metric: 'resident',
      case: /^1000 users/,
      atMost: 150,
    },
  ],
  seconds: (chosen, repeats) => {
    const { sockets, polls, queues, seconds } = chosen;
    return repeats * (5 * (4.5 + seconds) + sockets / 300 + polls / 300 + queues / 2000);
  },
  run: async (context) => {
    const kinds = kindsOf(context.options);
    context.expect(context.setting.repeats * kinds.length * 2);
    for (let repeat = 0; repeat < context.setting.repeats; repeat++) {
      for (const kind of kinds) {
        await measured(context, kind, 'confab');
        if (kind.transport !== 'detached') await measured(context, kind, 'floor');
      }
    }
  },
});

interface Kind {
  readonly name: string;
  readonly transport: Transport;
  readonly count: number;
  readonly users: number;
}

const SOCKETS_MAX = 10_000;
const POLLS_MAX = 5_000;
const QUEUES_MAX = 100_000;
const OWNERS_OF_QUEUES = 1_000;

function kindsOf(chosen: Values<typeof options>): readonly Kind[] {
  const sockets = Math.min(chosen.sockets, SOCKETS_MAX);
  const polls = Math.min(chosen.polls, POLLS_MAX);
  const queues = Math.min(chosen.queues, QUEUES_MAX);
  const users = Math.min(queues, OWNERS_OF_QUEUES);
  const kinds: readonly Kind[] = [
    { name: `${queues} detached queues`, transport: 'detached', count: queues, users },
    { name: `${sockets} open sockets`, transport: 'socket', count: sockets, users: sockets },
    { name: `${polls} parked polls`, transport: 'poll', count: polls, users: polls },
  ];
  return kinds.filter(({ count }) => count > 0);
}

// As much memory as first use needs (compiled code, pools of the allocator) is taken before the
// first reading: this part of the listeners comes and stays before it.
const WARM_UP_PART = 0.2;

const FRAME_BYTES = 500;
const KB = 1024;
const MB = 1024 * 1024;

async function measured(context: Idle, kind: Kind, name: 'confab' | 'floor'): Promise<void> {
  const { setting, doing } = context;
  doing(`${kind.name}: ${name} starts`);
  const shape = { size: kind.users };
  const sizes = { frameBytes: FRAME_BYTES, bodyBytes: FRAME_BYTES, hasInspector: true };
  const subject = await (name === 'confab'
    ? confabSubject(setting, shape, { hasInspector: true })
    : floorSubject(setting, shape, sizes));
  const inspector = await openInspector(subject.server.inspectorUrl);
  try {
    const pid = subject.pids.server;
    if (pid === undefined) throw new Error('the server has no process');
    if (kind.transport === 'detached') await readIdle(context, { subject, inspector, pid, kind });
    await readGrowth(context, { subject, inspector, pid, kind });
    await check(subject, context, kind.name);
  } finally {
    inspector.close();
    await subject.stop();
  }
}

interface Reading {
  readonly subject: Subject;
  readonly inspector: Inspector;
  readonly pid: number;
  readonly kind: Kind;
}

async function readIdle({ measure }: Idle, { subject, inspector, pid, kind }: Reading) {
  await measure({
    case: `${kind.users} users, nobody connected`,
    server: subject.server.name,
    pids: subject.pids,
    run: () => settled(pid, inspector),
    figures: (bytes) => ({ resident: bytes / MB }),
  });
}

async function readGrowth(
  { options: { seconds }, measure }: Idle,
  { subject, inspector, pid, kind }: Reading,
): Promise<void> {
  const plans = plansFor(subject, kind);
  const first = Math.floor(plans.length * WARM_UP_PART);
  const count = plans.length - first;
  await attach(subject, plans.slice(0, first));
  const residentBefore = await settled(pid, inspector);
  const heapBefore = await inspector.heapBytes();
  await measure({
    case: {
      name: kind.name,
      at: { axis: 'connections or queues', curve: kind.transport, value: plans.length },
    },
    server: subject.server.name,
    pids: subject.pids,
    run: async () => {
      await attach(subject, plans.slice(first));
      const resident = await settled(pid, inspector);
      const heap = await inspector.heapBytes();
      const cpuBefore = cpuSeconds(pid);
      await delay(seconds * 1000);
      return { resident, heap, cpuSeconds: cpuSeconds(pid) - cpuBefore };
    },
    figures: ({ resident, heap, cpuSeconds: used }) => ({
      'resident each': (resident - residentBefore) / count / KB,
      'heap each': (heap - heapBefore) / count / KB,
      'CPU each': (used * 1e6) / seconds / plans.length,
    }),
  });
}

function plansFor({ audience }: Subject, { transport, count }: Kind): readonly ListenerPlan[] {
  const plans = audience.listeners(transport);
  const copies = Math.ceil(count / plans.length);
  return Array.from({ length: copies }, () => plans)
    .flat()
    .slice(0, count);
}

// Memory is handed back in the background; a reading counts once two of them agree.
const READING_EVERY_MS = 300;
const READINGS_MAX = 20;
const AGREEMENT_BYTES = 64 * 1024;

/** What is resident once nothing is collected any more. */
async function settled(pid: number, inspector: Inspector): Promise<number> {
  let last = Number.POSITIVE_INFINITY;
  for (let reading = 0; reading < READINGS_MAX; reading++) {
    await inspector.collectGarbage();
    await delay(READING_EVERY_MS);
    const now = residentBytes(pid);
    if (Math.abs(now - last) <= AGREEMENT_BYTES) return now;
    last = now;
  }
  return last;
}
