import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { FlagBit } from '../src/domain/flags.ts';
import { parseNarrow } from '../src/domain/narrow.ts';
import { type AllRead, markAllStep } from '../src/operations/mark-all-as-read.ts';
import { setFlags } from '../src/operations/message-flags.ts';
import { type Anchor, fetchMessages, fetchMessagesById } from '../src/operations/message-list.ts';
import { unreadMessages } from '../src/operations/state/unread.ts';
import type { RealmReader, RealmTransaction } from '../storage/realm-store.ts';
import type { UserRow } from '../storage/tables/users.ts';
import { print, quantile, rounded, runMain, table, writeResults } from './report.ts';
import { temporaryDirectory } from './servers/start.ts';
import { readIrcMessages } from './stage/irc.ts';
import { type Kind, narrowsOf } from './stores/history-narrows.ts';
import { history, RETURNED } from './stores/history-store.ts';
import { callerOf, fill, hashOf, openStore, type Store } from './stores/search-store.ts';

const HELP = `history: how long a page of messages takes, by each kind of narrow

  node dist/bench/history.js [<messages.jsonl.gz>] [options]

  --messages <n>   in the store                     (100000)
  --fetches <n>    of each kind of narrow           (100)
  --only <text>    kinds that have it in their name
  --slowest        sorted by time, not as declared
  --data <dir>     keep the store here; what is there already is not sent again
  --json <file>    write the results there as well
  --help

In one process, without HTTP. Each narrow is asked for with every anchor in turn: the newest 100 messages, the oldest, 100
around one in the middle, 100 around the first unread one, and every tenth time for 100 by their ids.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    messages: { type: 'string', default: '100000' },
    fetches: { type: 'string', default: '100' },
    only: { type: 'string', default: '' },
    slowest: { type: 'boolean', default: false },
    data: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const FIXTURE = 'test/fixtures/irc-messages.jsonl.gz';
const FILE_MESSAGES_MAX = 250_000;
const PAGE = 100;
const WARM_UP = 4;

async function main(): Promise<void> {
  if (values.help) return print(HELP);
  const texts = await readIrcMessages(positionals[0] ?? FIXTURE, FILE_MESSAGES_MAX);
  const directory = temporaryDirectory();
  try {
    const path = values.data ?? join(directory.path, 'realm');
    mkdirSync(path, { recursive: true });
    const script = history(texts, Number(values.messages));
    const filled = await openStore(path, { script, isIndexed: true });
    await fill(filled, Number(values.messages));
    const measured = fetched(filled.store.reader);
    const unread = await unreadOf(filled, RETURNED);
    await filled.store.close();
    report(measured);
    reportUnread(unread);
    writeResults(values.json, 'history', { options: values, measured, unread });
  } finally {
    directory.remove();
  }
}

interface Unread {
  readonly what: string;
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** CPU time of what somebody asks for who has not read for long; each holds up everybody else for as long. */
async function unreadOf({ store }: Store, userId: number): Promise<readonly Unread[]> {
  const { reader } = store;
  const { user, place } = callerOf(store, userId);
  const { count } = unreadMessages(reader, user);
  const page = { anchor: 'first_unread', numBefore: PAGE / 2, numAfter: PAGE / 2 } as const;
  const form = { applyMarkdown: true, clientGravatar: true, allowEmptyTopicName: true };
  const range = { user, place, narrow: [], includeAnchor: true, ...page, ...form };
  const asked = {
    'unread_msgs of register': () => unreadMessages(reader, user),
    'a page from the first unread message': () => fetchMessages(reader, range),
  };
  const found: Unread[] = [];
  for (const [what, ask] of Object.entries(asked)) {
    const cpuMs = Array.from({ length: UNREAD_ROUNDS }, () => cpuMsOf(ask));
    found.push({ what, count, p50Ms: quantile(cpuMs, 0.5), p99Ms: quantile(cpuMs, 0.99) });
  }
  const cpuMs: number[] = [];
  for (let round = 0; round < UNREAD_ROUNDS; round++) {
    await store.commit(
      () => [
        (tx) => {
          cpuMs.push(cpuMsOf(() => markAllStep(tx, user)));
          throw new Error('so that it is unread again');
        },
      ],
      () => 0,
    );
  }
  const ofSteps = await stepsOfMarked({ store }, user);
  return [
    ...found,
    measuredAs('mark all as read', count, cpuMs),
    measuredAs('a step of it, of messages marked unread one by one', MARKED, ofSteps),
  ];
}

const measuredAs = (what: string, count: number, cpuMs: readonly number[]): Unread => ({
  what,
  count,
  p50Ms: quantile(cpuMs, 0.5),
  p99Ms: quantile(cpuMs, 0.99),
});

/** What each commit takes, of those that it takes to read so many again. */
async function stepsOfMarked({ store }: Pick<Store, 'store'>, user: UserRow) {
  const cpuMs: number[] = [];
  const operation = (tx: RealmTransaction) => {
    markAllStep(tx, user);
    const last = tx.lastId('message');
    for (let id = last - MARKED; id < last; id++) setFlags(tx, user.id, id, FlagBit.unread);
    let progress: AllRead | undefined;
    do {
      cpuMs.push(
        cpuMsOf(() => {
          progress = markAllStep(tx, user, progress);
        }),
      );
    } while (progress?.isComplete === null);
    throw new Error('so that all is as it was');
  };
  await store.commit(
    () => [operation],
    () => 0,
  );
  return cpuMs;
}

const MARKED = 20_000;

const UNREAD_ROUNDS = 20;

function cpuMsOf(act: () => unknown): number {
  const cpu = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(cpu);
  return (user + system) / 1000;
}

interface Measured {
  readonly kind: string;
  readonly found: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of all threads of the process: what a machine that has other work does not add to. */
  readonly cpuP50Ms: number;
  readonly cpuP99Ms: number;
  /** Messages read, of the fetch that read most; those that are given are among them. */
  readonly rowsMax: number;
  /** Other rows that were looked up, and ranges of an index that were read. */
  readonly readsMax: number;
  readonly refused: number;
}

function fetched(reader: RealmReader): readonly Measured[] {
  const kinds = narrowsOf(reader).filter(({ kind }) => kind.includes(values.only));
  const lastId = reader.counters.get(['counters'])?.message ?? 0;
  const count = Number(values.fetches);
  const counting = countingReader(reader);
  const samples = kinds.map(() => [] as Sample[]);
  // By turns: what the machine does meanwhile falls on all kinds.
  for (let n = -WARM_UP; n < count; n++) {
    for (const [index, kind] of kinds.entries()) {
      const sample = timed(reader, { kind, n: Math.abs(n), lastId });
      if (n >= 0) samples[index]?.push(sample);
    }
  }
  return kinds.map((kind, index) => {
    const own = samples[index] ?? [];
    const ms = own.map((sample) => sample.ms);
    const cpuMs = own.map((sample) => sample.cpuMs);
    const reads = Array.from(own.keys(), (n) =>
      counting.during((counted) => fetch(counted, { kind, n, lastId })),
    );
    return {
      kind: kind.kind,
      found: own.reduce((sum, { found }) => sum + found, 0) / own.length,
      p50Ms: quantile(ms, 0.5),
      p99Ms: quantile(ms, 0.99),
      cpuP50Ms: quantile(cpuMs, 0.5),
      cpuP99Ms: quantile(cpuMs, 0.99),
      rowsMax: Math.max(...reads.map(({ rows }) => rows)),
      readsMax: Math.max(...reads.map(({ others }) => others)),
      refused: own.filter(({ isRefused }) => isRefused).length,
    };
  });
}

interface Request {
  readonly kind: Kind;
  readonly n: number;
  readonly lastId: number;
}

interface Sample {
  readonly ms: number;
  readonly cpuMs: number;
  readonly found: number;
  readonly isRefused: boolean;
}

function timed(reader: RealmReader, request: Request): Sample {
  const start = performance.now();
  const cpu = process.cpuUsage();
  const found = fetch(reader, request);
  const { user, system } = process.cpuUsage(cpu);
  const cpuMs = (user + system) / 1000;
  const ms = performance.now() - start;
  return { ms, cpuMs, found: found ?? 0, isRefused: found === undefined };
}

/** How many messages were found; undefined when the request was refused. */
function fetch(reader: RealmReader, { kind, n, lastId }: Request): number | undefined {
  const { user, place } = callerOf({ reader }, kind.as);
  const narrow = parseNarrow(
    kind.narrow(n).map(([operator, operand, negated = false]) => ({ operator, operand, negated })),
  );
  const form = { applyMarkdown: true, clientGravatar: true, allowEmptyTopicName: true };
  const middle = 1 + (hashOf(`${n} anchor`) % lastId);
  try {
    if (n % 10 === 9) {
      const messageIds = Array.from({ length: PAGE }, (_, index) => middle + index);
      return fetchMessagesById(reader, { user, place, narrow, messageIds, ...form }).messages
        .length;
    }
    const { anchor, numBefore, numAfter } = pages(middle)[n % 4] ?? pages(middle)[0];
    const range = { anchor, numBefore, numAfter, includeAnchor: true };
    return fetchMessages(reader, { user, place, narrow, ...range, ...form }).messages.length;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

interface Page {
  readonly anchor: Anchor;
  readonly numBefore: number;
  readonly numAfter: number;
}

const pages = (middle: number): readonly [Page, ...Page[]] => [
  { anchor: 'newest', numBefore: PAGE, numAfter: 0 },
  { anchor: 'oldest', numBefore: 0, numAfter: PAGE },
  { anchor: middle, numBefore: PAGE / 2, numAfter: PAGE / 2 },
  { anchor: 'first_unread', numBefore: PAGE / 2, numAfter: PAGE / 2 },
];

/** The same reader, which counts what is read. */
function countingReader(reader: RealmReader) {
  let rows = 0;
  let others = 0;
  const counting: Record<string, unknown> = { ...reader };
  for (const [name, read] of Object.entries(reader)) {
    if (typeof read !== 'object') continue;
    const own = { ...read };
    for (const [method, call] of Object.entries<(...parameters: never[]) => unknown>(read)) {
      own[method] = function (this: unknown, ...parameters: never[]) {
        if (name === 'messages' && method === 'get') rows += 1;
        // These two call `range` and `keys`.
        else if (method !== 'under' && method !== 'keysUnder') others += 1;
        return call.apply(this, parameters);
      };
    }
    counting[name] = own;
  }
  return {
    during(act: (counted: RealmReader) => unknown) {
      rows = 0;
      others = 0;
      act(counting as unknown as RealmReader); // has the tables of the one it is made from
      return { rows, others };
    },
  };
}

function reportUnread(unread: readonly Unread[]) {
  print('\nOf somebody who has not read for long, CPU ms\n');
  print(
    table(
      ['', 'unread', 'p50', 'p99'],
      unread.map(({ what, count, p50Ms, p99Ms }) => [
        what,
        count,
        rounded(p50Ms, 1),
        rounded(p99Ms, 1),
      ]),
    ),
  );
}

function report(measured: readonly Measured[]) {
  const list = values.slowest
    ? measured.toSorted((one, other) => other.cpuP99Ms - one.cpuP99Ms)
    : measured;
  print(`\n${PAGE} messages of ${values.messages}, ms\n`);
  print(
    table(
      ['narrow', 'found', 'p50', 'p99', 'CPU p50', 'p99', 'rows', 'reads', 'refused'],
      list.map((one) => [
        one.kind,
        rounded(one.found, 1),
        rounded(one.p50Ms, 2),
        rounded(one.p99Ms, 2),
        rounded(one.cpuP50Ms, 2),
        rounded(one.cpuP99Ms, 2),
        one.rowsMax,
        one.readsMax,
        one.refused,
      ]),
    ),
  );
}

await runMain(main);
