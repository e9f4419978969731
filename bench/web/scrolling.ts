import { drawn, firstMessage, follow, type Reader } from './browser.ts';
import { quantileOf } from './calibration.ts';
import { traced, type Work } from './trace.ts';

/** A fast wheel moves the page so far in a frame. */
const STEP_PX = 600;

export interface Scrolled {
  /** Means of a frame, in CPU milliseconds. */
  readonly script: number;
  readonly style: number;
  readonly layout: number;
  readonly scriptP95: number;
  readonly longestTask: number;
  /** The most elements that the page had at once, and the feed alone. */
  readonly pageElements: number;
  readonly feedElements: number;
  readonly frames: number;
}

/** Scrolls the feed that is shown upwards, frame by frame. */
const scrolling = (steps: number) => `(async () => {
  const most = { page: 0, feed: 0 };
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  for (let step = 0, waits = 0; step < ${steps} && waits < ${10 * steps}; ) {
    const feed = document.querySelector('.feed');
    // Older messages are on their way.
    if (feed.scrollTop < ${STEP_PX}) { waits += 1; await frame(); continue; }
    performance.mark('step');
    feed.scrollTop -= ${STEP_PX};
    await frame();
    step += 1;
    if (step % 10 > 0) continue;
    most.feed = Math.max(most.feed, feed.querySelectorAll('*').length);
    most.page = Math.max(most.page, document.querySelectorAll('*').length);
  }
  return most;
})()`;

/** Scrolls from where the page is, and then at each of the addresses. */
export async function scrollThrough(
  reader: Reader,
  parts: {
    readonly steps: number;
    /** Places of the same list, far from each other. */
    readonly jumps: readonly string[];
    readonly stepsAfterJump: number;
    readonly onPart?: (part: number) => void;
  },
): Promise<Scrolled> {
  const { steps, jumps, stepsAfterJump, onPart = () => undefined } = parts;
  const most = { page: 0, feed: 0 };
  const run = async (count: number) => {
    const now = (await reader.page.evaluate(scrolling(count))) as typeof most;
    most.page = Math.max(most.page, now.page);
    most.feed = Math.max(most.feed, now.feed);
  };
  const work: Work[] = [];
  const note = async (act: () => Promise<void>) => {
    const all = await traced(reader.browser, reader.page, act);
    work.push(...all.slice(1));
  };
  await note(() => run(steps));
  for (const [index, hash] of jumps.entries()) {
    await follow(reader, hash);
    await firstMessage(reader);
    await drawn(reader);
    await note(() => run(stepsAfterJump));
    onPart((index + 1) / jumps.length);
  }
  const mean = (of: (one: Work) => number) =>
    work.reduce((sum, one) => sum + of(one), 0) / work.length;
  return {
    script: mean((one) => one.script),
    style: mean((one) => one.style),
    layout: mean((one) => one.layout),
    scriptP95: quantileOf(
      work.map((one) => one.script),
      0.95,
    ),
    longestTask: Math.max(...work.map((one) => one.longestTask)),
    pageElements: most.page,
    feedElements: most.feed,
    frames: work.length,
  };
}
