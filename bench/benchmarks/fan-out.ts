import type { Shape, Transports } from '../fixtures/audience.ts';
import { allowedSizes } from '../fixtures/connections.ts';
import { type SharedServer, setFrames, sharedBaseline, sharedConfab } from '../fixtures/shared.ts';
import { check, loaded, type Subject } from '../fixtures/subject.ts';
import { DELIVERIES, deliveriesTo, underLoad } from '../fixtures/under-load.ts';
import { warmCase } from '../fixtures/warm-up.ts';
import { benchmark, lower, WITHIN_99 } from '../suite/benchmark.ts';
import type { Context, Setting } from '../suite/context.ts';
import { summaryOf } from '../suite/latencies.ts';
import { number, numbers, type Values, words } from '../suite/options.ts';
import { alternating, median } from '../suite/statistics.ts';

const VARIATIONS = ['mixed', 'msgpack', 'forms-1', 'forms-10', 'mentions', 'all-at-once'] as const;

const DURABLE_BASELINE = 'durable baseline';

const options = {
  sizes: numbers({
    meaning: 'sockets of one channel; fewer than 50 and more than 5000 at one W alone',
    default: [10, 100, 1000, 5000, 10_000],
    quick: [50],
  }),
  polls: numbers({
    meaning: 'long-polls of one channel; 5000 at most',
    default: [100, 1000, 5000],
    quick: [50],
  }),
  'in-flight': numbers({
    meaning: 'messages under way at once',
    default: [1, 4, 16],
    quick: [1, 4],
  }),
  variations: words(VARIATIONS, {
    meaning: `of the sockets, any of ${VARIATIONS.join(', ')}`,
    default: VARIATIONS,
  }),
  'varied-size': number({ meaning: 'listeners of a variation', default: 1000, quick: 50 }),
  rates: numbers({
    meaning: 'planned sends a second; 0 is half of the full rate',
    default: [10, 50, 0],
    quick: [10, 0],
  }),
  'rated-size': number({ meaning: 'sockets that planned sends go to', default: 1000, quick: 50 }),
  seconds: number({ meaning: 'of each measurement in a closed loop', default: 0.3, quick: 0.5 }),
  'rated-seconds': number({ meaning: 'of planned sends', default: 1.3, quick: 1 }),
};

const metrics = {
  ...DELIVERIES,
  'delivery p50': lower(
    'ms',
    'From the time a send was planned to the last of its deliveries: half are within it.',
  ),
  'delivery p99': WITHIN_99,
  'reply p50': lower(
    'ms',
    'From the time a send was planned to the answer that its sender got: half are within it.',
  ),
  'reply p99': WITHIN_99,
};

type FanOut = Context<Values<typeof options>, keyof typeof metrics>;

export const fanOut = benchmark({
  name: 'fan-out',
  summary: 'one channel and many listeners, by socket and by long-poll',
  description:
    'One channel, to which everybody listens. W messages are under way at once: the next is sent when all listeners have the last. Then sends at planned times, whether or not those before have arrived. The baseline is one publish of bare uWebSockets.js to the same sockets, or as many parked responses; it stores nothing, and waits until W messages are there, so that one write carries them all to a listener: no server could write less often. Up to 1,000 sockets are held against a durable baseline as well, which awaits two puts into LMDB before.',
  elsewhere: true,
  options,
  metrics,
  targets: [
    {
      name: 'sockets, W = 1 and 4, of a bare publish',
      metric: 'deliveries per core-second',
      case: /^(100|1000|5000) sockets, W = (1|4)$/,
      against: { server: 'baseline' },
      atLeast: 0.85,
    },
    {
      name: 'sockets, W = 16, of a bare publish',
      metric: 'deliveries per core-second',
      case: /^(100|1000|5000) sockets, W = 16$/,
      against: { server: 'baseline' },
      atLeast: 0.75,
    },
    {
      name: '10 % mentioned and three forms, of a bare publish',
      metric: 'deliveries per core-second',
      case: /^\d+ sockets, 10 % mentioned, three forms, W = /,
      against: { server: 'baseline' },
      atLeast: 0.7,
    },
    {
      name: 'sockets, of a durable publish',
      metric: 'deliveries per core-second',
      case: /^(100|1000) sockets, W = /,
      against: { server: DURABLE_BASELINE },
      atLeast: 0.9,
    },
    {
      name: 'polls, of bare parked responses',
      metric: 'deliveries per core-second',
      case: /^(100|1000|5000) polls, W = /,
      against: { server: 'baseline' },
      atLeast: 0.75,
    },
    {
      name: 'p99 at planned times',
      metric: 'delivery p99',
      case: / sends\/s$|half of the full rate$/,
      against: { server: 'baseline' },
      atMost: 1.3,
    },
    {
      name: 'the answer to the sender, beside a commit and an answer',
      metric: 'reply p50',
      case: / sends\/s$|half of the full rate$/,
      against: { server: DURABLE_BASELINE },
      by: 'difference',
      atMost: 1,
    },
  ],
  seconds: (chosen, repeats) => {
    const groups = groupsOf(chosen);
    const loops = groups.flatMap(({ inFlight }) => inFlight).length;
    const stored = groups
      .filter(({ isBesideStoring }) => isBesideStoring)
      .flatMap(({ inFlight }) => inFlight).length;
    const listeners = groups.reduce((sum, { shape }) => sum + shape.size, 0);
    const rated = chosen.rates.length * chosen['rated-seconds'];
    const measured = repeats * (chosen.seconds * (2 * loops + stored) + 3 * rated);
    return SETTING_UP_SECONDS + groups.length * GROUP_SECONDS + listeners / 900 + measured;
  },
  run: async (context) => {
    const { options: chosen, setting, expect } = context;
    const groups = groupsOf({
      ...chosen,
      sizes: allowedSizes(chosen.sizes, context),
      polls: allowedSizes(chosen.polls, context),
    });
    const isAlone = setting.remote !== undefined;
    const steps = groups.map(({ inFlight, rates, isBesideStoring }) =>
      isAlone
        ? inFlight.length + rates.length
        : (inFlight.length + rates.length) * (isBesideStoring ? 3 : 2),
    );
    expect(steps.reduce((sum, count) => sum + count, 0) * setting.repeats);
    const servers = await openServers(context, groups);
    // With few listeners a message is mostly a commit, so the server has had many commits by then.
    const largestFirst = groups.toSorted((one, other) => other.shape.size - one.shape.size);
    for (const group of largestFirst) await measureGroup(context, group, servers);
  },
});

/** Listeners of one kind, and what is measured of them. */
interface Group {
  readonly name: string;
  readonly transport: Transports;
  readonly shape: Shape;
  readonly inFlight: readonly number[];
  readonly rates: readonly number[];
  /** Also held against a baseline that stores each message before it delivers it. */
  readonly isBesideStoring?: boolean;
}

const SETTING_UP_SECONDS = 12;
const GROUP_SECONDS = 2;
const POLLS_MAX = 5_000;
/** Up to so many sockets storing is a good part of what a message costs. */
const BESIDE_STORING_MAX = 1_000;
/** One number of messages under way is enough for other numbers of sockets. */
const ALL_IN_FLIGHT_MIN = 50;
const ALL_IN_FLIGHT_MAX = 5_000;
const hasAllInFlight = (size: number) => size >= ALL_IN_FLIGHT_MIN && size <= ALL_IN_FLIGHT_MAX;
/** Nor are a few messages to so many counted well in the ticks of CPU time. */
const LARGE_SECONDS_FACTOR = 3;

function groupsOf(chosen: Values<typeof options>): readonly Group[] {
  const { sizes, polls, variations, rates } = chosen;
  const inFlight = chosen['in-flight'];
  const ratedSize = rates.length > 0 ? chosen['rated-size'] : undefined;
  const unrated =
    ratedSize === undefined || sizes.includes(ratedSize)
      ? []
      : [socketsOf({ size: ratedSize, inFlight: [], rates })];
  return [
    ...sizes.map((size) =>
      socketsOf({
        size,
        inFlight: hasAllInFlight(size) ? inFlight : middleOf(inFlight),
        rates: size === ratedSize ? rates : [],
      }),
    ),
    ...unrated,
    ...polls.map((size): Group => {
      const shape = { size: Math.min(size, POLLS_MAX) };
      return { name: `${shape.size} polls`, transport: 'poll', shape, inFlight, rates: [] };
    }),
    ...variations.map((variation) => variationOf(variation, chosen)),
  ];
}

/** The second of several, as 4 of 1, 4 and 16. */
const middleOf = (inFlight: readonly number[]) => inFlight.slice(0, 2).slice(-1);

const socketsOf = ({
  size,
  ...measured
}: Pick<Group, 'inFlight' | 'rates'> & { readonly size: number }): Group => ({
  name: `${size} sockets`,
  transport: 'socket',
  shape: { size },
  isBesideStoring: size <= BESIDE_STORING_MAX,
  ...measured,
});

const SHAPES: Readonly<
  Record<(typeof VARIATIONS)[number], { name: string; transport: Transports; of: Partial<Shape> }>
> = {
  mixed: { name: 'listeners, half sockets and half polls', transport: 'mixed', of: {} },
  msgpack: { name: 'sockets, msgpack', transport: 'socket', of: { encoding: 'msgpack' } },
  'forms-1': {
    name: 'sockets, 1 % want other forms',
    transport: 'socket',
    of: { otherForms: 0.01 },
  },
  'forms-10': {
    name: 'sockets, 10 % want other forms',
    transport: 'socket',
    of: { otherForms: 0.1 },
  },
  mentions: { name: 'sockets, 10 % mentioned', transport: 'socket', of: { mentioned: 0.1 } },
  'all-at-once': {
    name: 'sockets, 10 % mentioned, three forms',
    transport: 'socket',
    of: { mentioned: 0.1, otherForms: 0.1 },
  },
};

function variationOf(
  variation: (typeof VARIATIONS)[number],
  chosen: Values<typeof options>,
): Group {
  const { name, transport, of } = SHAPES[variation];
  const size = chosen['varied-size'];
  // Each variation is measured with some messages under way; all of them together have targets.
  const inFlight =
    variation === 'all-at-once' ? chosen['in-flight'] : middleOf(chosen['in-flight']);
  return { name: `${size} ${name}`, transport, shape: { size, ...of }, inFlight, rates: [] };
}

/**
 * One server of each kind has all groups one after the other, as a server that runs for days would.
 */
async function openServers(
  { setting, doing }: FanOut,
  groups: readonly Group[],
): Promise<readonly SharedServer[]> {
  const sizeMax = Math.max(0, ...groups.map(({ shape }) => shape.size));
  doing('the servers start');
  const confab = sharedConfab(setting, sizeMax);
  if (setting.remote !== undefined) return [await confab];
  const isStored = groups.some(({ isBesideStoring }) => isBesideStoring);
  return await Promise.all([
    confab,
    sharedBaseline(setting),
    ...(isStored ? [sharedBaseline(setting, { isDurable: true })] : []),
  ]);
}

async function measureGroup(
  context: FanOut,
  group: Group,
  servers: readonly SharedServer[],
): Promise<void> {
  const { setting, doing } = context;
  doing(`${group.name} come`);
  const own = servers.filter(({ name }) => group.isBesideStoring || name !== DURABLE_BASELINE);
  const subjects = await Promise.all(own.map(({ admit }) => admit(group.shape, group.transport)));
  await sizeLikeConfab(subjects);
  await warm(subjects, setting, group);
  const fullRate = await closedLoops(context, group, subjects);
  await plannedSends(context, { group, subjects, fullRate });
  for (const subject of subjects) await check(subject, context, group.name);
  await Promise.all(subjects.map(({ leave }) => leave()));
}

/** Baselines get events as long as those that confab sends in this group. */
async function sizeLikeConfab([confab, ...baselines]: readonly Subject[]) {
  if (confab === undefined || baselines.length === 0) return;
  // One under way: a frame of one event alone.
  const frames = { inFlight: 1, until: 'delivered', messages: FRAMES, seconds: 1 } as const;
  await loaded(confab, confab.load.ask('closedLoop', frames));
  const { singleEventBytes } = await confab.load.ask('verdict', null);
  await setFrames(baselines, { event_bytes: singleEventBytes });
}

/** A few, of which the longest counts. */
const FRAMES = 12;

/** The servers are warm: this is for what belongs to the group alone, and for the load. */
async function warm(subjects: readonly Subject[], setting: Setting, { inFlight }: Group) {
  const most = Math.max(1, ...inFlight);
  await setFrames(subjects.slice(1), { events: most });
  for (const subject of subjects) {
    await warmCase(subject, setting, { inFlight: most, until: 'delivered' });
  }
}

/** Gives how many messages a second confab delivered with the most under way. */
async function closedLoops(
  { options, setting, measure }: FanOut,
  { name, shape, inFlight }: Group,
  subjects: readonly Subject[],
): Promise<number> {
  const seconds = options.seconds * (shape.size > ALL_IN_FLIGHT_MAX ? LARGE_SECONDS_FACTOR : 1);
  let fullRate = 0;
  for (const w of inFlight) {
    await setFrames(subjects.slice(1), { events: w });
    const loop = { inFlight: w, until: 'delivered' } as const;
    const rates: number[] = [];
    for (const subject of alternating(subjects, setting.repeats)) {
      const result = await measure({
        case: { name: `${name}, W = ${w}`, at: pointOf(name, shape, w) },
        ...underLoad(subject, 'closedLoop', { ...loop, seconds }),
        figures: (result, usage) => deliveriesTo(shape.size, result, usage),
      });
      if (subject.server.name === 'confab') rates.push(result.messageCount / result.elapsedSeconds);
    }
    fullRate = Math.max(fullRate, median(rates));
  }
  return fullRate;
}

/** Sockets and polls are curves of plots of their own. */
function pointOf(name: string, { size }: Shape, w: number) {
  return { axis: name.slice(`${size} `.length), curve: `W = ${w}`, value: size };
}

interface Planned {
  readonly group: Group;
  readonly subjects: readonly Subject[];
  readonly fullRate: number;
}

async function plannedSends(
  { options, setting, measure }: FanOut,
  { group: { name, rates }, subjects, fullRate }: Planned,
): Promise<void> {
  const seconds = options['rated-seconds'];
  await setFrames(subjects.slice(1), { events: 1 });
  for (const rate of rates) {
    const perSecond = rate === 0 ? Math.max(1, fullRate / 2) : rate;
    const what = rate === 0 ? 'half of the full rate' : `${rate} sends/s`;
    for (const subject of alternating(subjects, setting.repeats)) {
      await measure({
        case: `${name}, ${what}`,
        ...underLoad(subject, 'fixedRate', { perSecond, seconds }),
        figures: ({ reply, delivery }) => ({
          'delivery p50': summaryOf(delivery).p50Ms,
          'delivery p99': summaryOf(delivery).p99Ms,
          'reply p50': summaryOf(reply).p50Ms,
          'reply p99': summaryOf(reply).p99Ms,
        }),
      });
    }
  }
}
