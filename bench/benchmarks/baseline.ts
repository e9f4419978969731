import { setFrames } from '../fixtures/shared.ts';
import { attach, baselineSubject, check } from '../fixtures/subject.ts';
import { compareLoops } from '../fixtures/under-load.ts';
import { warmSends } from '../fixtures/warm-up.ts';
import { openBarePuts } from '../servers/bare-puts.ts';
import { OWN_PIDS } from '../stores/in-process.ts';
import { benchmark, higher, lower, WITHIN_99 } from '../suite/benchmark.ts';
import type { Context } from '../suite/context.ts';
import { summaryOf } from '../suite/latencies.ts';
import { number, numbers, type Values } from '../suite/options.ts';

const options = {
  listeners: number({ meaning: 'sockets, then polls', default: 1000, quick: 50 }),
  'in-flight': numbers({ meaning: 'messages under way at once', default: [1, 16], quick: [1] }),
  puts: numbers({ meaning: 'puts under way at once', default: [1, 64, 512], quick: [1, 64] }),
  'row-bytes': number({ meaning: 'bytes of each of the two rows of a put', default: 500 }),
  seconds: number({ meaning: 'of each measurement', default: 0.4, quick: 0.3 }),
};

const metrics = {
  'deliveries per core-second': higher(
    '/s',
    'Messages that reached a listener, for each second of CPU time of the bare server.',
  ),
  'puts per second': higher('/s', 'Pairs of rows that were synced to disk, on the clock.'),
  'put p50': lower('ms', 'Until a pair is on disk: half are within.'),
  'put p99': WITHIN_99,
};

type Baseline = Context<Values<typeof options>, keyof typeof metrics>;

export const baseline = benchmark({
  name: 'baseline',
  summary: 'the practical limits of this machine, without confab',
  description:
    'One publish of bare uWebSockets.js to many sockets, of all messages that are under way; as many parked responses; and awaited puts of bare LMDB: what a server on these libraries cannot do better than. The other benchmarks measure their baselines by turns with confab; this one tells them apart.',
  elsewhere: 'baseline measures this machine; there is nothing of it elsewhere.',
  options,
  metrics,
  targets: [],
  seconds: (chosen, repeats) => {
    const cases = 2 * chosen['in-flight'].length + chosen.puts.length;
    return 4 + repeats * cases * (chosen.seconds + 0.1);
  },
  run: async (context) => {
    const { options: chosen, setting, expect } = context;
    expect((2 * chosen['in-flight'].length + chosen.puts.length) * setting.repeats);
    await measureDeliveries(context, 'socket');
    await measureDeliveries(context, 'poll');
    await measurePuts(context);
  },
});

async function measureDeliveries(context: Baseline, transport: 'socket' | 'poll'): Promise<void> {
  const { options: chosen, setting } = context;
  const size = chosen.listeners;
  const subject = await baselineSubject(setting, { size });
  await warmSends(subject, setting);
  await attach(subject, transport);
  for (const inFlight of chosen['in-flight']) {
    await setFrames([subject], { events: inFlight });
    await compareLoops(context, [subject], {
      case: `${size} ${transport}s, W = ${inFlight}`,
      loop: { inFlight, seconds: chosen.seconds, until: 'delivered' },
      figures: ({ messageCount }, { server }) => ({
        'deliveries per core-second': server && (messageCount * size) / server.cpuSeconds,
      }),
    });
  }
  await check(subject, context, `${transport}s`);
}

async function measurePuts({
  options: { puts, seconds, ...chosen },
  setting,
  measure,
}: Baseline): Promise<void> {
  const bare = openBarePuts();
  for (const inFlight of puts) {
    const put = { rowBytes: chosen['row-bytes'], inFlight, seconds };
    await bare.run(put);
    for (let repeat = 0; repeat < setting.repeats; repeat++) {
      await measure({
        case: {
          name: `${inFlight} puts in flight`,
          at: { axis: 'puts in flight', curve: 'LMDB', value: inFlight },
        },
        server: 'baseline',
        pids: OWN_PIDS,
        run: () => bare.run(put),
        figures: ({ count, elapsedSeconds, times }) => ({
          'puts per second': count / elapsedSeconds,
          'put p50': summaryOf(times).p50Ms,
          'put p99': summaryOf(times).p99Ms,
        }),
        latencies: ({ times }) => ({ put: times }),
      });
    }
  }
}
