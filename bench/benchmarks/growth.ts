import { cp } from 'node:fs/promises';
import type { Content } from '../load/contents.ts';
import { temporaryDirectory } from '../servers/belongings.ts';
import type { DemoUser } from '../servers/demo.ts';
import { startConfab } from '../servers/start.ts';
import { type Audience, createAudience, subscribe } from '../stage/audience.ts';
import {
  attach,
  check,
  contentOf,
  loaded,
  openStage,
  type Subject,
  say,
  subject,
} from '../stage/subject.ts';
import { WARM_UP_CHANNEL, warmCase, warmSends } from '../stage/warm-up.ts';
import { grow, grownChannel } from '../stores/growth-store.ts';
import { storeMessages } from '../stores/in-process.ts';
import { benchmark } from '../suite/benchmark.ts';
import type { Context } from '../suite/context.ts';
import { summaryOf } from '../suite/latencies.ts';
import { number, numbers, type Values } from '../suite/options.ts';
import { alternating } from '../suite/statistics.ts';

const options = {
  channels: numbers({
    meaning: 'of the realm; the sends go to 10 of them, then to all by turns',
    default: [10, 10_000],
    quick: [10, 40],
  }),
  'stored-messages': numbers({
    meaning: 'in the channel that is sent to; a million take about three minutes to make',
    default: [1_000, 100_000],
    quick: [500, 1_000],
  }),
  users: numbers({
    meaning: 'subscribers of the channel',
    default: [10, 10_000],
    quick: [10, 40],
  }),
  log: numbers({ meaning: 'events in the log', default: [1_000, 100_000], quick: [100, 1_000] }),
  queues: numbers({
    meaning: 'detached queues of other subscribers',
    default: [100, 100_000],
    quick: [10, 200],
  }),
  'in-flight': number({ meaning: 'sends under way at once', default: 8 }),
  seconds: number({ meaning: 'of each measurement', default: 0.8, quick: 0.5 }),
};

const KINDS = ['channels', 'messages', 'users', 'log', 'queues'] as const;
type Kind = (typeof KINDS)[number];

const sizesOf = (chosen: Values<typeof options>, kind: Kind): readonly number[] =>
  kind === 'messages' ? chosen['stored-messages'] : chosen[kind];

const metrics = {
  'CPU per send': {
    unit: 'µs',
    better: 'lower',
    meaning: 'CPU time of all threads of the server for one durable send, heard by one socket.',
  },
  'reply p50': {
    unit: 'ms',
    better: 'lower',
    meaning: 'From a send to the answer that its sender got: half are within it.',
  },
} as const;

type Growth = Context<Values<typeof options>, keyof typeof metrics>;

const COUNTED: Readonly<Record<Kind, string>> = {
  channels: 'channels',
  messages: 'messages',
  users: 'users',
  log: 'events in the log',
  queues: 'detached queues',
};

const sizeName = (kind: Kind, size: number) => `${size} ${COUNTED[kind]}`;

/** Of many channels the same ten are written to, as of a realm at any moment, or all by turns. */
const BUSY_CHANNELS = 10;
const BUSY = `, ${BUSY_CHANNELS} written to`;
const BY_TURNS = ', all written to by turns';

/** Ten percent more is what repeats differ by. */
const FLAT = 1.1;

interface Marked {
  readonly kind: Kind;
  readonly from: number;
  readonly to: number;
  readonly written?: string;
}

/** The largest of a kind beside the smallest, as the marks have them. */
const MARKED: readonly Marked[] = [
  { kind: 'channels', from: 10, to: 10_000, written: BUSY },
  { kind: 'channels', from: 10, to: 10_000, written: BY_TURNS },
  { kind: 'messages', from: 1_000, to: 100_000 },
  { kind: 'messages', from: 1_000, to: 1_000_000 },
  { kind: 'users', from: 10, to: 10_000 },
  { kind: 'log', from: 1_000, to: 100_000 },
  { kind: 'queues', from: 100, to: 100_000 },
];

export const growth = benchmark({
  name: 'growth',
  summary: 'what one send costs while channels, messages, users, the log and queues grow',
  description:
    'Durable sends over HTTP, some under way at once, heard by one socket; the next is sent when one is answered. One realm is small in everything, with the first number of each list; the others are larger in one thing alone, and take turns with it. A curve is flat when the large one costs no more than ten percent more. In a realm of many channels the sends go to ten of them, and then to all by turns: the worst order there is, since none is in any cache when its turn comes again. Sizes are those of the store before the warm-up, whose messages are in a channel of their own.',
  elsewhere: 'the stores are made here',
  options,
  metrics,
  marks: MARKED.map(({ kind, from, to, written = '' }) => ({
    name: `a send, ${from} → ${sizeName(kind, to)}${written}`,
    metric: 'CPU per send' as const,
    case: new RegExp(`^${sizeName(kind, to)}${written}$`),
    against: { case: sizeName(kind, from) },
    atMost: FLAT,
  })),
  seconds: (chosen, repeats) => {
    const larger = KINDS.flatMap((kind) =>
      sizesOf(chosen, kind)
        .slice(1)
        .map((size) => size / MADE_PER_SECOND[kind]),
    );
    const making = larger.reduce((sum, seconds) => sum + seconds, 0);
    const settingUp = (1 + larger.length) * SETTING_UP_SECONDS;
    return making + settingUp + (2 * larger.length + 1) * repeats * chosen.seconds;
  },
  run: async (context) => {
    const { options: chosen, setting, expect, doing } = context;
    const cases = KINDS.flatMap((kind) =>
      sizesOf(chosen, kind).flatMap((size) => writtenOf(kind, size)),
    );
    expect(cases.length * setting.repeats);
    const sizes = smallestOf(chosen);
    doing('a realm is made');
    const quiet = await quietRealm(context, sizes.users);
    const small = await grownSubject(context, quiet, sizes);
    try {
      for (const kind of KINDS) await measureKind(context, kind, { quiet, small });
      await check(small, context, 'the small realm');
    } finally {
      await small.stop();
      await quiet.remove();
    }
  },
});

type Sizes = Readonly<Record<Kind, number>>;

/** What a realm has of everything that does not grow. */
function smallestOf(chosen: Values<typeof options>): Sizes {
  const [channels = 0] = chosen.channels;
  const [messages = 0] = chosen['stored-messages'];
  const [users = 1] = chosen.users;
  const [log = 0] = chosen.log;
  const [queues = 0] = chosen.queues;
  return { channels, messages, users, log, queues };
}

const MADE_PER_SECOND: Readonly<Record<Kind, number>> = {
  channels: 800,
  messages: 6_000,
  users: 2_500,
  log: 50_000,
  queues: 25_000,
};
const SETTING_UP_SECONDS = 5;

/** What is measured of a realm: where its sends go. */
interface Written {
  readonly name: string;
  /** All go to the one channel of the audience where none is named. */
  readonly channels: readonly string[];
}

function writtenOf(kind: Kind, size: number): readonly Written[] {
  if (kind !== 'channels') return [{ name: '', channels: [] }];
  const all = Array.from({ length: size }, (_, index) => grownChannel(index));
  if (size <= BUSY_CHANNELS) return [{ name: '', channels: all }];
  return [
    { name: BUSY, channels: all.slice(0, BUSY_CHANNELS) },
    { name: BY_TURNS, channels: all },
  ];
}

interface Sized {
  readonly size: number;
  readonly subject: Subject;
  readonly written: Written;
}

interface Small {
  readonly quiet: Quiet;
  readonly small: Subject;
}

async function measureKind(context: Growth, kind: Kind, { quiet, small }: Small): Promise<void> {
  const { options: chosen, setting } = context;
  const [smallest, ...larger] = sizesOf(chosen, kind);
  if (smallest === undefined) return;
  const subjects: Subject[] = [];
  const sized: Sized[] = [];
  const add = async (size: number, subject: Subject) => {
    for (const written of writtenOf(kind, size)) {
      const one = { size, subject, written };
      sized.push(one);
      await sendTo(context, one);
      const loop = { inFlight: chosen['in-flight'], until: 'replied' } as const;
      await warmCase(subject, setting, loop);
    }
  };
  try {
    await add(smallest, small);
    for (const size of larger) {
      const sizes = { ...smallestOf(chosen), [kind]: size };
      // Of people there are more before anything is stored.
      const own = kind === 'users' ? await quietRealm(context, size) : quiet;
      const grown = await grownSubject(context, own, sizes);
      if (own !== quiet) await own.remove();
      subjects.push(grown);
      await add(size, grown);
    }
    for (const one of alternating(sized, setting.repeats)) await measureOne(context, kind, one);
    for (const grown of subjects) await check(grown, context, COUNTED[kind]);
  } finally {
    await Promise.all(subjects.map(({ stop }) => stop()));
  }
}

const sendTo = ({ setting }: Growth, { subject: grown, written: { channels } }: Sized) =>
  say(grown, { content: { ...contentOf(setting), channels }, hasContent: true });

/** The smallest realm, of which all channels are busy, begins the curve of those that all are written to. */
const curveOf = (kind: Kind, { name }: Written) => COUNTED[kind] + (name === BUSY ? BUSY : '');

async function measureOne(context: Growth, kind: Kind, one: Sized): Promise<void> {
  const { options: chosen, measure } = context;
  const { size, subject: grown, written } = one;
  const loop = {
    inFlight: chosen['in-flight'],
    seconds: chosen.seconds,
    until: 'replied',
  } as const;
  await sendTo(context, one);
  await measure({
    case: {
      name: `${sizeName(kind, size)}${written.name}`,
      at: { axis: COUNTED[kind], curve: curveOf(kind, written), value: size },
    },
    server: 'confab',
    pids: grown.pids,
    run: () => loaded(grown, grown.load.ask('closedLoop', loop)),
    figures: ({ messageCount, reply }, usage) => ({
      'CPU per send': usage.server && (usage.server.cpuSeconds * 1e6) / messageCount,
      'reply p50': summaryOf(reply).p50Ms,
    }),
    latencies: ({ reply }) => ({ reply }),
    timeline: ({ timeline }) => timeline,
  });
}

/** The data of a realm in which nothing was said, and who is there. */
interface Quiet {
  readonly data: string;
  readonly owner: DemoUser;
  readonly audience: Audience;
  readonly remove: () => Promise<void>;
}

async function quietRealm({ setting }: Growth, users: number): Promise<Quiet> {
  const { server, place, stop } = await openStage(setting);
  const { data, owner, address } = place;
  if (data === undefined) throw new Error('the store of a server elsewhere is not at hand');
  const audience = await createAudience(place, { size: users });
  await subscribe(address, owner, [WARM_UP_CHANNEL], [owner.user_id]);
  await server.stop();
  return { data, owner, audience, remove: stop };
}

/** A warm server of a realm of these sizes, with a socket that listens. */
async function grownSubject(
  context: Growth,
  { data, owner, audience }: Quiet,
  sizes: Sizes,
): Promise<Subject> {
  const { setting, doing } = context;
  doing(`a realm with ${KINDS.map((kind) => sizeName(kind, sizes[kind])).join(', ')}`);
  const directory = temporaryDirectory();
  await cp(data, directory.path, { recursive: true });
  const listeners = audience.listeners('socket');
  await grow(directory.path, {
    sizes,
    texts: await storeMessages(setting),
    ownerId: owner.user_id,
    people: listeners.map(({ user_id }) => user_id),
    channel: audience.channel,
  });
  const server = await startConfab({ data: directory.path });
  const content: Content = { ...contentOf(setting), channels: [WARM_UP_CHANNEL] };
  const grown = await subject({ server, audience, content, hasContent: true }, async () => {
    await server.stop();
    directory.remove();
  });
  await warmSends(grown, setting);
  await attach(grown, listeners.slice(0, 1));
  return grown;
}
