import { allowedSizes } from '../fixtures/connections.ts';
import { missingPeer, PEERS, type PeerServer, startPeer } from '../fixtures/peers.ts';
import { type SharedServer, sharedConfab } from '../fixtures/shared.ts';
import { check } from '../fixtures/subject.ts';
import { compareLoops, DELIVERIES, deliveriesTo } from '../fixtures/under-load.ts';
import { benchmark } from '../suite/benchmark.ts';
import type { Context } from '../suite/context.ts';
import { number, numbers, type Values, words } from '../suite/options.ts';

const options = {
  sizes: numbers({
    meaning: 'listeners in one room; 5000 take a minute more',
    default: [100, 1000],
    quick: [50],
  }),
  'in-flight': numbers({ meaning: 'messages under way at once', default: [4], quick: [4] }),
  peers: words(PEERS, { meaning: `any of ${PEERS.join(', ')}`, default: PEERS }),
  seconds: number({ meaning: 'of each measurement', default: 0.5, quick: 0.5 }),
};

type Peers = Context<Values<typeof options>, keyof typeof DELIVERIES>;

export const peers = benchmark({
  name: 'peers',
  summary: 'the same deliveries by what somebody could take instead',
  description:
    'A room to which everybody listens by socket. W messages of equal length are under way at once: the next is sent when all listeners have the last. ws and Socket.IO are rooms as their manuals show them: nothing is stored, nobody is authenticated, nobody can resume. ejabberd is a room of XMPP with archive, history, rates and presences off. confab stores each message durably, answers its sender after the commit and keeps what a listener misses; its frames are three times as long as theirs.',
  elsewhere: 'the others are started on this machine',
  options,
  metrics: DELIVERIES,
  targets: [
    {
      name: 'rooms of Socket.IO',
      metric: 'deliveries per core-second',
      case: /^1000 listeners, W = 4$/,
      against: { server: 'socket.io' },
      atLeast: 6,
    },
    {
      name: 'rooms of ejabberd',
      metric: 'deliveries per core-second',
      case: /^1000 listeners, W = 4$/,
      against: { server: 'ejabberd' },
      atLeast: 10,
    },
  ],
  seconds: ({ sizes, peers: chosen, seconds, ...others }, repeats) => {
    const servers = 1 + chosen.length;
    const perSize = servers * (repeats * others['in-flight'].length * seconds + ROOM_SECONDS);
    const listeners = sizes.reduce((sum, size) => sum + size, 0);
    const joining = (servers * listeners) / JOINS_PER_SECOND;
    return servers * START_SECONDS + sizes.length * perSize + joining;
  },
  run: async (context) => {
    const { options: chosen, setting, expect, note, doing } = context;
    const here = chosen.peers.filter((peer) => {
      const missing = missingPeer(peer);
      if (missing !== undefined) note(`${peer} is not installed and was left out: ${missing}`);
      return missing === undefined;
    });
    const sizes = allowedSizes(chosen.sizes, context);
    const loops = sizes.length * chosen['in-flight'].length;
    expect(loops * setting.repeats * (1 + here.length));
    doing('the servers start');
    const [confab, ...peerServers] = await Promise.all([
      sharedConfab(setting, Math.max(0, ...sizes)),
      ...here.map(startPeer),
    ]);
    for (const size of sizes) await measureSize(context, size, { confab, peerServers });
  },
});

const START_SECONDS = 3;
const ROOM_SECONDS = 1;
const JOINS_PER_SECOND = 1_500;

interface Servers {
  readonly confab: SharedServer;
  readonly peerServers: readonly PeerServer[];
}

async function measureSize(
  context: Peers,
  size: number,
  { confab, peerServers }: Servers,
): Promise<void> {
  const { doing, options: own } = context;
  doing(`${size} listeners come`);
  const subjects = await Promise.all([
    confab.admit({ size }, 'socket'),
    ...peerServers.map(({ admit }) => admit(size)),
  ]);
  for (const inFlight of own['in-flight']) {
    await compareLoops(context, subjects, {
      case: {
        name: `${size} listeners, W = ${inFlight}`,
        at: { axis: 'listeners', curve: `W = ${inFlight}`, value: size },
      },
      loop: { inFlight, seconds: own.seconds, until: 'delivered' },
      figures: (result, usage) => deliveriesTo(size, result, usage),
    });
  }
  for (const subject of subjects) await check(subject, context, `${size} listeners`);
  await Promise.all(subjects.map(({ leave }) => leave()));
}
