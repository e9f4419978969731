import { cp } from 'node:fs/promises';
import { type Audience, createAudience, subscribe } from '../fixtures/audience.ts';
import {
  attach,
  check,
  contentOf,
  openFixture,
  type Subject,
  say,
  subject,
} from '../fixtures/subject.ts';
import { underLoad } from '../fixtures/under-load.ts';
import { WARM_UP_CHANNEL, warmCase, warmSends } from '../fixtures/warm-up.ts';
import { temporaryDirectory } from '../servers/belongings.ts';
import type { DemoUser } from '../servers/demo.ts';
import { startConfab } from '../servers/start.ts';
import { grow, grownChannel } from '../stores/growth-store.ts';
import { storeMessages } from '../stores/in-process.ts';
import { benchmark, lower } from '../suite/benchmark.ts';
import type { Case, Context } from '../suite/context.ts';
import { summaryOf } from '../suite/latencies.ts';
import { number, numbers, type Values } from '../suite/options.ts';
import { alternating, grouped } from '../suite/statistics.ts';

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
  seconds: number({ meaning: 'of each measurement', default: 2, quick: 0.5 }),
};

/** The kinds of things that a realm can have many of; a second makes so many of each. */
const KINDS = {
  channels: { option: 'channels', counted: 'channels', madePerSecond: 800 },
  messages: { option: 'stored-messages', counted: 'messages', madePerSecond: 6_000 },
  users: { option: 'users', counted: 'users', madePerSecond: 2_500 },
  log: { option: 'log', counted: 'events in the log', madePerSecond: 50_000 },
  queues: { option: 'queues', counted: 'detached queues', madePerSecond: 25_000 },
} as const;
type Kind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as readonly Kind[]; // each of the record

const sizesOf = (chosen: Values<typeof options>, kind: Kind): readonly number[] =>
  chosen[KINDS[kind].option];

const metrics = {
  'CPU per send': lower(
    'µs',
    'CPU time of all threads of the server for one durable send, heard by one socket.',
  ),
  'reply p50': lower('ms', 'From a send to the answer that its sender got: half are within it.'),
};

type Growth = Context<Values<typeof options>, keyof typeof metrics>;

const sizeName = (kind: Kind, size: number) => `${size} ${KINDS[kind].counted}`;

/** Sends go to these ten of many channels, as in a realm at any moment, or to all by turns. */
const BUSY_CHANNELS = 10;
const BUSY = `, ${BUSY_CHANNELS} written to`;
const BY_TURNS = ', all written to by turns';

/** Ten percent more is what repeats differ by. */
const FLAT = 1.1;

/** The largest of a kind beside the smallest, as the targets have them. */
const AIMED: readonly (readonly [kind: Kind, from: number, to: number, written?: string])[] = [
  ['channels', 10, 10_000, BUSY],
  ['channels', 10, 10_000, BY_TURNS],
  ['messages', 1_000, 100_000],
  ['messages', 1_000, 1_000_000],
  ['users', 10, 10_000],
  ['log', 1_000, 100_000],
  ['queues', 100, 100_000],
];

export const growth = benchmark({
  name: 'growth',
  summary: 'what one send costs while channels, messages, users, the log and queues grow',
  description:
    'Durable sends over HTTP, some under way at once, heard by one socket; the next is sent when one is answered. One realm is small in everything, with the first number of each list; the others are larger in one thing alone. Each has a server of its own, and those that are compared are sent to at the same time, so that they have the same moments of the machine: a ratio says how the cost grows, while times are those of a machine that has all of them to serve. A curve is flat when the large one costs no more than ten percent more. In a realm of many channels the sends go to ten of them, and then to all by turns: the worst order there is, since none is in any cache when its turn comes again. Sizes are those of the store before the warm-up, whose messages are in a channel of their own.',
  elsewhere: 'the stores are made here',
  options,
  metrics,
  targets: AIMED.map(([kind, from, to, written = '']) => ({
    name: `a send, ${from} → ${sizeName(kind, to)}${written}`,
    metric: 'CPU per send' as const,
    case: new RegExp(`^${sizeName(kind, to)}${written}$`),
    against: { case: `${sizeName(kind, from)}${written}` },
    atMost: FLAT,
  })),
  seconds: (chosen, repeats) => {
    const larger = KIND_NAMES.flatMap((kind) =>
      sizesOf(chosen, kind)
        .slice(1)
        .map((size) => size / KINDS[kind].madePerSecond),
    );
    const making = larger.reduce((sum, seconds) => sum + seconds, 0);
    const settingUp = (1 + larger.length) * SETTING_UP_SECONDS;
    return making / 2 + settingUp + WAYS * repeats * chosen.seconds;
  },
  run: async (context) => {
    const { options: chosen, setting, expect, doing } = context;
    const stores = storesOf(chosen);
    const ways = stores.flatMap((store) => waysOf(chosen, store));
    expect(ways.length * setting.repeats);
    doing(`${stores.length} realms are made`);
    const realms = await openRealms(context, stores);
    doing('the servers warm up');
    await Promise.all(realms.map((realm) => warmUp(context, realm)));
    // At the same time, so that all of a group have the same moments of the machine.
    const groups = grouped(realms, ({ written }) => written.name);
    for (const group of alternating(groups, setting.repeats)) {
      await Promise.all(group.map((realm) => measureOne(context, realm)));
    }
    for (const realm of realms) await check(realm.subject, context, realm.case.name);
  },
});

type Sizes = Readonly<Record<Kind, number>>;

/** Returns the sizes of a realm for everything that does not grow. */
function smallestOf(chosen: Values<typeof options>): Sizes {
  const sizes = KIND_NAMES.map((kind) => {
    const [smallest = kind === 'users' ? 1 : 0] = sizesOf(chosen, kind);
    return [kind, smallest];
  });
  return Object.fromEntries(sizes) as Sizes; // one for each kind
}

const SETTING_UP_SECONDS = 4;
/** Ten channels, all by turns, and one channel. */
const WAYS = 3;

/** The channels of a realm to which the measured sends go. */
interface Written {
  readonly name: string;
  /** All go to the one channel of the audience where none is named. */
  readonly channels: readonly string[];
}

function writtenOf(kind: Kind, size: number): readonly Written[] {
  if (kind !== 'channels') return [{ name: '', channels: [] }];
  const all = Array.from({ length: size }, (_, index) => grownChannel(index));
  return [
    { name: BUSY, channels: all.slice(0, BUSY_CHANNELS) },
    { name: BY_TURNS, channels: all },
  ];
}

/** A realm that is small in everything, or large in one thing. */
interface Store {
  /** The kind of thing of which this store has more than the small one. */
  readonly kind: Kind | undefined;
  readonly sizes: Sizes;
}

/**
 * Sends to a realm and the case of their figures: the small realm is the first of several curves.
 */
interface Way {
  readonly written: Written;
  readonly case: Case;
  readonly also: readonly Case[];
}

interface Realm extends Way {
  readonly subject: Subject;
}

function storesOf(chosen: Values<typeof options>): readonly Store[] {
  const sizes = smallestOf(chosen);
  const larger = KIND_NAMES.flatMap((kind) =>
    sizesOf(chosen, kind)
      .slice(1)
      .map((size) => ({ kind, sizes: { ...sizes, [kind]: size } })),
  );
  return [{ kind: undefined, sizes }, ...larger];
}

function waysOf(chosen: Values<typeof options>, { kind, sizes }: Store): readonly Way[] {
  const kinds = KIND_NAMES.filter((one) => sizesOf(chosen, one).length > 0);
  const ways = new Map<string, Way>();
  for (const one of kind === undefined ? kinds : [kind]) {
    for (const written of writtenOf(one, sizes[one])) {
      const own = caseOf(one, sizes[one], written);
      const known = ways.get(written.name);
      const way = known && { ...known, also: [...known.also, own] };
      ways.set(written.name, way ?? { written, case: own, also: [] });
    }
  }
  return [...ways.values()];
}

/**
 * All are made at once: while one waits for the disk, others are made. Each way has a server of its
 * own, which is as warm as the others.
 */
async function openRealms(context: Growth, stores: readonly Store[]): Promise<readonly Realm[]> {
  const quiet = await quietRealm(context, smallestOf(context.options).users);
  const open = async (store: Store): Promise<readonly Realm[]> => {
    const { kind, sizes } = store;
    // People are added before anything is stored.
    const own = kind === 'users' ? await quietRealm(context, sizes.users) : quiet;
    const grown = await grownCopy(context, own, sizes);
    const realms = await Promise.all(
      waysOf(context.options, store).map(async (way) => ({
        ...way,
        subject: await serve(context, { ...own, data: grown.path }),
      })),
    );
    grown.remove();
    return realms;
  };
  return (await Promise.all(stores.map(open))).flat();
}

const caseOf = (kind: Kind, size: number, { name }: Written): Case => ({
  name: `${sizeName(kind, size)}${name}`,
  at: { axis: KINDS[kind].counted, curve: KINDS[kind].counted + name, value: size },
});

async function warmUp({ options: chosen, setting }: Growth, { subject: own, written }: Realm) {
  await warmSends(own, setting);
  await attach(own, own.audience.listeners('socket').slice(0, 1));
  const { channels } = written;
  await say(own, { ...contentOf(setting), channels });
  await warmCase(own, setting, { inFlight: chosen['in-flight'], until: 'replied' });
}

const measureOne = (
  { options: { seconds, ...chosen }, measure }: Growth,
  { subject: own, ...way }: Realm,
) =>
  measure({
    case: way.case,
    also: way.also,
    ...underLoad(own, 'closedLoop', { inFlight: chosen['in-flight'], seconds, until: 'replied' }),
    figures: ({ messageCount, reply }, usage) => ({
      'CPU per send': usage.server && (usage.server.cpuSeconds * 1e6) / messageCount,
      'reply p50': summaryOf(reply).p50Ms,
    }),
  });

/** The data of a realm in which nothing was said, and who is there. */
interface Quiet {
  readonly data: string;
  readonly owner: DemoUser;
  readonly audience: Audience;
}

async function quietRealm({ setting }: Growth, users: number): Promise<Quiet> {
  const { server, place } = await openFixture(setting);
  const { data, owner, address } = place;
  if (data === undefined) throw new Error('the store of a server elsewhere is not at hand');
  const audience = await createAudience(place, { size: users });
  await subscribe(address, owner, [WARM_UP_CHANNEL], [owner.user_id]);
  await server.stop();
  return { data, owner, audience };
}

/** A copy of the data, with so much in it. */
async function grownCopy(
  { setting }: Growth,
  { data, owner, audience }: Quiet,
  sizes: Sizes,
): Promise<ReturnType<typeof temporaryDirectory>> {
  const directory = temporaryDirectory();
  await cp(data, directory.path, { recursive: true });
  await grow(directory.path, {
    sizes,
    texts: await storeMessages(setting),
    ownerId: owner.user_id,
    people: audience.listeners('socket').map(({ user_id }) => user_id),
    channel: audience.channel,
  });
  return directory;
}

/** A server on a copy of the data. */
async function serve(
  { setting }: Growth,
  { data, audience }: Pick<Quiet, 'data' | 'audience'>,
): Promise<Subject> {
  const directory = temporaryDirectory();
  await cp(data, directory.path, { recursive: true });
  const server = await startConfab({ data: directory.path });
  return await subject(server, audience, { ...contentOf(setting), channels: [WARM_UP_CHANNEL] });
}
