import { setTimeout as delay } from 'node:timers/promises';
import { settled } from '../fixtures/resting.ts';
import {
  attach,
  baselineSubject,
  check,
  confabSubject,
  type Subject,
} from '../fixtures/subject.ts';
import type { ListenerPlan, Transport } from '../load/listen.ts';
import { type Inspector, openInspector } from '../servers/inspector.ts';
import { cpuSeconds, residentBytes } from '../servers/process-usage.ts';
import { benchmark, lower } from '../suite/benchmark.ts';
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
  'resident each': lower(
    'KB',
    'How much the process grew for each, garbage collected before each reading; of confab its queue is in it.',
  ),
  'heap each': lower('KB', 'The part of it that lives in JavaScript and its buffers.'),
  'CPU each': lower(
    'µs/s',
    'CPU time in a second in which nothing happens, for each that is there by then.',
  ),
  resident: lower('MB', 'The whole process, garbage collected, before anybody connects.'),
};

type Idle = Context<Values<typeof options>, keyof typeof metrics>;

export const idle = benchmark({
  name: 'idle',
  summary: 'memory and CPU of an open socket, a parked poll and a detached queue',
  description:
    'A fresh server. Queues, then sockets, then polls come and stay, a part of each kind before the reading that it is held against, so that what first use needs is not counted; then nothing happens. The baseline holds as many bare sockets and parked responses.',
  elsewhere: 'idle reads the memory of the server, which it cannot of one elsewhere.',
  options,
  metrics,
  targets: [
    {
      name: 'memory of an open socket',
      metric: 'resident each',
      case: /open sockets$/,
      against: { server: 'baseline' },
      by: 'difference',
      // The socket's queue is an actor (docs/decisions/0146).
      atMost: 5,
    },
    {
      name: 'memory of a parked poll',
      metric: 'resident each',
      case: /parked polls$/,
      against: { server: 'baseline' },
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
    const coming = sockets / 800 + polls / 800 + queues / 2000;
    return SETTING_UP_SECONDS + 5 * (1 + seconds) + repeats * coming;
  },
  run: async (context) => {
    const kinds = kindsOf(context.options);
    const bare = kinds.filter(({ transport }) => transport !== 'detached');
    const isIdleRead = kinds.length > 0 ? 1 : 0;
    context.expect(context.setting.repeats * (isIdleRead + kinds.length + bare.length));
    // All at once: memory is no less for what else runs.
    await Promise.all(
      Array.from({ length: context.setting.repeats }, () =>
        Promise.all([
          measureServer(context, 'confab', kinds),
          measureServer(context, 'baseline', bare),
        ]),
      ),
    );
  },
});

const SETTING_UP_SECONDS = 6;

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

const KB = 1024;
const MB = 1024 * 1024;

async function measureServer(
  context: Idle,
  name: 'confab' | 'baseline',
  kinds: readonly Kind[],
): Promise<void> {
  if (kinds.length === 0) return;
  const { setting, doing } = context;
  doing(`${name} starts`);
  const shape = { size: Math.max(...kinds.map(({ users }) => users)) };
  const subject = await (name === 'confab'
    ? confabSubject(setting, shape, { hasInspector: true })
    : baselineSubject(setting, shape, { hasInspector: true }));
  const inspector = await openInspector(subject.server.inspectorUrls?.[0]);
  const pid = subject.pids.server;
  if (pid === undefined) throw new Error('the server has no process');
  const reading = { subject, inspector, pid };
  if (name === 'confab') await readIdle(context, reading, shape.size);
  let before = 0;
  for (const kind of kinds) {
    await readGrowth(context, reading, { ...kind, before });
    before += kind.count;
  }
  await check(subject, context, 'idle');
}

interface Reading {
  readonly subject: Subject;
  readonly inspector: Inspector;
  readonly pid: number;
}

async function readIdle(
  { measure }: Idle,
  { subject, inspector, pid }: Reading,
  users: number,
): Promise<void> {
  await measure({
    case: `${users} users, nobody connected`,
    server: subject.server.name,
    pids: subject.pids,
    run: () => settled([inspector], () => residentBytes(pid)),
    figures: (bytes) => ({ resident: bytes / MB }),
  });
}

interface Joining extends Kind {
  /** The number of connections or queues of other kinds that are there already. */
  readonly before: number;
}

async function readGrowth(
  { options: { seconds }, measure, doing }: Idle,
  { subject, inspector, pid }: Reading,
  kind: Joining,
): Promise<void> {
  doing(`${kind.name} come`);
  const plans = plansFor(subject, kind);
  const first = Math.floor(plans.length * WARM_UP_PART);
  const count = plans.length - first;
  await attach(subject, plans.slice(0, first));
  const resident = () => settled([inspector], () => residentBytes(pid));
  const residentBefore = await resident();
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
      const bytes = await resident();
      const heap = await inspector.heapBytes();
      const cpuBefore = cpuSeconds(pid);
      await delay(seconds * 1000);
      return { bytes, heap, cpuSeconds: cpuSeconds(pid) - cpuBefore };
    },
    figures: ({ bytes, heap, cpuSeconds: used }) => ({
      'resident each': (bytes - residentBefore) / count / KB,
      'heap each': (heap - heapBefore) / count / KB,
      'CPU each': (used * 1e6) / seconds / (kind.before + plans.length),
    }),
  });
}

function plansFor(
  { audience }: Subject,
  { transport, count, users }: Kind,
): readonly ListenerPlan[] {
  const plans = audience.listeners(transport).slice(0, users);
  const copies = Math.ceil(count / plans.length);
  return Array.from({ length: copies }, () => plans)
    .flat()
    .slice(0, count);
}
