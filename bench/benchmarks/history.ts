import { fetchMessages } from '../../src/operations/reading/message-list.ts';
import { unreadMessages } from '../../src/operations/registration/state/unread.ts';
import type { RealmReader } from '../../storage/transaction.ts';
import { type Grouped, narrowsOf } from '../stores/history-narrows.ts';
import {
  countingReader,
  FORM,
  fetch,
  fetchJson,
  PAGE,
  type Request,
} from '../stores/history-pages.ts';
import { RETURNED, history as scriptOf } from '../stores/history-store.ts';
import { stepsOfAll, stepsOfMarked, UNREAD_ROUNDS } from '../stores/history-unread.ts';
import {
  figuresOfTimes,
  latenciesOfTimes,
  newTimes,
  OWN_PIDS,
  storeFolder,
  storeMessages,
  type Timed,
  timed,
} from '../stores/in-process.ts';
import { callerOf, fill, openStore, type Store } from '../stores/search-store.ts';
import { benchmark, lower, WITHIN_99 } from '../suite/benchmark.ts';
import type { Context } from '../suite/context.ts';
import { newLatencies, summaryOf } from '../suite/latencies.ts';
import { number, numbers, text, type Values, words } from '../suite/options.ts';
import { grouped } from '../suite/statistics.ts';

const options = {
  stores: numbers({
    meaning: 'messages of the store, 5000 at least; a store for each number',
    default: [10_000, 50_000],
    quick: [5000],
  }),
  fetches: number({ meaning: 'pages of each kind of narrow in a repeat', default: 6, quick: 8 }),
  only: text({ meaning: 'kinds of narrow that have this in their name', default: '' }),
  cases: words(['groups', 'kinds'], {
    meaning: 'a case for each group of narrows, or for each kind',
    default: ['groups'],
  }),
  data: text({
    meaning: 'keep the stores here; what is there already is not sent again',
    default: '',
  }),
};

const metrics = {
  'CPU p50': lower('ms', 'CPU time of all threads for one page: half of the pages are within it.'),
  'CPU p99': WITHIN_99,
  'CPU a page': lower(
    'ms',
    'The same on average: what collecting the garbage of many takes is in it.',
  ),
  'clock p99': lower('ms', 'The same on the clock, which on a busy machine counts what else runs.'),
  'messages read': lower(
    'rows',
    'Messages read, of the page that read most; those that it gives are among them.',
  ),
  'other reads': lower(
    'reads',
    'Other rows that were looked up, and ranges of indexes that were read, of the same page.',
  ),
};

type History = Context<Values<typeof options>, keyof typeof metrics>;

export const history = benchmark({
  name: 'history',
  summary: 'pages of messages by each kind of narrow, and what somebody with 50,000 unread asks',
  description:
    'A store of a realistic mix, in the same process and without HTTP. Each narrow is asked for with every anchor in turn: the newest 100 messages, the oldest, 100 around one in the middle, 100 around the first unread one, and every tenth time for 100 by their ids; the reply is encoded. The baseline reads the same messages by their ids and encodes the same reply. Narrows that are alike are one case, of which the slowest is named; --cases kinds has each of the 132 kinds by itself.',
  elsewhere: 'history opens a store in its own process; `http` asks a server elsewhere for pages.',
  options,
  metrics,
  targets: [
    { name: 'p99 of a page', metric: 'CPU p99', case: /^(by|several|negated|what) /, atMost: 10 },
    // Elsewhere many pages are not full.
    {
      name: 'a page, of bare reads and encoding',
      metric: 'CPU a page',
      case: /^by place/,
      against: { server: 'baseline' },
      atMost: 2,
    },
  ],
  seconds: ({ stores, fetches }, repeats) =>
    stores.reduce((sum, count) => sum + 3 + count / 4000, 0) +
    stores.length * fetches * repeats * 0.45,
  run: async (context) => {
    const { options: chosen, setting, expect, doing } = context;
    const texts = await storeMessages(setting);
    expect(chosen.stores.length * setting.repeats * (2 * GROUPS + UNREAD_CASES));
    for (const count of chosen.stores) {
      const script = scriptOf(texts, count);
      const path = storeFolder(chosen.data, `history-${count}`);
      const store = await openStore(path, { script, isIndexed: true });
      await fill(store, count, (part) =>
        doing(`a store of ${count} messages, ${Math.round(part * 100)} %`),
      );
      await fetchPages(context, store.store.reader, count);
      await askUnread(context, store, count);
      await store.store.close();
    }
  },
});

/** For the progress, which need not be exact: the kinds are known only once the store is there. */
const GROUPS = 6;
const UNREAD_CASES = 4;
/**
 * Pages of each kind before the first is measured: with fewer a third of the CPU time was the
 * compiler's threads.
 */
const WARM_UP = 24;

async function fetchPages(
  { options: { only, cases, fetches }, setting, measure, note }: History,
  reader: RealmReader,
  count: number,
): Promise<void> {
  const kinds = narrowsOf(reader).filter(({ kind }) => kind.includes(only));
  const lastId = reader.counters.get(['counters'])?.message ?? 0;
  // Once, as what is read does not depend on the machine; and first, as code that meets another
  // reader is compiled again.
  const counting = countingReader(reader);
  const nameOf = ({ kind, group }: Grouped) => (cases.includes('kinds') ? kind : group);
  const counted = grouped(kinds, nameOf).map((own) => ({
    name: own.map(nameOf)[0] ?? '',
    own,
    reads: countReads(counting, { kinds: own, first: 0, fetches, lastId }),
  }));
  for (let n = 0; n < WARM_UP; n++) {
    for (const kind of kinds) fetch(reader, { kind, n, lastId });
  }
  for (const { name, own, reads } of counted) {
    let slowest: Slowest = { kind: '', cpuMs: 0 };
    const title = {
      name: `${name}, ${count} messages`,
      at: { axis: 'messages in the store', curve: name, value: count },
    };
    for (let repeat = 0; repeat < setting.repeats; repeat++) {
      const pages = { kinds: own, first: repeat * fetches, fetches, lastId };
      const fetched = await measure({
        case: title,
        server: 'confab',
        pids: OWN_PIDS,
        run: async () => timePages(pages, page(reader)),
        figures: (pages) => ({
          ...figuresOf(pages),
          'messages read': reads.rows,
          'other reads': reads.others,
        }),
        latencies: latenciesOfTimes,
      });
      await measure({
        case: title,
        server: 'baseline',
        pids: OWN_PIDS,
        run: async () => timePages(pages, baseline(reader)),
        figures: figuresOf,
        latencies: latenciesOfTimes,
      });
      if (fetched.slowest.cpuMs > slowest.cpuMs) slowest = fetched.slowest;
    }
    const ms = slowest.cpuMs.toFixed(1);
    if (own.length > 1)
      note(`${name}, ${count} messages: slowest was "${slowest.kind}", ${ms} ms.`);
  }
}

interface Pages {
  readonly kinds: readonly Grouped[];
  readonly first: number;
  readonly fetches: number;
  readonly lastId: number;
}

/** By turns: what the machine does meanwhile falls on all kinds. */
function* requestsOf({ kinds, first, fetches, lastId }: Pages): Generator<Request> {
  for (let n = first; n < first + fetches; n++) {
    for (const kind of kinds) yield { kind, n, lastId };
  }
}

interface Slowest {
  readonly kind: string;
  readonly cpuMs: number;
}

type Ask = (request: Request) => Timed<Buffer>;

/** Measures a request for a page behind HTTP. */
const page =
  (reader: RealmReader): Ask =>
  (request) =>
    timed(() => fetchJson(reader, request));

/** The least that the same reply can cost: its messages by their ids, and its bytes. */
const baseline =
  (reader: RealmReader): Ask =>
  (request) => {
    const list = fetch(reader, request);
    const ids = list?.messages.map(({ id }) => id) ?? [];
    return timed(() => {
      for (const id of ids) reader.messages.get([id]);
      return Buffer.from(JSON.stringify(list ?? null));
    });
  };

function timePages(pages: Pages, ask: Ask) {
  const times = newTimes();
  let slowest: Slowest = { kind: '', cpuMs: 0 };
  let sumMs = 0;
  for (const request of requestsOf(pages)) {
    const asked = ask(request);
    times.record(asked);
    sumMs += asked.cpuMs;
    if (asked.cpuMs > slowest.cpuMs) slowest = { kind: request.kind.kind, cpuMs: asked.cpuMs };
  }
  const meanMs = sumMs / (pages.kinds.length * pages.fetches);
  return { ...times.encoded(), meanMs, slowest };
}

const figuresOf = ({ meanMs, ...times }: ReturnType<typeof timePages>) => ({
  'CPU a page': meanMs,
  ...figuresOfTimes(times),
});

/** Returns the counts of the page that read most. */
function countReads(counting: ReturnType<typeof countingReader>, pages: Pages) {
  const reads = Array.from(requestsOf(pages), (request) =>
    counting.during((counted) => fetch(counted, request)),
  );
  return {
    rows: Math.max(...reads.map(({ rows }) => rows)),
    others: Math.max(...reads.map(({ others }) => others)),
  };
}

const MARKED_MAX = 20_000;

/**
 * CPU time of what somebody asks for who has not read for long; each holds up everybody else for as
 * long.
 */
async function askUnread(
  { setting, measure }: History,
  { store }: Store,
  count: number,
): Promise<void> {
  const { reader } = store;
  const { user, site } = callerOf(store, RETURNED);
  const unread = unreadMessages(reader, user).count;
  const range = { user, site, narrow: [], includeAnchor: true, ...AROUND_FIRST_UNREAD, ...FORM };
  const marked = Math.min(MARKED_MAX, Math.floor(count / 2));
  const several = (act: () => unknown) => async () =>
    Array.from({ length: UNREAD_ROUNDS }, () => timed(act).cpuMs);
  const cases: Readonly<Record<string, () => Promise<readonly number[]>>> = {
    [`unread_msgs of a registration, ${unread} unread`]: several(() =>
      unreadMessages(reader, user),
    ),
    [`the first unread page, ${unread} unread`]: several(() => fetchMessages(reader, range)),
    [`mark all as read, ${unread} unread`]: () => stepsOfAll(store, user),
    [`a step of marking ${marked} one by one`]: () => stepsOfMarked(store, { user, marked }),
  };
  for (let repeat = 0; repeat < setting.repeats; repeat++) {
    for (const [name, run] of Object.entries(cases)) {
      await measure({
        case: `${name}, of ${count} messages`,
        server: 'confab',
        pids: OWN_PIDS,
        run: async () => {
          const cpu = newLatencies();
          for (const ms of await run()) cpu.record(ms);
          return cpu.encoded();
        },
        figures: (cpu) => ({ 'CPU p50': summaryOf(cpu).p50Ms, 'CPU p99': summaryOf(cpu).p99Ms }),
        latencies: (cpu) => ({ 'CPU time': cpu }),
      });
    }
  }
}

const AROUND_FIRST_UNREAD = {
  anchor: 'first_unread',
  numBefore: PAGE / 2,
  numAfter: PAGE / 2,
} as const;
