import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { open } from 'lmdb';
import { parseNarrow } from '../src/domain/narrow.ts';
import { fetchMessages } from '../src/operations/message-list.ts';
import { print, quantile, rounded, runMain, table, thousands, writeResults } from './report.ts';
import { temporaryDirectory } from './servers/start.ts';
import { type IrcMessage, readIrcMessages } from './stage/irc.ts';
import {
  type Cost,
  callerOf,
  fill,
  hashOf,
  MEMBER,
  OWNER,
  openStore,
  placeOf,
  searched as realmOf,
  type Store,
  TURN,
} from './stores/search-store.ts';

const HELP = `search: what the search index costs a send, its size, and how long searches take

  node dist/bench/search.js <messages.jsonl.gz> [options]

  --messages <n>  in the store                     (100000)
  --compared <n>  sends compared with and without  (20000)
  --searches <n>  of each kind                     (200)
  --only <text>   kinds that have it in their names
  --data <dir>    keep the store here; what is there already is not sent again
  --json <file>   write the results there as well
  --help

In one process, without HTTP. Beyond its end the file is repeated, with some words changed.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    messages: { type: 'string', default: '100000' },
    compared: { type: 'string', default: '20000' },
    searches: { type: 'string', default: '200' },
    only: { type: 'string', default: '' },
    data: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const FIXTURE = 'test/fixtures/irc-messages.jsonl.gz';
const PAGE = 100;
const FILE_MESSAGES_MAX = 250_000;

async function main(): Promise<void> {
  if (values.help) return print(HELP);
  const texts = await readIrcMessages(positionals[0] ?? FIXTURE, FILE_MESSAGES_MAX);
  const script = realmOf(texts);
  const directory = temporaryDirectory();
  const pathOf = (name: string, parent = directory.path) => {
    const path = join(parent, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  try {
    const one = await openStore(pathOf('one'), { script, isIndexed: true });
    const plain = await openStore(pathOf('plain'), { script, isIndexed: false });
    const sends = await compared(one, plain);
    await Promise.all([one.store.close(), plain.store.close()]);
    const indexed = await openStore(pathOf('indexed', values.data), { script, isIndexed: true });
    const costs = await fill(indexed, Number(values.messages));
    const filled = costs.length === 0 ? null : rateOf('the others', costs);
    const kinds = searched(indexed, texts);
    await indexed.store.close();
    const sizes = bytes(indexed.path);
    report({ sends, filled, kinds, sizes });
    const results = { options: values, sends, filled, kinds, sizes };
    writeResults(values.json, 'search', results);
  } finally {
    directory.remove();
  }
}

interface Rate {
  readonly name: string;
  readonly perSecond: number;
  readonly microseconds: number;
  readonly commitP50Ms: number;
  readonly commitP99Ms: number;
}

/** The same messages to both, in turns, so that a slow moment of the machine falls on both. */
async function compared(indexed: Store, plain: Store): Promise<readonly Rate[]> {
  const count = Number(values.compared);
  const costs = { indexed: [] as Cost[], plain: [] as Cost[] };
  for (let sent = 0; sent < count; sent += TURN) {
    costs.plain.push(await plain.send(TURN));
    costs.indexed.push(await indexed.send(TURN));
  }
  return [rateOf('without index', costs.plain), rateOf('with index', costs.indexed)];
}

function rateOf(name: string, costs: readonly Cost[]): Rate {
  const sum = (of: (cost: Cost) => number) => costs.reduce((total, cost) => total + of(cost), 0);
  const count = sum((cost) => cost.count);
  const commits = costs.flatMap(({ commitMs }) => commitMs);
  return {
    name,
    perSecond: count / sum(({ seconds }) => seconds),
    microseconds: (sum(({ cpuSeconds }) => cpuSeconds) / count) * 1e6,
    commitP50Ms: quantile(commits, 0.5),
    commitP99Ms: quantile(commits, 0.99),
  };
}

interface Timed {
  readonly kind: string;
  readonly found: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of all threads of the process: what a machine that has other work does not add to. */
  readonly cpuP50Ms: number;
  readonly cpuP99Ms: number;
  readonly refused: number;
}

interface Kind {
  readonly kind: string;
  readonly as?: number;
  /** The n-th search of this kind. */
  readonly narrow: (n: number) => readonly (readonly [string, string])[];
}

function searched(indexed: Store, texts: readonly IrcMessage[]): readonly Timed[] {
  const kinds = kindsOf(texts).filter(({ kind }) => kind.includes(values.only));
  const count = Number(values.searches);
  const times = kinds.map(() => [] as number[]);
  const cpuTimes = kinds.map(() => [] as number[]);
  const found = kinds.map(() => 0);
  const refused = kinds.map(() => 0);
  // By turns: what the machine does meanwhile falls on all kinds.
  for (let n = -WARM_UP; n < count; n++) {
    for (const [index, { as = OWNER, narrow }] of kinds.entries()) {
      const terms = parseNarrow(narrow(Math.abs(n)));
      const start = performance.now();
      const cpu = process.cpuUsage();
      let length = 0;
      try {
        length = search(indexed, as, terms);
      } catch {
        refused[index] = (refused[index] ?? 0) + 1;
      }
      if (n < 0) continue;
      const { user, system } = process.cpuUsage(cpu);
      cpuTimes[index]?.push((user + system) / 1000);
      times[index]?.push(performance.now() - start);
      found[index] = (found[index] ?? 0) + length;
    }
  }
  return kinds.map(({ kind }, index) => ({
    kind,
    found: (found[index] ?? 0) / count,
    p50Ms: quantile(times[index] ?? [], 0.5),
    p99Ms: quantile(times[index] ?? [], 0.99),
    cpuP50Ms: quantile(cpuTimes[index] ?? [], 0.5),
    cpuP99Ms: quantile(cpuTimes[index] ?? [], 0.99),
    refused: refused[index] ?? 0,
  }));
}

const WARM_UP = 5;

function search({ store }: Store, as: number, narrow: ReturnType<typeof parseNarrow>): number {
  const { user, place } = callerOf(store, as);
  return fetchMessages(store.reader, {
    user,
    place,
    narrow,
    anchor: 'newest',
    includeAnchor: true,
    numBefore: PAGE,
    numAfter: 0,
    applyMarkdown: true,
    clientGravatar: true,
    allowEmptyTopicName: true,
  }).messages.length;
}

/** Searches made of the words of the messages themselves. */
function kindsOf(messages: readonly IrcMessage[]): readonly Kind[] {
  const texts = messages.map(({ text }) => text);
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const word of new Set(wordsOf(text))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const byCount = [...counts].sort((one, other) => other[1] - one[1]);
  const frequent = byCount.slice(0, 50).map(([word]) => word);
  const some = byCount.slice(200, 2000).map(([word]) => word);
  const rare = byCount.filter(([, count]) => count >= 2 && count <= 5).map(([word]) => word);
  const long = texts.filter((text) => wordsOf(text).length >= 6);
  const any = (list: readonly string[], n: number, salt = '') =>
    list[hashOf(`${n}${salt}`) % list.length] ?? '';
  const phrase = (n: number, length: number) => {
    const words = any(long, n)
      .split(' ')
      .filter((word) => /^[a-z]+$/.test(word));
    return `"${words.slice(1, 1 + length).join(' ') || 'of the'}"`;
  };
  const two = (n: number) => wordsOf(any(long, n)).slice(1, 3).join(' ');
  const one = (kind: string, text: (n: number) => string): Kind => ({
    kind,
    narrow: (n) => [['search', text(n)]],
  });
  return [
    one('rare word', (n) => any(rare, n)),
    one('word', (n) => any(some, n)),
    one('frequent word', (n) => any(frequent, n)),
    one('two words of a message', two),
    one('two words', (n) => `${any(some, n)} ${any(some, n, 'b')}`),
    one('phrase of two words', (n) => phrase(n, 2)),
    one('phrase of four words', (n) => phrase(n, 4)),
    one('phrase of frequent words', (n) => `"${any(frequent, n)} ${any(frequent, n, 'b')}"`),
    one('part of a word', (n) => `"${any(some, n).slice(1)}"`),
    one('prefix', (n) => `${any(some, n).slice(0, 3)}*`),
    one('prefix of a letter', (n) => `${any(some, n).slice(0, 1)}*`),
    one('two characters, no spaces', (n) =>
      String.fromCodePoint(0x4e00 + (n % 7), 0x4e00 + (n % 11)),
    ),
    one('no such word', (n) => `zq${n}xv`),
    one('no such part of a word', (n) => `"zq${n}xv"`),
    {
      kind: 'word, in a channel',
      narrow: (n) => [
        ['channel', `channel ${1 + (n % 20)}`],
        ['search', any(some, n)],
      ],
    },
    one('word and phrase of two words', (n) => `${any(frequent, n, 'c')} ${phrase(n, 2)}`),
    {
      kind: 'phrase of two words, in a channel',
      narrow: (n) => [
        ['channel', `channel ${1 + (n % 20)}`],
        ['search', phrase(n, 2)],
      ],
    },
    {
      kind: 'phrase of frequent words, in a channel',
      narrow: (n) => [
        ['channel', `channel ${1 + (n % 20)}`],
        ['search', `"${any(frequent, n)} ${any(frequent, n, 'b')}"`],
      ],
    },
    {
      kind: 'phrase of two words, by a sender',
      narrow: (n) => [
        ['sender', `user-${1 + (n % 400)}@bench.example.com`],
        ['search', phrase(n, 2)],
      ],
    },
    {
      kind: 'frequent word, in a topic',
      narrow: (n) => {
        const { channel, topic } = placeOf(messages, hashOf(`${n}`) % messages.length);
        return [
          ['channel', `channel ${channel}`],
          ['topic', topic],
          ['search', any(frequent, n)],
        ];
      },
    },
    {
      kind: 'phrase of two words, unread',
      as: MEMBER,
      narrow: (n) => [
        ['is', 'unread'],
        ['search', phrase(n, 2)],
      ],
    },
    {
      kind: 'frequent word, unread',
      as: MEMBER,
      narrow: (n) => [
        ['is', 'unread'],
        ['search', any(frequent, n)],
      ],
    },
    {
      kind: 'frequent word, by a sender',
      narrow: (n) => [
        ['sender', `user-${1 + (n % 400)}@bench.example.com`],
        ['search', any(frequent, n)],
      ],
    },
    { kind: 'word, a member of 3 channels', as: MEMBER, narrow: (n) => [['search', any(some, n)]] },
    {
      kind: 'rare word, a member of 3 channels',
      as: MEMBER,
      narrow: (n) => [['search', any(rare, n)]],
    },
  ];
}

const wordsOf = (text: string) => text.toLowerCase().match(/[a-z]{2,}/g) ?? [];

const TABLES = [
  'search_blocks',
  'search_lists',
  'search_postings',
  'search_segments',
  'messages',
  'events',
] as const;

function bytes(path: string): Readonly<Record<string, number>> {
  const env = open({ path, readOnly: true, maxDbs: 200 });
  return Object.fromEntries(
    TABLES.map((name) => {
      const stats = env.openDB({ name }).getStats() as Record<string, number>;
      const pages =
        (stats['treeBranchPageCount'] ?? 0) +
        (stats['treeLeafPageCount'] ?? 0) +
        (stats['overflowPages'] ?? 0);
      return [name, pages * (stats['pageSize'] ?? 4096)];
    }),
  );
}

interface Results {
  readonly sends: readonly Rate[];
  readonly filled: Rate | null;
  readonly kinds: readonly Timed[];
  readonly sizes: Readonly<Record<string, number>>;
}

function report({ sends, filled, kinds, sizes }: Results) {
  print(`\nSends, 64 to a commit, without HTTP (${values.compared} of each)\n`);
  print(
    table(
      ['', 'sends/s', 'CPU us each', 'commit p50 ms', 'p99'],
      [...sends, ...(filled === null ? [] : [filled])].map((rate) => [
        rate.name,
        thousands(rate.perSecond),
        rounded(rate.microseconds, 1),
        rounded(rate.commitP50Ms, 1),
        rounded(rate.commitP99Ms, 1),
      ]),
    ),
  );
  print(`\nBytes, ${values.messages} messages\n`);
  print(
    table(
      ['table', 'MB', 'bytes a message'],
      Object.entries(sizes).map(([name, size]) => [
        name,
        rounded(size / 1e6, 1),
        rounded(size / Number(values.messages), 1),
      ]),
    ),
  );
  print(`\nThe newest ${PAGE} messages found, ms\n`);
  print(
    table(
      ['search', 'found', 'p50', 'p99', 'CPU p50', 'p99', 'refused'],
      kinds.map((timed) => [
        timed.kind,
        rounded(timed.found, 1),
        rounded(timed.p50Ms, 2),
        rounded(timed.p99Ms, 2),
        rounded(timed.cpuP50Ms, 2),
        rounded(timed.cpuP99Ms, 2),
        timed.refused,
      ]),
    ),
  );
}

await runMain(main);
