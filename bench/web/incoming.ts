import { setTimeout as delay } from 'node:timers/promises';
import type { Reader } from './browser.ts';
import { traced, type Work } from './trace.ts';

/** Sends so many messages to the channel that is shown; gives the id of the last one. */
export type Say = (count: number) => Promise<number>;

/** Parts of a core, of one. */
export interface Incoming {
  /** Script, style and layout. */
  readonly work: number;
  /** All that the main thread does, paint as well. */
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
  let last = 0;
  let ms = 0;
  const processBefore = await processSeconds(reader);
  const portions = seconds * PORTIONS_PER_SECOND;
  const work = await traced(reader.browser, reader.page, async () => {
    const from = performance.now();
    for (let portion = 0; portion < portions; portion += 1) {
      await delay(Math.max(0, from + (portion * 1_000) / PORTIONS_PER_SECOND - performance.now()));
      last = await say(PER_SECOND / PORTIONS_PER_SECOND);
    }
    await shows(reader, last);
    ms = performance.now() - from;
  });
  const sum = (of: (one: Work) => number) => work.reduce((all, one) => all + of(one), 0);
  return {
    work: sum(({ script, style, layout }) => script + style + layout) / ms,
    mainThread: sum(({ script, style, layout, other }) => script + style + layout + other) / ms,
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
