import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { drawn, firstMessage, type Reader } from './browser.ts';
import { medianOf } from './calibration.ts';
import { traced } from './trace.ts';

const KIB = 1_024;

const manifest = z.object({
  style: z.string(),
  script: z.string(),
  parts: z.array(z.string()),
  files: z.record(z.string(), z.object({ bytes: z.number(), brotli: z.number() })),
});

/** The list of the files of the web client, as it was built. */
export type Manifest = z.output<typeof manifest>;

/** Reads the list of a folder with the built client. */
export const readManifest = (folder: string): Manifest =>
  manifest.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));

/** Files that a browser asks for, by their names in the manifest, as brotli. */
export interface Loaded {
  readonly kib: number;
  readonly requests: number;
  readonly names: readonly string[];
}

function loadedOf({ files }: Manifest, names: readonly string[]): Loaded {
  const bytes = names.map((name) => files[name]?.brotli ?? Number.NaN);
  return { kib: bytes.reduce((sum, one) => sum + one, 0) / KIB, requests: names.length, names };
}

/** Returns the files that a browser needs before it runs anything. */
export const firstLoad = (list: Manifest): Loaded =>
  loadedOf(list, ['index.html', list.style, list.script, ...list.parts]);

/** Returns the parts that are loaded when they are needed, the largest one first. */
export function lazyParts(list: Manifest, first: Loaded): readonly (readonly [string, number])[] {
  return Object.entries(list.files)
    .filter(([name]) => name.endsWith('.js') && !first.names.includes(name))
    .map(([name, { brotli }]) => [name, brotli / KIB] as const)
    .sort(([, one], [, other]) => other - one);
}

/**
 * Loads the page without a cache, and returns the files that it had asked for when the first
 * message was in the document. Those that it asks for later do not hold up the message.
 */
export async function loadToMessage(reader: Reader, list: Manifest): Promise<Loaded> {
  const { page, devTools } = reader;
  await devTools.send('Network.enable');
  await devTools.send('Network.setCacheDisabled', { cacheDisabled: true });
  await page.reload();
  await paintedAt(reader);
  const paths = (await page.evaluate(`performance.getEntriesByType('resource')
    .filter(({ startTime }) => startTime < watched.insertedMs)
    .map(({ name }) => new URL(name).pathname.slice(1))`)) as string[];
  await devTools.send('Network.setCacheDisabled', { cacheDisabled: false });
  const files = [...new Set(paths)].filter((path) => list.files[path] !== undefined);
  return loadedOf(list, ['index.html', ...files]);
}

/** Returns the size of the register reply as it comes, in KiB. */
export async function registerReply({ page }: Reader): Promise<{ packed: number; plain: number }> {
  const answered = page.waitForResponse((response) => response.url().endsWith('/register'));
  await page.reload();
  const reply = await answered;
  const { responseBodySize } = await reply.request().sizes();
  return { packed: responseBodySize / KIB, plain: (await reply.body()).length / KIB };
}

/** Loads the page so often, and gives the median time until the first message was painted. */
export async function timeToMessage(reader: Reader, times: number): Promise<number> {
  const all: number[] = [];
  for (let time = 0; time < times; time += 1) {
    await reader.page.reload();
    all.push(await paintedAt(reader));
  }
  return medianOf(all);
}

async function paintedAt(reader: Reader): Promise<number> {
  await firstMessage(reader);
  await reader.page.waitForFunction('watched.firstMessageMs !== null');
  return Number(await reader.page.evaluate('watched.firstMessageMs'));
}

/** Slow 4G, as the developer tools of browsers have it. */
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1_000_000) / 8,
  uploadThroughput: (750 * 1_000) / 8,
};

/** The same with an empty cache, a slow network and a quarter of the processor. */
export async function slowTimeToMessage(reader: Reader, times: number): Promise<number> {
  const { devTools } = reader;
  const all: number[] = [];
  await devTools.send('Network.enable');
  await devTools.send('Network.emulateNetworkConditions', SLOW_4G);
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  for (let time = 0; time < times; time += 1) {
    await devTools.send('Network.clearBrowserCache');
    await reader.page.reload();
    all.push(await paintedAt(reader));
  }
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await devTools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  return medianOf(all);
}

/** Loads the page so often, and gives the script until the first message showed (CPU ms). */
export async function scriptToMessage(reader: Reader, times: number): Promise<number> {
  const all: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const [untilShown] = await traced(reader.browser, reader.page, async () => {
      await reader.page.reload();
      await paintedAt(reader);
    });
    all.push(untilShown?.script ?? Number.NaN);
  }
  return medianOf(all);
}

/** Returns how much of the page jumps while it loads, without what the reader does. */
export async function layoutShift(reader: Reader): Promise<{ score: number; moved: string }> {
  await reader.page.reload();
  await paintedAt(reader);
  // Parts that come late jump late.
  await reader.page.waitForTimeout(SHIFTS_MS);
  await drawn(reader);
  const { shift, moved } = (await reader.page.evaluate('watched')) as Watched;
  return { score: shift, moved: moved.slice(0, MOVED_MAX).join('; ') };
}

const SHIFTS_MS = 1_500;
/** So many of the elements that jumped are named. */
const MOVED_MAX = 3;

interface Watched {
  readonly shift: number;
  readonly moved: readonly string[];
}
