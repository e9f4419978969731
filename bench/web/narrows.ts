import { drawn, firstMessage, follow, type Reader } from './browser.ts';
import { medianOf } from './calibration.ts';
import { type TraceEvent, traced, traceOf, type Work } from './trace.ts';

/** Goes to and fro between addresses that were seen before. Gives the work of each going. */
export async function goLoaded(
  reader: Reader,
  hashes: readonly string[],
  times: number,
): Promise<readonly Work[]> {
  for (const hash of hashes) await goTo(reader, hash);
  const work = await traced(reader.browser, reader.page, async () => {
    for (let time = 0; time < times; time += 1) {
      await reader.page.evaluate(`performance.mark('step')`);
      await goTo(reader, hashes[time % hashes.length] ?? '');
    }
  });
  // The first part is the time before the first one.
  return work.slice(1);
}

async function goTo(reader: Reader, hash: string) {
  await follow(reader, hash);
  await firstMessage(reader);
  await drawn(reader);
}

interface Fresh {
  /** CPU time of the page's main thread from the step until the rows are laid out. */
  readonly workMs: number;
  /** The same on the clock, with all that was waited for. */
  readonly shownMs: number;
  /** From the call that sent the question until its answer is there, on the clock. */
  readonly roundTripMs: number;
}

/** Goes to addresses that were not seen before, and gives the medians of what it took. */
export async function goFresh(reader: Reader, hashes: readonly string[]): Promise<Fresh> {
  const { page, browser } = reader;
  if (hashes.length === 0) throw new Error('There are too few topics that were not seen');
  const all: Fresh[] = [];
  for (const hash of hashes) {
    const events = await traceOf(browser, {
      categories: CATEGORIES,
      isKept: ({ name, args }) =>
        KEPT.has(name) || (FRAME.test(name) && args?.params?.opcode === TEXT),
      act: async () => {
        await page.evaluate(timedGoing(hash));
        await drawn(reader);
      },
    });
    const fresh = freshOf(events);
    if (fresh !== null) all.push(fresh);
  }
  if (all.length < hashes.length / 2) throw new Error('The messages did not come over the socket');
  const median = (key: keyof Fresh) => medianOf(all.map((one) => one[key]));
  return {
    workMs: median('workMs'),
    shownMs: median('shownMs'),
    roundTripMs: median('roundTripMs'),
  };
}

const CATEGORIES = [
  'netlog',
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'blink.user_timing',
];
const GOES = 'goes elsewhere';
const ROWS = 'rows are laid out';
const TASK = 'RunTask';
const SENDS = 'WebSocketSend';
const KEPT = new Set([GOES, ROWS, TASK, SENDS]);
const FRAME = /^WEBSOCKET_(?:SENT|RECV)_FRAME_HEADER$/;
const TEXT = 1;

/** Reads a step from its trace; null if the messages did not come over the socket. */
export function freshOf(events: readonly TraceEvent[]): Fresh | null {
  const goes = events.find(({ name }) => name === GOES);
  const rows = events.find(({ name }) => name === ROWS);
  if (goes === undefined || rows === undefined) throw new Error('The trace lacks the marks');
  const own = events
    .filter(({ pid, tid }) => pid === goes.pid && tid === goes.tid)
    .toSorted((one, other) => one.ts - other.ts);
  const roundTripMs = roundTripOf(events, own);
  if (roundTripMs === null) return null;
  const tasks = own.filter(({ name, ph }) => name === TASK && ph === 'X');
  const workMs = tasks.reduce((sum, task) => sum + cpuWithin(task, goes.ts, rows.ts), 0);
  return { workMs, shownMs: (rows.ts - goes.ts) / 1_000, roundTripMs };
}

/** Returns the CPU time of a task between two times, in milliseconds: of a part of it, its part. */
function cpuWithin({ ts, dur = 0, tdur = dur }: TraceEvent, from: number, to: number): number {
  const within = Math.min(ts + dur, to) - Math.max(ts, from);
  return within <= 0 ? 0 : (tdur * (within / dur)) / 1_000;
}

/**
 * Returns how long the messages took: from the call of the page that asked for them to the frame
 * that brought them, the largest of all. The page may be at work when that comes, which must not
 * count as waiting: so its time is that of the thread of the network.
 */
function roundTripOf(events: readonly TraceEvent[], own: readonly TraceEvent[]): number | null {
  const sizeOf = ({ args }: TraceEvent) => args?.params?.payload_length ?? 0;
  const largest = (some: readonly TraceEvent[]) =>
    some.toSorted((one, other) => sizeOf(other) - sizeOf(one))[0];
  const answer = largest(events.filter(({ name }) => name.includes('RECV')));
  if (answer === undefined) return null;
  const sent = largest(
    events.filter(({ name, ts }) => name.includes('SENT_FRAME') && ts < answer.ts),
  );
  const asked = own.findLast(({ name, ts }) => name === SENDS && ts <= (sent?.ts ?? 0));
  return asked === undefined ? null : (answer.ts - asked.ts) / 1_000;
}

/** Goes to an address, and resolves when rows of another list are laid out. */
const timedGoing = (hash: string) => `new Promise((done) => {
  const before = document.querySelector('.feed');
  const observer = new MutationObserver(() => {
    const feed = document.querySelector('.feed');
    const article = feed === before ? null : feed?.querySelector('article[data-id]');
    if (!article) return;
    observer.disconnect();
    article.getBoundingClientRect();
    performance.mark(${JSON.stringify(ROWS)});
    done();
  });
  observer.observe(document.body, { childList: true, subtree: true });
  performance.mark(${JSON.stringify(GOES)});
  location.hash = ${JSON.stringify(hash)};
})`;
