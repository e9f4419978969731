import { OPERATIONS, type OperationName } from '../fixtures/operations.ts';
import { openSizedRealm } from '../fixtures/sized-realm.ts';
import { openFixture } from '../fixtures/subject.ts';
import type { Called } from '../load/api.ts';
import { benchmark, lower, WITHIN_99 } from '../suite/benchmark.ts';
import { type EncodedLatencies, newLatencies, summaryOf } from '../suite/latencies.ts';
import { number, numbers, words } from '../suite/options.ts';

const NAMES = Object.keys(OPERATIONS) as readonly OperationName[]; // each of the record

const options = {
  sizes: numbers({
    meaning: 'users, topics or messages of the realm',
    default: [100, 1000, 10_000],
    quick: [50, 200],
  }),
  only: words(NAMES, {
    meaning: `any of ${NAMES.join(', ')}`,
    default: ['register', 'presence', 'topics', 'edit'],
    quick: NAMES,
  }),
  seconds: number({ meaning: 'of each measurement', default: 0.4, quick: 0.2 }),
};

const metrics = {
  'server time': lower('ms', 'CPU time of all threads of the server for one request.'),
  'reply p50': lower('ms', 'From the request to its answer, one at a time: half are within it.'),
  'reply p99': WITHIN_99,
  answer: lower('KB', 'How long the answer is.'),
};

export const register = benchmark({
  name: 'register',
  summary: 'a registration, and what is asked for most besides sending, by the size of the realm',
  description:
    'One request at a time, on a realm of a size: a registration with everything (users, in 200 channels, five each), a presence delta, the topics of a channel, a flag on a range of messages, an edit, a reaction. There is no baseline: what counts is how the cost grows.',
  elsewhere: true,
  options,
  metrics,
  targets: [
    {
      name: 'a registration with 10,000 users',
      metric: 'server time',
      case: /^register, 10000 /,
      atMost: 50,
    },
    { name: 'a presence delta', metric: 'server time', case: /^presence, /, atMost: 1 },
  ],
  seconds: ({ sizes, only, seconds }, repeats) =>
    sizes.reduce((sum, size) => sum + 3 + only.length * (repeats * seconds + size / 4000), 0),
  run: async ({ options: chosen, setting, expect, doing, measure, note }) => {
    const isElsewhere = setting.remote !== undefined;
    if (isElsewhere) note('Left out: presence, which bots do not have.');
    const names = chosen.only.filter((name) => !(isElsewhere && name === 'presence'));
    const realms = realmsOf(chosen.sizes, names);
    expect(realms.flatMap(({ runs }) => runs).length * setting.repeats);
    for (const { users, runs } of realms) {
      doing(`a realm of ${users} users`);
      const { server, place } = await openFixture(setting);
      const realm = await openSizedRealm(place, users);
      for (const { name, size } of runs) {
        const { of, prepare } = OPERATIONS[name];
        doing(`${name}: ${size} ${of}`);
        const asking = await warmUp(await prepare(realm, size));
        for (let repeat = 0; repeat < setting.repeats; repeat++) {
          await measure({
            case: {
              name: `${name}, ${size} ${of}`,
              at: { axis: 'size', curve: name, value: size },
            },
            server: 'confab',
            pids: { server: server.pid, generator: process.pid },
            run: () => askFor(asking, chosen.seconds),
            figures: ({ count, bytes, times }, usage) => ({
              'server time': usage.server && (usage.server.cpuSeconds * 1000) / count,
              'reply p50': summaryOf(times).p50Ms,
              'reply p99': summaryOf(times).p99Ms,
              answer: bytes / 1024,
            }),
            latencies: ({ times }) => ({ reply: times }),
          });
        }
      }
      await server.stop();
    }
  },
});

/** One for each size: all operations have it one after the other. */
interface Realm {
  readonly users: number;
  readonly runs: readonly { readonly name: OperationName; readonly size: number }[];
}

function realmsOf(sizes: readonly number[], names: readonly OperationName[]): readonly Realm[] {
  const sizeIn = (name: OperationName, size: number) =>
    Math.min(size, OPERATIONS[name].sizeMax ?? SIZE_MAX);
  const hasUsers = names.some((name) => OPERATIONS[name].needsUsers);
  const all = [
    ...new Set(sizes.map((size) => Math.max(...names.map((name) => sizeIn(name, size))))),
  ];
  return all.map((size) => ({
    users: hasUsers ? size : 1,
    runs: names
      .map((name) => ({ name, size: sizeIn(name, size) }))
      // It has that size in another realm.
      .filter((run) => run.size === size || !all.includes(run.size)),
  }));
}

const SIZE_MAX = 10_000;
const WARM_UP_CALLS = 5;

interface Asking {
  readonly call: (n: number) => Promise<Called>;
  /** The n-th of its kind, over all repeats. */
  next: number;
}

async function warmUp(call: Asking['call']): Promise<Asking> {
  const asking = { call, next: 0 };
  while (asking.next < WARM_UP_CALLS) await call(asking.next++);
  return asking;
}

interface Asked {
  readonly count: number;
  readonly bytes: number;
  readonly times: EncodedLatencies;
}

/** One after the other, for so long. */
async function askFor(asking: Asking, seconds: number): Promise<Asked> {
  const times = newLatencies();
  const endMs = performance.now() + seconds * 1000;
  let count = 0;
  let bytes = 0;
  while (performance.now() < endMs) {
    const called = await asking.call(asking.next++);
    bytes = called.bytes;
    count += 1;
    times.record(called.ms);
  }
  return { count, bytes, times: times.encoded() };
}
