import { benchmark, higher, lower, WITHIN_99 } from '../suite/benchmark.ts';
import { number, numbers, type Values, words } from '../suite/options.ts';
import { compareAttacks } from './by-gateways/attacks.ts';
import { compareFanOut, compareSends } from './by-gateways/loops.ts';
import { compareMemory } from './by-gateways/memory.ts';
import { compareRestarts } from './by-gateways/restarts.ts';

const PARTS = ['fan-out', 'send', 'connect', 'stalls', 'idle'] as const;

const options = {
  gateways: numbers({
    meaning: 'processes that serve clients, beside the one that writes; with 0 one does both',
    default: [0, 1, 2],
    quick: [0, 1],
  }),
  parts: words(PARTS, { meaning: `any of ${PARTS.join(', ')}`, default: PARTS }),
  sizes: numbers({ meaning: 'sockets of one channel', default: [100, 1000], quick: [50] }),
  'in-flight': numbers({
    meaning: 'messages under way at once to these sockets',
    default: [1, 16],
    quick: [4],
  }),
  'sends-in-flight': numbers({
    meaning: 'sends under way at once that nobody hears of',
    default: [1, 64],
    quick: [16],
  }),
  returning: number({ meaning: 'sockets that come back', default: 2000, quick: 100 }),
  resting: number({ meaning: 'open sockets while nothing happens', default: 1000, quick: 100 }),
  stored: number({ meaning: 'long messages that are searched', default: 2000, quick: 500 }),
  rate: number({ meaning: 'sends a second of the other realm', default: 50 }),
  seconds: number({ meaning: 'of each measurement in a closed loop', default: 1, quick: 0.5 }),
};

export type GatewayOptions = Values<typeof options>;

const metrics = {
  'deliveries per core-second': higher(
    '/s',
    'Messages that reached a listener, for each second of CPU time of all processes of the server.',
  ),
  'deliveries per second': higher('/s', 'The same on the clock, with the load on the same cores.'),
  'sends per core-second': higher(
    '/s',
    'Durable sends, for each second of CPU time of all processes of the server.',
  ),
  'sends per second': higher('/s', 'The same on the clock, with the load on the same cores.'),
  'CPU of all per message': lower('µs', 'CPU time of all threads of all processes of the server.'),
  'CPU of the writer per message': lower(
    'µs',
    'The part of it of the process that writes: what one core of it can take follows from it.',
  ),
  'CPU of gateways per message': lower('µs', 'The part of it of the processes that serve clients.'),
  'reply p50': lower('ms', 'From a send to its answer: half are within it.'),
  'reply p99': WITHIN_99,
  'caught up': lower(
    's',
    'From the end of the server, of all its processes, to when all sockets are back and have all that was acknowledged.',
  ),
  outage: lower('s', 'From that end to the first answer that a sender gets.'),
  'send p99': lower('ms', 'Of the answers to sends of those who do not cause the load.'),
  'server CPU': lower('s', 'CPU time of all processes of the server meanwhile.'),
  'longest wait': lower(
    'ms',
    'The longest of all sends of the other realm and of all deliveries of them to a poll.',
  ),
  'poll p99': lower('ms', 'The deliveries alone.'),
  'server peak': lower(
    'MB',
    'The most memory that all processes had; what they share counts twice.',
  ),
  memory: lower(
    'MB',
    'Of all processes, garbage collected, before anybody connects; what they share counts once.',
  ),
  'memory each': lower('KB', 'How much they grew for each open socket, with its queue.'),
};

export type GatewayMetric = keyof typeof metrics;

export const gateways = benchmark({
  name: 'gateways',
  summary: 'the same by the number of gateways: how far the cores of a machine carry',
  description:
    'The same server with other numbers of processes that serve clients, by turns. With 0 one process does all of it. CPU time is that of all processes of the server, and the part of the one that writes is told apart: it is the one that cannot be multiplied. The load runs on the same cores, so where there are fewer cores than processes the clock says little, and the CPU time says what a machine with more of them can be expected to hold.',
  elsewhere: 'the number of gateways is set when the server starts.',
  options,
  metrics,
  targets: [],
  seconds: (chosen, repeats) => {
    const kinds = chosen.gateways.length;
    const has = (part: (typeof PARTS)[number]) => (chosen.parts.includes(part) ? 1 : 0);
    const loops =
      has('fan-out') * chosen.sizes.length * chosen['in-flight'].length +
      has('send') * chosen['sends-in-flight'].length;
    const once = 12 * has('fan-out') + 8 * has('send') + 6 * has('connect') + 8 * has('idle');
    const again = loops * (chosen.seconds + 0.3) + 5 * has('connect') + 12 * has('stalls');
    return kinds * (once + 8 * has('stalls') + repeats * again);
  },
  run: async (context) => {
    const { options: chosen, setting, expect } = context;
    const { parts } = chosen;
    const counts = {
      'fan-out': chosen.sizes.length * chosen['in-flight'].length,
      send: chosen['sends-in-flight'].length,
      connect: 1,
      stalls: 3,
      idle: 2,
    };
    const ofEach = parts.reduce((sum, part) => sum + counts[part], 0);
    expect(chosen.gateways.length * ofEach * setting.repeats);
    if (parts.includes('fan-out')) await compareFanOut(context);
    if (parts.includes('send')) await compareSends(context);
    if (parts.includes('connect')) await compareRestarts(context);
    if (parts.includes('stalls')) await compareAttacks(context);
    if (parts.includes('idle')) await compareMemory(context);
  },
});
