import { setTimeout as delay } from 'node:timers/promises';
import { openAttackedRealm } from '../fixtures/attacked-realm.ts';
import type { Place } from '../fixtures/audience.ts';
import { type Others, openOthers } from '../fixtures/others.ts';
import { openFixture } from '../fixtures/subject.ts';
import { temporaryDirectory } from '../servers/belongings.ts';
import { confabCommand } from '../servers/start.ts';
import { benchmark, higher, lower } from '../suite/benchmark.ts';
import type { Context } from '../suite/context.ts';
import { summaryOf } from '../suite/latencies.ts';
import { number, type Values } from '../suite/options.ts';

const options = {
  stored: number({
    meaning: 'messages of 10,000 characters that are backed up',
    default: 5000,
    quick: 500,
  }),
  rate: number({ meaning: 'sends a second', default: 100 }),
};

const metrics = {
  'send p99': lower('ms', 'From the planned time of a send to its answer; 99 in 100 are within.'),
  'longest send': lower('ms', 'The longest of them.'),
  'MB per second': higher(
    'MB/s',
    'Bytes of the backup, by the time from the command to its answer.',
  ),
};

type Backup = Context<Values<typeof options>, keyof typeof metrics>;

const QUIET = 'quiet';
const BACKUP = 'a backup';

export const backup = benchmark({
  name: 'backup',
  summary: 'what sends wait while the whole server is backed up',
  description:
    'Somebody sends at a fixed rate, first to a quiet server and then while it is backed up: the realm of who sends, and another with a store of many long messages. The backup is written to the disk of the data directory, the worst place for who sends.',
  elsewhere: 'the backup is made by the command line, where the data directory is.',
  options,
  metrics,
  targets: [
    {
      name: 'sends during a backup, of quiet ones',
      metric: 'send p99',
      case: /^a backup$/,
      against: { case: QUIET },
      atMost: 5,
    },
  ],
  seconds: ({ stored }, repeats) => 8 + stored / 300 + repeats * (6 + stored / 1000),
  run: async (context) => {
    const { options: chosen, setting, expect, doing } = context;
    expect(setting.repeats * 2);
    const { place, server } = await openFixture(setting);
    doing(`${chosen.stored} long messages`);
    await openAttackedRealm(place, chosen.stored);
    const running = { pid: server.pid, others: await openOthers(place) };
    for (let repeat = 0; repeat < setting.repeats; repeat++) {
      await sendDuring(context, running, QUIET, () => delay(QUIET_MS, undefined));
      await sendDuring(context, running, BACKUP, () => backUp(place));
    }
  },
});

const QUIET_MS = 3_000;
const MEGABYTE = 1_000_000;

interface Running {
  readonly pid: number | undefined;
  readonly others: Others;
}

interface Made {
  readonly bytes: number;
  readonly seconds: number;
}

async function backUp({ data }: Place): Promise<Made> {
  if (data === undefined) throw new Error('a backup is made where the data directory is');
  const to = temporaryDirectory();
  const startMs = performance.now();
  try {
    const [made] = await confabCommand(data, ['backup', 'create', '--to', to.path]);
    return { bytes: Number(made?.['bytes']), seconds: (performance.now() - startMs) / 1000 };
  } finally {
    to.remove();
  }
}

const sendDuring = (
  { measure, options: { rate } }: Backup,
  { pid, others }: Running,
  name: string,
  work: () => Promise<Made | undefined>,
) =>
  measure({
    case: name,
    server: 'confab',
    pids: { server: pid, generator: process.pid },
    run: () => others.sendDuring({ perSecond: rate, besideMs: 0 }, work),
    figures: ({ result: made, times }) => ({
      'send p99': summaryOf(times).p99Ms,
      'longest send': summaryOf(times).maxMs,
      'MB per second': made && made.bytes / MEGABYTE / made.seconds,
    }),
    latencies: ({ times }) => ({ send: times }),
  });
