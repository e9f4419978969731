import { open } from 'lmdb';
import { parseNarrow } from '../../src/domain/rules/messages/narrow.ts';
import { fetchMessages } from '../../src/operations/reading/message-list.ts';
import type { IrcMessage } from '../fixtures/irc.ts';
import { FORM, PAGE } from '../stores/history-pages.ts';
import {
  figuresOfTimes,
  latenciesOfTimes,
  newTimes,
  OWN_PIDS,
  storeFolder,
  storeMessages,
  timed,
} from '../stores/in-process.ts';
import { askedBy, type Declared, type Kind, kind } from '../stores/narrows.ts';
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
    const script = scriptOf(texts);
    await compareSends(context, script);
    for (const count of chosen.stores) {
      const path = storeFolder(chosen.data, `search-${count}`);
      const store = await openStore(path, { script, isIndexed: true });
      await fill(store, count, (part) =>
        doing(`a store of ${count} messages, ${Math.round(part * 100)} %`),
      );
      for (const kind of kinds) await searchFor(context, { store, kind, count });
      await store.store.close();
      await readSize(context, path, count);
    }
  },
});

/** The same messages to both, in turns, so that a slow moment of the machine falls on both. */
async function compareSends(
  { options: { compared, data }, setting, measure }: Search,
  script: Script,
): Promise<void> {
  const plain = await openStore(storeFolder(data, 'plain'), { script, isIndexed: false });
  const indexed = await openStore(storeFolder(data, 'compared'), { script, isIndexed: true });
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
  const at = { axis: 'messages in the store', curve: kind, value: count };
  for (let repeat = 0; repeat < setting.repeats; repeat++) {
    await measure({
      case: { name: `${kind}, ${count} messages`, ...(DRAWN.includes(kind) ? { at } : {}) },
      server: 'confab',
      pids: OWN_PIDS,
      run: async () => {
        const times = newTimes();
        let found = 0;
        for (let n = 0; n < searches; n++) {
          const search = timed(() => one(repeat * searches + n));
          times.record(search);
          found += search.result;
        }
        return { ...times.encoded(), found };
      },
      figures: ({ found, ...times }) => ({ ...figuresOfTimes(times), found: found / searches }),
      latencies: latenciesOfTimes,
    });
  }
}

/** How many messages are found. */
function search100({ store }: Store, as: number, narrow: ReturnType<typeof parseNarrow>): number {
  const { user, site } = callerOf(store, as);
  const range = { anchor: 'newest', includeAnchor: true, numBefore: PAGE, numAfter: 0 } as const;
  return fetchMessages(store.reader, { user, site, narrow, ...range, ...FORM }).messages.length;
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
  const rareWord = (n: number) => any(rare, n);
  const word = (n: number) => any(some, n);
  const frequentWord = (n: number) => any(frequent, n);
  const frequentPhrase = (n: number) => `"${any(frequent, n)} ${any(frequent, n, 'b')}"`;
  const phraseOfTwo = (n: number) => phrase(n, 2);
  const twoOfMany = (n: number) => String.fromCodePoint(0x4e00 + (n % 7), 0x4e00 + (n % 11));
  const search = (name: string, text: (n: number) => string, ...beside: readonly Declared[]) =>
    kind(name, ...beside, ['search', text]);
  const place = (n: number) => placeOf(messages, hashOf(`${n}`) % messages.length);
  const inChannel: Declared = ['channel', (n) => `channel ${1 + (n % 20)}`];
  const inTopic: Declared = ['topic', (n) => place(n).topic];
  const inItsChannel: Declared = ['channel', (n) => `channel ${place(n).channel}`];
  const bySender: Declared = ['sender', (n) => `user-${1 + (n % 400)}@bench.example.com`];
  const unread: Declared = ['is', 'unread'];
  return [
    search('rare word', rareWord),
    search('word', word),
    search('frequent word', frequentWord),
    search('two words of a message', two),
    search('two words', (n) => `${any(some, n)} ${any(some, n, 'b')}`),
    search('phrase of two words', phraseOfTwo),
    search('phrase of four words', (n) => phrase(n, 4)),
    search('phrase of frequent words', frequentPhrase),
    search('part of a word', (n) => `"${any(some, n).slice(1)}"`),
    search('prefix', (n) => `${any(some, n).slice(0, 3)}*`),
    search('prefix of a letter', (n) => `${any(some, n).slice(0, 1)}*`),
    search('two characters, no spaces', twoOfMany),
    search('no such word', (n) => `zq${n}xv`),
    search('no such part of a word', (n) => `"zq${n}xv"`),
    search('word, in a channel', word, inChannel),
    search('word and phrase of two words', (n) => `${any(frequent, n, 'c')} ${phrase(n, 2)}`),
    search('phrase of two words, in a channel', phraseOfTwo, inChannel),
    search('phrase of frequent words, in a channel', frequentPhrase, inChannel),
    search('phrase of two words, by a sender', phraseOfTwo, bySender),
    search('frequent word, in a topic', frequentWord, inItsChannel, inTopic),
    askedBy(MEMBER, search('phrase of two words, unread', phraseOfTwo, unread)),
    askedBy(MEMBER, search('frequent word, unread', frequentWord, unread)),
    search('frequent word, by a sender', frequentWord, bySender),
    askedBy(MEMBER, search('word, a member of 3 channels', word)),
    askedBy(MEMBER, search('rare word, a member of 3 channels', rareWord)),
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
