import { drawn, firstMessage, follow, type Reader } from './browser.ts';
import { medianOf } from './calibration.ts';
import { traced, type Work } from './trace.ts';

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
  const { page, devTools } = reader;
  const trips: { sentAt: number; ms: number | null }[] = [];
  await devTools.send('Network.enable');
  const sent = ({ timestamp, response }: Frame) => {
    if (response.payloadData.includes('/messages"')) trips.push({ sentAt: timestamp, ms: null });
  };
  const received = ({ timestamp, response }: Frame) => {
    const trip = trips.at(-1);
    if (trip === undefined || trip.ms !== null) return;
    if (response.payloadData.includes('found_newest')) trip.ms = (timestamp - trip.sentAt) * 1_000;
  };
  devTools.on('Network.webSocketFrameSent', sent);
  devTools.on('Network.webSocketFrameReceived', received);
  const all: Fresh[] = [];
  if (hashes.length === 0) throw new Error('There are too few topics that were not seen');
  for (const hash of hashes) {
    trips.length = 0;
    const shownMs = Number(await page.evaluate(timedGoing(hash)));
    // Frames are told after what they led to.
    await drawn(reader);
    await page.waitForTimeout(TOLD_MS);
    const [trip] = trips;
    if (trip !== undefined && trip.ms !== null) all.push({ shownMs, roundTripMs: trip.ms });
  }
  devTools.off('Network.webSocketFrameSent', sent);
  devTools.off('Network.webSocketFrameReceived', received);
  if (all.length < hashes.length / 2) throw new Error('The messages did not come over the socket');
  return {
    shownMs: medianOf(all.map((one) => one.shownMs)),
    roundTripMs: medianOf(all.map((one) => one.roundTripMs)),
    extraMs: medianOf(all.map((one) => one.shownMs - one.roundTripMs)),
  };
}

const TOLD_MS = 200;

interface Frame {
  readonly timestamp: number;
  readonly response: { readonly payloadData: string };
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
