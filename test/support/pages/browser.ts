import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Browser, chromium, firefox } from 'playwright-core';
import { onTestFinished } from 'vitest';

/** The path of Chromium; null where there is none that starts. */
export const CHROMIUM = pathOf('chromium');

/** The path of Debian's Firefox; null where there is none that starts. */
export const FIREFOX = pathOf('firefox-esr');

/**
 * The name of another machine, at which Chromium finds the servers of this one. Pages from there,
 * over plain HTTP, lack what browsers keep for secure pages.
 */
export const OTHER_MACHINE = 'chat.test';

/** More than any page needs on a busy machine; less than a test has. */
const TIMEOUT_MS = 45_000;

/** Chromium of this process: to start one takes longer than most of what tests do with it. */
let shared: Promise<Browser> | undefined;

/**
 * Opens a browser that has nothing of tests before, and whose pages are closed when the test ends.
 * It is Debian's Chromium: nothing is downloaded. Tests that need it are left out by
 * `test.skipIf(CHROMIUM === null)`.
 */
export async function openBrowser(): Promise<Browser | null> {
  if (CHROMIUM === null) return null;
  const before = await shared?.catch(() => undefined);
  // One that a test has closed, or that has crashed, is of no more use.
  const next = before?.isConnected() === true ? Promise.resolve(before) : startChromium(CHROMIUM);
  shared = next;
  const browser = await next;
  onTestFinished(async () => {
    // Each context has cookies, stores and a cache of its own.
    await Promise.all(browser.contexts().map((context) => context.close()));
  }, TIMEOUT_MS);
  return browser;
}

function startChromium(executablePath: string): Promise<Browser> {
  // Vitest ends its processes by this signal; at an exit the browser is ended, and its files go.
  process.once('SIGTERM', () => process.exit());
  return chromium.launch({
    executablePath,
    timeout: TIMEOUT_MS,
    handleSIGTERM: false,
    // The tests run as root, for whom Chromium has no sandbox; `/dev/shm` may be small.
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      `--host-resolver-rules=MAP ${OTHER_MACHINE} 127.0.0.1`,
    ],
  });
}

/**
 * Opens Debian's Firefox, which is closed when the test ends. It has its colours from a setting, as the launcher says.
 * Tests that need it are left out by `test.skipIf(FIREFOX === null)`.
 */
async function openFirefox(colorScheme: 'light' | 'dark'): Promise<Browser | null> {
  if (FIREFOX === null) return null;
  const browser = await firefox.launch({
    channel: 'moz-firefox',
    executablePath: join(import.meta.dirname, 'firefox-launcher.mjs'),
    timeout: TIMEOUT_MS,
    firefoxUserPrefs: {
      'layout.css.prefers-color-scheme.content-override': colorScheme === 'dark' ? 0 : 1,
    },
  });
  onTestFinished(() => browser.close(), TIMEOUT_MS);
  return browser;
}

export type BrowserName = 'chromium' | 'firefox';

interface BrowserOptions {
  /** Chromium by default. */
  readonly browserName?: BrowserName | undefined;
  readonly colorScheme?: 'light' | 'dark' | undefined;
}

/** Opens a browser; fails where there is none, because a test should be left out then. */
export async function openOne({ browserName, colorScheme = 'light' }: BrowserOptions = {}) {
  const browser = await (browserName === 'firefox' ? openFirefox(colorScheme) : openBrowser());
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

function pathOf(program: string): string | null {
  const command = `${program} --version >&2 && command -v ${program}`;
  const { status, stdout } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}
