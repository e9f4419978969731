import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';

/** More than any step takes on a busy machine. */
const TIMEOUT_MS = 60_000;

/** Somebody at a browser, who is logged in, with a session of the protocol of its developers. */
export interface Reader {
  readonly browser: Browser;
  readonly page: Page;
  readonly devTools: CDPSession;
  readonly origin: string;
}

/** Counters of a page: times are CPU milliseconds of its main thread since it was made. */
export interface Counters {
  readonly taskMs: number;
  readonly scriptMs: number;
  readonly styleMs: number;
  readonly layoutMs: number;
  /** Commands of the program that measures. */
  readonly ownMs: number;
  readonly heapBytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

export async function countersOf({ devTools }: Pick<Reader, 'devTools'>): Promise<Counters> {
  const { metrics } = await devTools.send('Performance.getMetrics');
  const values = new Map(metrics.map(({ name, value }) => [name, value]));
  const ms = (name: string) => (values.get(name) ?? 0) * 1_000;
  return {
    taskMs: ms('TaskDuration'),
    scriptMs: ms('ScriptDuration'),
    styleMs: ms('RecalcStyleDuration'),
    layoutMs: ms('LayoutDuration'),
    ownMs: ms('DevToolsCommandDuration'),
    heapBytes: values.get('JSHeapUsedSize') ?? 0,
    nodes: values.get('Nodes') ?? 0,
    listeners: values.get('JSEventListeners') ?? 0,
  };
}

/** Opens Debian's Chromium; nothing is downloaded. */
export async function launch(executablePath = 'chromium'): Promise<Browser> {
  return await chromium.launch({
    executablePath,
    timeout: TIMEOUT_MS,
    // Root has no sandbox, and `/dev/shm` may be small.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
}

const VIEWPORT = { width: 1280, height: 800 };
/** More than the tabs and the address of a window take of its height. */
const AROUND_PX = 200;

/** Opens a page as it is on a desk, in a window that has room for all of it. */
export async function openPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  // A browser without a screen has windows all the same, at first of the size of the page. A frame
  // that only changes the page below the lower edge is not drawn, and is never told to be.
  const session = await context.newCDPSession(page);
  const { windowId } = await session.send('Browser.getWindowForTarget');
  const bounds = { width: VIEWPORT.width, height: VIEWPORT.height + AROUND_PX };
  await session.send('Browser.setWindowBounds', { windowId, bounds });
  await session.detach();
  return page;
}

/** Counts the CPU time of a page; its documents from the next one on are watched. */
export async function readerOf(page: Page, origin: string): Promise<Reader> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('The page has no browser');
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.addInitScript(WATCHING);
  return { browser, page, devTools, origin };
}

/** Notes in each document when the first message was painted, and what jumped until then. */
const WATCHING = `{
  globalThis.watched = { insertedMs: null, firstMessageMs: null, shift: 0, moved: [] };
  const isThere = () => document.querySelector('article[data-id]') !== null;
  const observer = new MutationObserver(() => {
    if (!isThere()) return;
    observer.disconnect();
    watched.insertedMs = performance.now();
    requestAnimationFrame(() => setTimeout(() => {
      watched.firstMessageMs = performance.now();
      performance.mark('step first message');
    }));
  });
  observer.observe(document, { childList: true, subtree: true });
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      watched.shift += value;
      const [{ node, previousRect: from, currentRect: to } = {}] = sources;
      if (node) watched.moved.push((node.className || node.nodeName) + ' ' + [from.x, from.y, to.x, to.y].map(Math.round));
    }
  }).observe({ type: 'layout-shift', buffered: true });
}`;

/** Waits until a page has drawn what it was told, and has nothing left to do at once. */
export const drawn = ({ page }: Pick<Reader, 'page'>): Promise<unknown> =>
  page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))',
  );

/** Goes to an address as a link does. */
export const follow = ({ page }: Pick<Reader, 'page'>, hash: string): Promise<unknown> =>
  page.evaluate(`new Promise((done) => {
    if (location.hash === ${JSON.stringify(hash)}) return done();
    addEventListener('hashchange', () => setTimeout(done), { once: true });
    location.hash = ${JSON.stringify(hash)};
  })`);

export const firstMessage = ({ page }: Pick<Reader, 'page'>): Promise<unknown> =>
  page.locator('article[data-id]').first().waitFor();
