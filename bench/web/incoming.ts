import { setTimeout as delay } from 'node:timers/promises';
import { countersOf, type Reader } from './browser.ts';

/** Sends so many messages to the channel that is shown; gives the id of the last one. */
export type Say = (count: number) => Promise<number>;

export interface Incoming {
  /** Parts of a core, of one. */
  readonly mainThread: number;
  /** All threads of the page's process. */
  readonly process: number;
  readonly events: number;
}

/** Events come in as often as this. */
const PER_SECOND = 50;
/** They are sent in small portions, as people write. */
const PORTIONS_PER_SECOND = 25;

/** Sends events at a steady rate, and gives what the page took of a core meanwhile. */
export async function receive(reader: Reader, say: Say, seconds: number): Promise<Incoming> {
  const before = await countersOf(reader);
  const processBefore = await processSeconds(reader);
  const from = performance.now();
  const portions = seconds * PORTIONS_PER_SECOND;
  let last = 0;
  for (let portion = 0; portion < portions; portion += 1) {
    await delay(Math.max(0, from + (portion * 1_000) / PORTIONS_PER_SECOND - performance.now()));
    last = await say(PER_SECOND / PORTIONS_PER_SECOND);
  }
  await shows(reader, last);
  const after = await countersOf(reader);
  const ms = performance.now() - from;
  const spent = after.taskMs - before.taskMs - (after.ownMs - before.ownMs);
  return {
    mainThread: spent / ms,
    process: ((await processSeconds(reader)) - processBefore) / (ms / 1_000),
    events: portions * (PER_SECOND / PORTIONS_PER_SECOND),
  };
}

/** Waits until a message is in the document: the feed follows its end. */
export const shows = ({ page }: Pick<Reader, 'page'>, id: number): Promise<unknown> =>
  page.locator(`article[data-id="${id}"]`).waitFor();

/** Returns the CPU seconds of the process that renders the page: it has taken most of all. */
async function processSeconds({ browser }: Reader): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const times = processInfo.filter(({ type }) => type === 'renderer').map(({ cpuTime }) => cpuTime);
  return Math.max(...times);
}
