import { disturbances } from '../suite/disturbances.ts';
import type { Results } from '../suite/results.ts';
import { figureText } from '../suite/texts.ts';
import { markdownTable } from './document-tables.ts';

/** One line of the README: a figure of confab, and the same figure of what it is compared with. */
interface Line {
  readonly what: string;
  readonly benchmark: string;
  readonly case: string;
  readonly metric: string;
  readonly beside: Readonly<Record<string, string>>;
}

/** The figures that a newcomer asks for first; bench/results/README.md has all of them. */
const LINES: readonly Line[] = [
  {
    what: 'deliveries per second of CPU time, to 1,000 listeners',
    benchmark: 'peers',
    case: '1000 listeners, W = 4',
    metric: 'deliveries per core-second',
    beside: { ws: 'a room on ws', 'socket.io': 'Socket.IO', ejabberd: 'ejabberd' },
  },
  {
    what: 'the last of 1,000 sockets has a message, p99 at 50 sends a second',
    benchmark: 'fan-out',
    case: '1000 sockets, 50 sends/s',
    metric: 'delivery p99',
    beside: { 'durable baseline': 'a bare publish after a commit' },
  },
  {
    what: 'durable sends per second, 64 at a time',
    benchmark: 'send',
    case: 'http, 64 in flight',
    metric: 'sends per second',
    beside: { baseline: 'bare HTTP and LMDB' },
  },
  {
    what: 'the answer to a durable send, p50 one at a time',
    benchmark: 'send',
    case: 'http, 1 in flight',
    metric: 'reply p50',
    beside: { 'bare LMDB': 'a bare commit' },
  },
  {
    what: '10,000 sockets have caught up after `kill -9`',
    benchmark: 'connect',
    case: '10000 sockets, SIGKILL',
    metric: 'caught up',
    beside: { baseline: 'bare sockets' },
  },
  {
    what: 'memory of an open socket with its event queue',
    benchmark: 'idle',
    case: '1000 open sockets',
    metric: 'resident each',
    beside: { baseline: 'a bare socket' },
  },
];

/** For README.md. A line whose benchmark was not run is left out. */
export function shortTable(results: Results): string {
  const rows = LINES.flatMap((line) => rowOf(line, results) ?? []);
  const table = markdownTable(['what', 'confab', 'for comparison'], rows);
  const { startedAt, repeats, machine } = results;
  const { cores, cpu } = machine;
  const origin = `Medians of ${repeats} on ${cores} cores (${cpu}), ${startedAt.slice(0, 10)}.`;
  return `${table}\n\n${[origin, ...disturbances(machine)].join('\n')}`;
}

function rowOf(line: Line, { benchmarks }: Results): [readonly string[]] | undefined {
  const figures = benchmarks
    .filter(({ name }) => name === line.benchmark)
    .flatMap((benchmark) => benchmark.figures)
    .filter((figure) => figure.case === line.case && figure.metric === line.metric);
  const textOf = (server: string) => {
    const figure = figures.find((one) => one.server === server);
    return figure === undefined ? undefined : figureText(figure.median, figure.unit);
  };
  const own = textOf('confab');
  if (own === undefined) return undefined;
  const others = Object.entries(line.beside).flatMap(([server, name]) => {
    const text = textOf(server);
    return text === undefined ? [] : [`${name}: ${text}`];
  });
  return [[line.what, own, others.join('; ')]];
}
