import { open } from 'lmdb';
import { parseNarrow } from '../../src/domain/rules/messages/narrow.ts';
import { fetchMessages } from '../../src/operations/reading/message-list.ts';
import type { IrcMessage } from '../fixtures/irc.ts';
import {
  OWN_PIDS,
  type StoreDirectory,
  storeDirectory,
  storeMessages,
  timed,
} from '../stores/in-process.ts';
import {
  type Cost,
  callerOf,
  fill,
  hashOf,
  MEMBER,
  OWNER,
  openStore,
  placeOf,
  type Script,
  type Store,
  searched as scriptOf,
  TURN,
} from '../stores/search-store.ts';
import { benchmark, higher, lower, WITHIN_99 } from '../suite/benchmark.ts';
import type { Context } from '../suite/context.ts';
import { newLatencies, summaryOf } from '../suite/latencies.ts';
import { number, numbers, text, type Values } from '../suite/options.ts';

const options = {
  stores: numbers({
    meaning: 'messages of the store, a store for each number',
    default: [10_000, 50_000],
    quick: [3000],
  }),
  compared: number({ meaning: 'sends with and without the index', default: 6000, quick: 2000 }),
  searches: number({ meaning: 'searches of each kind in a repeat', default: 20, quick: 10 }),
  only: text({ meaning: 'kinds of search that have this in their name', default: '' }),
  data: text({
    meaning: 'keep the stores here; what is there already is not sent again',
    default: '',
  }),
};

const metrics = {
  'CPU of a send': lower(
    'µs',
    'CPU time of all threads for one send, 64 to a commit, without HTTP.',
  ),
  'CPU p50': lower(
    'ms',
    'CPU time for the newest 100 matches: half of the searches are within it.',
  ),
  'CPU p99': WITHIN_99,
  'clock p99': lower('ms', 'The same on the clock, which on a busy machine counts what else runs.'),
  found: higher('messages', 'How many a search finds on average.'),
  'bytes a message': lower('B', 'Pages on disk of the tables of the index, by message.'),
};

type Search = Context<Values<typeof options>, keyof typeof metrics>;

export const search = benchmark({
  name: 'search',
  summary: 'what the index of words costs a send, its size, and how long searches take',
  description:
    'Real messages sent to a store in the same process, by turns with and without the index; then searches for the newest 100 matches, by kind, their words drawn from the messages. Beyond its end the file of messages is repeated, with some words changed.',
  elsewhere: 'search opens a store in its own process; there is nothing to ask a server elsewhere.',
  options,
  metrics,
  targets: [{ name: 'p99 of a search', metric: 'CPU p99', case: /./, atMost: 50 }],
  seconds: ({ stores, compared, searches }, repeats) =>
    compared / 2500 +
    stores.reduce((sum, count) => sum + count / 8000, 0) +
    stores.length * searches * repeats * 0.06 +
    2,
  run: async (context) => {
    const { options: chosen, setting, expect, doing } = context;
    const texts = await storeMessages(setting);
    const kinds = kindsOf(texts).filter(({ kind }) => kind.includes(chosen.only));
    expect(setting.repeats * (2 + kinds.length * chosen.stores.length) + chosen.stores.length);
    const stores = storeDirectory(chosen.data);
    const script = scriptOf(texts);
    try {
      await compareSends(context, stores, script);
      for (const count of chosen.stores) {
        const path = stores.folder(`search-${count}`);
        const store = await openStore(path, { script, isIndexed: true });
        await fill(store, count, (part) =>
          doing(`a store of ${count} messages, ${Math.round(part * 100)} %`),
        );
        for (const kind of kinds) await searchFor(context, { store, kind, count });
        await store.store.close();
        await readSize(context, path, count);
      }
    } finally {
      stores.remove();
    }
  },
});

/** The same messages to both, in turns, so that a slow moment of the machine falls on both. */
async function compareSends(
  { options: { compared }, setting, measure }: Search,
  stores: StoreDirectory,
  script: Script,
): Promise<void> {
  const plain = await openStore(stores.folder('plain'), { script, isIndexed: false });
  const indexed = await openStore(stores.folder('compared'), { script, isIndexed: true });
  const count = Math.max(TURN, Math.floor(compared / setting.repeats));
  for (let repeat = 0; repeat < setting.repeats; repeat++) {
    for (const [store, name] of [
      [plain, 'sends without the index'],
      [indexed, 'sends with the index'],
    ] as const) {
      await measure({
        case: name,
        server: 'confab',
        pids: OWN_PIDS,
        run: () => sendSome(store, count),
        figures: (costs) => ({ 'CPU of a send': microsecondsEach(costs) }),
      });
    }
  }
  await Promise.all([indexed.store.close(), plain.store.close()]);
}

async function sendSome(store: Store, count: number): Promise<readonly Cost[]> {
  const costs: Cost[] = [];
  for (let sent = 0; sent < count; sent += TURN) costs.push(await store.send(TURN));
  return costs;
}

const microsecondsEach = (costs: readonly Cost[]) => {
  const total = (of: (cost: Cost) => number) => costs.reduce((sum, cost) => sum + of(cost), 0);
  return (total(({ cpuSeconds }) => cpuSeconds) / total(({ count }) => count)) * 1e6;
};

interface Kind {
  readonly kind: string;
  readonly as?: number;
  /** The n-th search of this kind. */
  readonly narrow: (n: number) => readonly (readonly [string, string])[];
}

interface Searching {
  readonly store: Store;
  readonly kind: Kind;
  /** Messages in the store. */
  readonly count: number;
}

const WARM_UP = 5;
/** More lines in one plot are not told apart. */
const DRAWN = ['rare word', 'frequent word', 'two words', 'phrase of frequent words'];

async function searchFor(
  { options: { searches }, setting, measure }: Search,
  { store, kind: { kind, as = OWNER, narrow }, count }: Searching,
): Promise<void> {
  const one = (n: number) => search100(store, as, parseNarrow(narrow(n)));
  for (let n = 0; n < WARM_UP; n++) one(n);
  for (let repeat = 0; repeat < setting.repeats; repeat++) {
    await measure({
      case: {
        name: `${kind}, ${count} messages`,
        ...(DRAWN.includes(kind)
          ? { at: { axis: 'messages in the store', curve: kind, value: count } }
          : {}),
      },
      server: 'confab',
      pids: OWN_PIDS,
      run: async () => {
        const clock = newLatencies();
        const cpu = newLatencies();
        let found = 0;
        for (let n = 0; n < searches; n++) {
          const { result, ms, cpuMs } = timed(() => one(repeat * searches + n));
          clock.record(ms);
          cpu.record(cpuMs);
          found += result;
        }
        return { clock: clock.encoded(), cpu: cpu.encoded(), found };
      },
      figures: ({ clock, cpu, found }) => ({
        'CPU p50': summaryOf(cpu).p50Ms,
        'CPU p99': summaryOf(cpu).p99Ms,
        'clock p99': summaryOf(clock).p99Ms,
        found: found / searches,
      }),
      latencies: ({ clock, cpu }) => ({ 'on the clock': clock, 'CPU time': cpu }),
    });
  }
}

const PAGE = 100;

/** How many messages are found. */
function search100({ store }: Store, as: number, narrow: ReturnType<typeof parseNarrow>): number {
  const { user, site } = callerOf(store, as);
  return fetchMessages(store.reader, {
    user,
    site,
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

async function readSize({ measure }: Search, path: string, count: number): Promise<void> {
  await measure({
    case: {
      name: `${count} messages`,
      at: { axis: 'messages in the store', curve: 'index', value: count },
    },
    server: 'confab',
    pids: OWN_PIDS,
    run: async () => bytesOfIndex(path),
    figures: (bytes) => ({ 'bytes a message': bytes / count }),
  });
}

const TABLES = ['search_blocks', 'search_lists', 'search_postings', 'search_segments'] as const;

function bytesOfIndex(path: string): number {
  const env = open({ path, readOnly: true, maxDbs: 200 });
  const bytes = TABLES.map((name) => {
    const stats = env.openDB({ name }).getStats() as Record<string, number>;
    const pages =
      (stats['treeBranchPageCount'] ?? 0) +
      (stats['treeLeafPageCount'] ?? 0) +
      (stats['overflowPages'] ?? 0);
    return pages * (stats['pageSize'] ?? 4096);
  });
  return bytes.reduce((sum, one) => sum + one, 0);
}
