import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Browser, chromium, firefox } from 'playwright-core';
import { onTestFinished } from 'vitest';

/**
 * The path of Debian's Chromium, without its windows where that is installed, since it draws pages
 * alike for half of the CPU time; null where there is none that starts.
 */
export const CHROMIUM = pathOf('chromium-headless-shell') ?? pathOf('chromium');

/** The path of Debian's Firefox; null where there is none that starts. */
export const FIREFOX = pathOf('firefox-esr');

/**
 * The name of another machine, at which Chromium finds the servers of this one. Pages from there,
 * over plain HTTP, lack what browsers keep for secure pages.
 */
export const OTHER_MACHINE = 'chat.test';

/** More than any page needs on a busy machine; less than a test has. */
const TIMEOUT_MS = 45_000;

/** The browsers of this process: to start one takes longer than most of what tests do with it. */
const shared = new Map<string, Promise<Browser>>();

/** A Firefox takes time without pages too: one that no test opens again soon is ended. */
const UNUSED_MS = 20_000;
const unused = new Map<string, NodeJS.Timeout>();

/**
 * Returns a browser that has nothing of tests before: each context has cookies, stores and a cache
 * of its own, and all are closed when the test ends.
 */
async function openShared(kind: string, start: () => Promise<Browser>): Promise<Browser> {
  clearTimeout(unused.get(kind));
  const before = await shared.get(kind)?.catch(() => undefined);
  // One that a test has closed, or that has crashed, is of no more use.
  const next = before?.isConnected() === true ? Promise.resolve(before) : start();
  shared.set(kind, next);
  const browser = await next;
  onTestFinished(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    if (kind !== 'chromium') endWhereUnused(kind, browser);
  }, TIMEOUT_MS);
  return browser;
}

function endWhereUnused(kind: string, browser: Browser): void {
  clearTimeout(unused.get(kind));
  const timer = setTimeout(() => {
    shared.delete(kind);
    browser.close().catch(() => undefined);
  }, UNUSED_MS);
  unused.set(kind, timer.unref());
}

/** Vitest ends its processes by a signal; at an exit, the browsers are ended and their files go. */
const endWithProcess = () => process.once('SIGTERM', () => process.exit());

/**
 * Opens Debian's Chromium: nothing is downloaded. Tests that need it are left out by
 * `test.skipIf(CHROMIUM === null)`.
 */
async function openChromium(): Promise<Browser | null> {
  if (CHROMIUM === null) return null;
  const executablePath = CHROMIUM;
  return await openShared('chromium', () => {
    endWithProcess();
    return chromium.launch({
      executablePath,
      timeout: TIMEOUT_MS,
      handleSIGTERM: false,
      // The tests run as root, for whom Chromium has no sandbox; `/dev/shm` may be small. No
      // graphics card draws anything, so that a process for it would only cost time.
      args: [
        '--no-sandbox',
        '--disable-dev-shm-usage',
        '--in-process-gpu',
        `--host-resolver-rules=MAP ${OTHER_MACHINE} 127.0.0.1`,
      ],
    });
  });
}

/**
 * Opens Debian's Firefox. It has its colours from a setting, as the launcher says. Tests that need
 * it are left out by `test.skipIf(FIREFOX === null)`.
 */
async function openFirefox(colorScheme: 'light' | 'dark'): Promise<Browser | null> {
  if (FIREFOX === null) return null;
  return await openShared(`firefox ${colorScheme}`, () => {
    endWithProcess();
    return firefox.launch({
      channel: 'moz-firefox',
      executablePath: join(import.meta.dirname, 'firefox-launcher.mjs'),
      timeout: TIMEOUT_MS,
      handleSIGTERM: false,
      firefoxUserPrefs: {
        // Processes that wait for pages which do not come take a tenth of the time.
        'dom.ipc.processCount': 1,
        'dom.ipc.processPrelaunch.enabled': false,
        'layout.css.prefers-color-scheme.content-override': colorScheme === 'dark' ? 0 : 1,
      },
    });
  });
}

export type BrowserName = 'chromium' | 'firefox';

interface BrowserOptions {
  /** Chromium by default. */
  readonly browserName?: BrowserName | undefined;
  readonly colorScheme?: 'light' | 'dark' | undefined;
}

/** Opens a browser; fails where there is none, because a test should be left out then. */
export async function openOne({ browserName, colorScheme = 'light' }: BrowserOptions = {}) {
  const browser = await (browserName === 'firefox' ? openFirefox(colorScheme) : openChromium());
  if (browser !== null) return browser;
  throw new Error(`There is no ${browserName ?? 'chromium'}: the test should be left out`);
}

interface PageOptions extends BrowserOptions {
  readonly width?: number;
  readonly height?: number;
  readonly javaScriptEnabled?: boolean;
}

/** Opens a browser with one empty page, whose waits are bounded. */
export async function openTab(options: PageOptions = {}) {
  const { colorScheme = 'light' } = options;
  const browser = await openOne(options);
  const { width = 1280, height = 800, javaScriptEnabled = true } = options;
  const viewport = { width, height };
  const context = await browser.newContext({ colorScheme, viewport, javaScriptEnabled });
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    // Chromium says so of each answer with a status of 400 or more, which a test may expect.
    const isExpected = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isExpected) faults.push(message.text());
  });
  return { browser, context, page, faults };
}

export function pathOf(program: string): string | null {
  const command = `${program} --version >&2 && command -v ${program}`;
  const { status, stdout } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}
