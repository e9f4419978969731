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
  /** From the change of the address until the rows are laid out. */
  readonly shownMs: number;
  /** From the request for the messages until its answer is there. */
  readonly roundTripMs: number;
}

/** Goes to addresses that were not seen before, and gives the medians of what it took. */
export async function goFresh(
  reader: Reader,
  hashes: readonly string[],
): Promise<Fresh & { readonly extraMs: number }> {
  const { page, browser } = reader;
  if (hashes.length === 0) throw new Error('There are too few topics that were not seen');
  const all: Fresh[] = [];
  for (const hash of hashes) {
    let shownMs = Number.NaN;
    const frames = await traceOf(browser, {
      categories: ['netlog'],
      isKept: ({ name, args }) => FRAME.test(name) && args?.params?.opcode === TEXT,
      act: async () => {
        shownMs = Number(await page.evaluate(timedGoing(hash)));
        await drawn(reader);
      },
    });
    const roundTripMs = roundTripOf(frames);
    if (roundTripMs !== null) all.push({ shownMs, roundTripMs });
  }
  if (all.length < hashes.length / 2) throw new Error('The messages did not come over the socket');
  return {
    shownMs: medianOf(all.map((one) => one.shownMs)),
    roundTripMs: medianOf(all.map((one) => one.roundTripMs)),
    extraMs: medianOf(all.map((one) => one.shownMs - one.roundTripMs)),
  };
}

const FRAME = /^WEBSOCKET_(?:SENT|RECV)_FRAME_HEADER$/;
const TEXT = 1;

/**
 * Returns how long the messages took on the network: from the frame that asked for them to the one
 * that brought them, the largest of all. The page may be at work when it comes, which must not
 * count as waiting: so it is the time of the thread of the network.
 */
function roundTripOf(frames: readonly TraceEvent[]): number | null {
  const sizeOf = ({ args }: TraceEvent) => args?.params?.payload_length ?? 0;
  const [answer] = frames
    .filter(({ name }) => name.includes('RECV'))
    .toSorted((one, other) => sizeOf(other) - sizeOf(one));
  if (answer === undefined) return null;
  const [asked] = frames
    .filter(({ name, ts }) => name.includes('SENT') && ts < answer.ts)
    .toSorted((one, other) => sizeOf(other) - sizeOf(one));
  return asked === undefined ? null : (answer.ts - asked.ts) / 1_000;
}

/** Goes to an address, and resolves with the time until rows of another list are laid out. */
const timedGoing = (hash: string) => `new Promise((done) => {
  const before = document.querySelector('.feed');
  const from = performance.now();
  const observer = new MutationObserver(() => {
    const feed = document.querySelector('.feed');
    const article = feed === before ? null : feed?.querySelector('article[data-id]');
    if (!article) return;
    observer.disconnect();
    article.getBoundingClientRect();
    done(performance.now() - from);
  });
  observer.observe(document.body, { childList: true, subtree: true });
  location.hash = ${JSON.stringify(hash)};
})`;
