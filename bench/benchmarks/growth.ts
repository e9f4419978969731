import type { Content } from '../load/contents.ts';
import { startConfab } from '../servers/start.ts';
import { createAudience } from '../stage/audience.ts';
import {
  attach,
  check,
  contentOf,
  loaded,
  openStage,
  type Subject,
  subject,
} from '../stage/subject.ts';
import { grow, grownChannel } from '../stores/growth-store.ts';
import { storeMessages } from '../stores/in-process.ts';
import { benchmark } from '../suite/benchmark.ts';
import type { Context } from '../suite/context.ts';
import { summaryOf } from '../suite/latencies.ts';
import { number, numbers, type Values } from '../suite/options.ts';
import { alternating } from '../suite/statistics.ts';

const options = {
  channels: numbers({
    meaning: 'that the sends go to by turns',
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
  seconds: number({ meaning: 'of each measurement', default: 1, quick: 0.5 }),
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

const caseName = (kind: Kind, size: number) => `${size} ${COUNTED[kind]}`;

/** Ten percent more is what repeats differ by. */
const FLAT = 1.1;

/** The largest of a kind beside the smallest, as the marks have them. */
const MARKED: readonly { readonly kind: Kind; readonly from: number; readonly to: number }[] = [
  { kind: 'channels', from: 10, to: 10_000 },
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
    'Durable sends over HTTP, some under way at once, heard by one socket; the next is sent when one is answered. A realm is made small and large in one thing at a time, and the servers of both take turns. A curve is flat when the large one costs no more than ten percent more.',
  elsewhere: 'the stores are made here',
  options,
  metrics,
  marks: MARKED.map(({ kind, from, to }) => ({
    name: `a send, ${from} → ${caseName(kind, to)}`,
    metric: 'CPU per send' as const,
    case: new RegExp(`^${caseName(kind, to)}$`),
    against: { case: caseName(kind, from) },
    atMost: FLAT,
  })),
  seconds: (chosen, repeats) => {
    const sizes = KINDS.flatMap((kind) =>
      sizesOf(chosen, kind).map((size) => size / MADE_PER_SECOND[kind]),
    );
    const making = sizes.reduce((sum, seconds) => sum + seconds, 0);
    return making + sizes.length * (repeats * chosen.seconds + SETTING_UP_SECONDS);
  },
  run: async (context) => {
    const { options: chosen, setting, expect } = context;
    expect(KINDS.flatMap((kind) => sizesOf(chosen, kind)).length * setting.repeats);
    for (const kind of KINDS) await measureKind(context, kind);
  },
});

const MADE_PER_SECOND: Readonly<Record<Kind, number>> = {
  channels: 800,
  messages: 6_000,
  users: 2_500,
  log: 50_000,
  queues: 25_000,
};
const SETTING_UP_SECONDS = 4;
const WARM_UP_SECONDS = 1;

async function measureKind(context: Growth, kind: Kind): Promise<void> {
  const { options: chosen, setting, doing, measure } = context;
  const sized: { readonly size: number; readonly subject: Subject }[] = [];
  try {
    for (const size of sizesOf(chosen, kind)) {
      doing(`a realm with ${caseName(kind, size)}`);
      const grown = await grownSubject(context, kind, size);
      sized.push({ size, subject: grown });
      await attach(grown, grown.audience.listeners('socket').slice(0, 1));
      await closedLoop(context, grown, WARM_UP_SECONDS);
    }
    for (const { size, subject: grown } of alternating(sized, setting.repeats)) {
      await measure({
        case: {
          name: caseName(kind, size),
          at: { axis: COUNTED[kind], curve: COUNTED[kind], value: size },
        },
        server: 'confab',
        pids: grown.pids,
        run: () => closedLoop(context, grown, chosen.seconds),
        figures: ({ messageCount, reply }, usage) => ({
          'CPU per send': usage.server && (usage.server.cpuSeconds * 1e6) / messageCount,
          'reply p50': summaryOf(reply).p50Ms,
        }),
        latencies: ({ reply }) => ({ reply }),
        timeline: ({ timeline }) => timeline,
      });
    }
    for (const { size, subject: grown } of sized) await check(grown, context, caseName(kind, size));
  } finally {
    await Promise.all(sized.map(({ subject: grown }) => grown.stop()));
  }
}

const closedLoop = ({ options: chosen }: Growth, grown: Subject, seconds: number) =>
  loaded(
    grown,
    grown.load.ask('closedLoop', { inFlight: chosen['in-flight'], seconds, until: 'replied' }),
  );

// Those whose queues they are.
const QUEUE_OWNERS = 100;

async function grownSubject({ setting }: Growth, kind: Kind, size: number): Promise<Subject> {
  const stage = await openStage(setting);
  const { place } = stage;
  const people = kind === 'users' ? size : kind === 'queues' ? QUEUE_OWNERS : 1;
  const audience = await createAudience(place, { size: people });
  const made = contentOf(setting);
  if (kind === 'users') {
    const { server } = stage;
    return await subject({ server, audience, content: made, hasContent: true }, stage.stop);
  }
  const { data, owner, address } = place;
  if (data === undefined) throw new Error('the store of a server elsewhere is not at hand');
  await stage.server.stop();
  await grow(data, {
    kind,
    size,
    texts: kind === 'messages' ? await storeMessages(setting) : [],
    ownerId: owner.user_id,
    people: audience.listeners('socket').map(({ user_id }) => user_id),
    channel: audience.channel,
  });
  const server = await startConfab({ data, port: address.port });
  const channels = Array.from({ length: size }, (_, index) => grownChannel(index));
  const content: Content = kind === 'channels' ? { ...made, channels } : made;
  return await subject({ server, audience, content, hasContent: true }, async () => {
    await server.stop();
    await stage.stop();
  });
}
