import { setFrames } from '../fixtures/shared.ts';
import {
  attach,
  baselineSubject,
  check,
  confabSubject,
  type Subject,
} from '../fixtures/subject.ts';
import { compareLoops, underLoad } from '../fixtures/under-load.ts';
import { warmCase, warmSends } from '../fixtures/warm-up.ts';
import type { LoadResult, Via } from '../load/send.ts';
import { openBarePuts } from '../servers/bare-puts.ts';
import { OWN_PIDS } from '../stores/in-process.ts';
import { benchmark, higher, lower, WITHIN_99 } from '../suite/benchmark.ts';
import type { Context } from '../suite/context.ts';
import { summaryOf } from '../suite/latencies.ts';
import { noteOfMemory } from '../suite/machine.ts';
import { number, numbers, type Values, words } from '../suite/options.ts';
import { alternating } from '../suite/statistics.ts';
import type { Usage } from '../suite/usage.ts';

const options = {
  'in-flight': numbers({
    meaning: 'sends under way at once, the next one at the reply',
    default: [1, 8, 64, 512],
    quick: [1, 64],
  }),
  via: words(['http', 'socket'], {
    meaning: 'requests over HTTP, and over one socket',
    default: ['http', 'socket'],
  }),
  rates: numbers({
    meaning: 'planned sends a second, over HTTP',
    default: [100, 1000],
    quick: [100],
  }),
  seconds: number({ meaning: 'of each measurement', default: 0.4, quick: 0.5 }),
};

const metrics = {
  'sends per second': higher(
    '/s',
    'Messages that were answered, so on disk, on the clock of this machine.',
  ),
  'sends per core-second': higher(
    '/s',
    'The same for each second of CPU time that all threads of the server used.',
  ),
  'reply p50': lower('ms', 'From when a send was due to its answer: half are within it.'),
  'reply p99': WITHIN_99,
  'delivery p99': lower(
    'ms',
    'From when a send was due to its event at the one socket that listens.',
  ),
};

type Send = Context<Values<typeof options>, keyof typeof metrics>;

export const send = benchmark({
  name: 'send',
  summary: 'durable sends, over HTTP and over a socket',
  description:
    'Messages to one channel, to which one socket listens; each is answered when it is synced to disk, with its event and what else belongs to it. The baseline authenticates, checks the parameters with zod, and awaits two puts of the same bytes in LMDB: the least a durable server can do. Bare LMDB is the puts alone, without a request. What has as many rows is the baseline with short rows beside these two, as many as a send of confab writes: what is left between it and confab is not the store.',
  elsewhere: true,
  options,
  metrics,
  targets: [
    {
      name: 'durable sends over HTTP, of the baseline',
      metric: 'sends per second',
      case: /^http, (64|512) in flight$/,
      against: { server: 'baseline' },
      atLeast: 0.9,
    },
    {
      name: 'durable sends over HTTP',
      metric: 'sends per second',
      case: /^http, 64 in flight$/,
      atLeast: 20_000,
    },
    {
      name: 'one durable send at a time, beside a bare commit',
      metric: 'reply p50',
      case: /^http, 1 in flight$/,
      against: { server: 'bare LMDB' },
      by: 'difference',
      atMost: 1,
    },
  ],
  seconds: (chosen, repeats) => {
    const loops = chosen['in-flight'].length * chosen.via.length;
    const rated = chosen.rates.length * RATED_FACTOR;
    return 3 * (repeats * chosen.seconds * (loops + rated) + 0.4 * loops) + 12;
  },
  run: async (context) => {
    const { options: chosen, setting, expect } = context;
    const cases = chosen['in-flight'].length * chosen.via.length + chosen.rates.length;
    const isOwn = setting.remote === undefined;
    expect(setting.repeats * (isOwn ? 3 * cases + 1 : cases));
    noteOfMemory(context);
    const subjects = await openSubjects(context);
    if (isOwn) await barePuts(context);
    for (const via of chosen.via) {
      for (const w of chosen['in-flight']) {
        await compareLoops(context, subjects, {
          case: caseOf({ via, w }),
          loop: { inFlight: w, seconds: chosen.seconds, until: 'replied', via },
          figures: (result, usage) => ({ ...ratesOf(result, usage), ...timesOf(result) }),
        });
      }
    }
    for (const rate of chosen.rates) await plannedSends(context, subjects, rate);
    for (const subject of subjects) await check(subject, context, 'sends');
  },
});

// A p99 of few sends says little.
const RATED_FACTOR = 2;

async function openSubjects({ setting, doing }: Send): Promise<readonly Subject[]> {
  doing('the servers start');
  const shape = { size: 1 };
  const warm = async (starting: Promise<Subject>) => {
    const subject = await starting;
    await warmSends(subject, setting);
    await attach(subject, 'socket');
    return subject;
  };
  if (setting.remote !== undefined) return [await warm(confabSubject(setting, shape))];
  const durable = { isDurable: true } as const;
  const [confab, ...baselines] = await Promise.all([
    warm(confabSubject(setting, shape)),
    warm(baselineSubject(setting, shape, { ...durable, name: 'baseline' })),
    warm(baselineSubject(setting, shape, { ...durable, name: AS_MANY_ROWS, rows: ROWS_OF_SEND })),
  ]);
  // Frames of one event come at one in flight alone; they are what a baseline's frame should be.
  await warmCase(confab, setting, { inFlight: 1, until: 'replied' });
  const { singleEventBytes } = await confab.load.ask('verdict', null);
  await setFrames(baselines, { event_bytes: singleEventBytes });
  return [confab, ...baselines];
}

/**
 * The rows of a channel message: itself and its event, the lists of its sender, channel and topic,
 * the topic and its participant, and two of the flag by which its sender has read it.
 */
const ROWS_OF_SEND = 9;
const AS_MANY_ROWS = 'as many rows';

/** One at a time, to hold one send at a time against. */
async function barePuts({ options: { seconds }, setting, measure }: Send): Promise<void> {
  const puts = openBarePuts();
  for (let repeat = 0; repeat < setting.repeats; repeat++) {
    await measure({
      case: caseOf({ via: 'http', w: 1 }),
      server: 'bare LMDB',
      pids: OWN_PIDS,
      run: () => puts.run({ rowBytes: ROW_BYTES, inFlight: 1, seconds }),
      figures: ({ count, elapsedSeconds, times }) => ({
        'sends per second': count / elapsedSeconds,
        'reply p50': summaryOf(times).p50Ms,
        'reply p99': summaryOf(times).p99Ms,
      }),
      latencies: ({ times }) => ({ reply: times }),
    });
  }
}

interface Loop {
  readonly via: Via;
  readonly w: number;
}

const caseOf = ({ via, w }: Loop) => ({
  name: `${via}, ${w} in flight`,
  at: { axis: 'sends in flight', curve: via, value: w },
});

/** About as many as an event of a short message. */
const ROW_BYTES = 500;

async function plannedSends(
  { options: { seconds }, setting, measure }: Send,
  subjects: readonly Subject[],
  perSecond: number,
): Promise<void> {
  for (const subject of alternating(subjects, setting.repeats)) {
    const rate = { perSecond, seconds: seconds * RATED_FACTOR };
    await measure({
      case: `http, ${perSecond} sends/s`,
      ...underLoad(subject, 'fixedRate', rate),
      figures: timesOf,
    });
  }
}

const ratesOf = ({ messageCount, elapsedSeconds }: LoadResult, { server }: Usage) => ({
  'sends per second': messageCount / elapsedSeconds,
  'sends per core-second': server && messageCount / server.cpuSeconds,
});

const timesOf = ({ reply, delivery }: LoadResult) => ({
  'reply p50': summaryOf(reply).p50Ms,
  'reply p99': summaryOf(reply).p99Ms,
  'delivery p99': summaryOf(delivery).p99Ms,
});
