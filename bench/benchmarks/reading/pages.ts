import { EncodedList, jsonOf } from '../../../src/domain/wire/encoded-list.ts';
import {
  type Anchor,
  fetchEncoded,
  fetchMessages,
  type MessageList,
} from '../../../src/operations/reading/message-list.ts';
import type { RealmReader } from '../../../storage/transaction.ts';
import type { Listed } from '../../stores/history-pages.ts';
import { OWN_PIDS, storeFolder, storeMessages } from '../../stores/in-process.ts';
import { FRIEND, MEMBER, NEWCOMER, OWNER, pagesScript } from '../../stores/pages-store.ts';
import { callerOf, fill, hashOf, openStore } from '../../stores/search-store.ts';
import { benchmark, lower } from '../../suite/benchmark.ts';
import type { Context } from '../../suite/context.ts';
import { number, numbers, text, type Values } from '../../suite/options.ts';

const options = {
  channels: numbers({
    meaning: 'channels of the realm, a store for each number',
    default: [80],
    quick: [80],
  }),
  stored: number({ meaning: 'messages of a store', default: 100_000, quick: 20_000 }),
  fetches: number({ meaning: 'pages of each kind in a repeat', default: 200, quick: 20 }),
  only: text({ meaning: 'kinds of page that have this in their name', default: '' }),
  data: text({
    meaning: 'keep the stores here; what is there already is not sent again',
    default: '',
  }),
};

const metrics = {
  'a page': lower('µs', 'Time on the clock of finding and encoding a page: half are within it.'),
};

type Pages = Context<Values<typeof options>, keyof typeof metrics>;

export const pages = benchmark({
  name: 'pages',
  summary: 'pages of 100 messages beside bare reads of the same rows',
  description:
    'A store in the same process, without HTTP. Somebody asks for the newest 100 messages, and for the 100 before a message anywhere, by turns as HTML and as Markdown. The same rows are read by their ids and decoded, and nothing more: those are the bare reads. The baseline reads them and encodes the same answer. All three take turns for each page.',
  elsewhere: 'pages opens a store in its own process; `http` asks a server elsewhere for pages.',
  options,
  metrics,
  targets: [
    {
      name: 'a page, of bare reads',
      metric: 'a page',
      case: /./,
      against: { server: 'bare reads' },
      atMost: 3,
    },
    {
      name: 'a page, of bare reads and encoding',
      metric: 'a page',
      case: /./,
      against: { server: 'baseline' },
      atMost: 3,
    },
  ],
  seconds: ({ channels, stored, fetches }, repeats) =>
    channels.reduce((sum, count) => sum + 3 + stored / 4000 + count / 400, 0) +
    channels.length * KINDS.length * repeats * fetches * 0.003,
  run: async (context) => {
    const { options: chosen, setting, expect, doing } = context;
    const texts = await storeMessages(setting);
    const kinds = KINDS.filter(({ name }) => name.includes(chosen.only));
    expect(chosen.channels.length * kinds.length * setting.repeats * SERVERS.length);
    for (const channels of chosen.channels) {
      const path = storeFolder(chosen.data, `pages-${chosen.stored}-${channels}`);
      const store = await openStore(path, {
        script: pagesScript(texts, channels),
        isIndexed: true,
      });
      await fill(store, chosen.stored, (part) =>
        doing(`a store of ${channels} channels, ${Math.round(part * 100)} %`),
      );
      for (const kind of kinds) await measureKind(context, store.store.reader, { kind, channels });
      await store.store.close();
    }
  },
});

interface Kind {
  readonly name: string;
  readonly as: number;
  readonly narrow: Parameters<typeof fetchMessages>[1]['narrow'];
}

const inChannel = { operator: 'channel', operand: 7, negated: false } as const;
const inTopic = { operator: 'topic', operand: 'topic 3', negated: false } as const;

const KINDS: readonly Kind[] = [
  { name: 'a channel', as: MEMBER, narrow: [inChannel] },
  { name: 'a topic', as: MEMBER, narrow: [inChannel, inTopic] },
  {
    name: 'two people',
    as: MEMBER,
    narrow: [{ operator: 'dm', operand: [FRIEND], negated: false }],
  },
  {
    name: 'all direct messages',
    as: MEMBER,
    narrow: [{ operator: 'is', operand: 'dm', negated: false }],
  },
  { name: 'all, of 40 channels', as: MEMBER, narrow: [] },
  { name: 'all, of 5 channels', as: NEWCOMER, narrow: [] },
  { name: 'all, of every channel', as: OWNER, narrow: [] },
];

const PAGE = 100;
const SERVERS = ['confab', 'bare reads', 'baseline'] as const;
type Server = (typeof SERVERS)[number];

async function measureKind(
  { options: { fetches }, setting, measure }: Pages,
  reader: RealmReader,
  { kind, channels }: { kind: Kind; channels: number },
): Promise<void> {
  takeTurns(reader, kind, { first: 0, fetches });
  for (let repeat = 0; repeat < setting.repeats; repeat++) {
    const times = takeTurns(reader, kind, { first: repeat * fetches, fetches });
    for (const server of SERVERS) {
      await measure({
        case: `${kind.name}, ${channels} channels`,
        server,
        pids: OWN_PIDS,
        run: async () => times[server],
        figures: (own) => ({ 'a page': medianOf(own) }),
      });
    }
  }
}

const medianOf = (times: readonly number[]) =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;

/** Asks for pages; returns how many microseconds each took each server. */
function takeTurns(
  reader: RealmReader,
  kind: Kind,
  { first, fetches }: { first: number; fetches: number },
): Readonly<Record<Server, readonly number[]>> {
  const times: Record<Server, number[]> = { confab: [], 'bare reads': [], baseline: [] };
  const lastId = reader.counters.get(['counters'])?.message ?? 0;
  for (let n = first; n < first + fetches; n++) {
    const request = requestOf(reader, kind, { n, lastId });
    const list = fetchMessages(reader, request) as MessageList<Listed>;
    const ids = list.messages.map(({ id }) => id);
    const acts: Record<Server, () => unknown> = {
      confab: () => pageOf(reader, request),
      'bare reads': () => readAll(reader, ids),
      baseline: () => {
        readAll(reader, ids);
        return Buffer.from(JSON.stringify(list));
      },
    };
    for (let turn = 0; turn < SERVERS.length; turn++) {
      const server = SERVERS[(n + turn) % SERVERS.length] ?? 'confab';
      const before = performance.now();
      acts[server]();
      times[server].push((performance.now() - before) * 1000);
    }
  }
  return times;
}

function readAll(reader: RealmReader, ids: readonly number[]): void {
  for (const id of ids) reader.messages.get([id]);
}

/**
 * Returns the answer of the endpoint, as bytes: the engine copies the pieces of a text only when it
 * is written.
 */
function pageOf(reader: RealmReader, request: Parameters<typeof fetchEncoded>[1]): Buffer {
  const list = fetchEncoded(reader, request);
  const messages = new EncodedList(list.messages.map(({ json }) => json));
  return Buffer.from(jsonOf({ ...list, messages }));
}

function requestOf(
  reader: RealmReader,
  { as, narrow }: Kind,
  { n, lastId }: { n: number; lastId: number },
): Parameters<typeof fetchMessages>[1] {
  const { user, site } = callerOf({ reader }, as);
  const anchor: Anchor = n % 2 === 0 ? 'newest' : 1 + (hashOf(`${n} anchor`) % lastId);
  return {
    ...{ user, site, narrow, anchor, includeAnchor: true, numBefore: PAGE, numAfter: 0 },
    ...{ applyMarkdown: n % 4 < 2, clientGravatar: true, allowEmptyTopicName: true },
  };
}
