import { drawn, type Reader } from './browser.ts';
import { quantileOf } from './calibration.ts';
import { traced } from './trace.ts';

/** Beginnings of names, each typed letter by letter and then deleted. */
const WORDS = ['@joh', '@an', '#desi', '@mar', ':smi', '#supp', '@_be', ':hea'];

export interface Typed {
  readonly p50: number;
  readonly p95: number;
  readonly keys: number;
}

const field = ({ page }: Reader) => page.getByRole('textbox', { name: 'Message', exact: true });

/** Types names, and gives the script of those keys after which choices are shown (CPU ms). */
export async function typeNames(reader: Reader, rounds: number): Promise<Typed> {
  const { page } = reader;
  await field(reader).click();
  const areOffered: boolean[] = [];
  const press = async (key: string) => {
    await page.evaluate(`performance.mark('step')`);
    await page.keyboard.press(key);
    await drawn(reader);
    areOffered.push(
      Boolean(
        await page.evaluate(`document.querySelector('.compose-field [role=listbox]') !== null`),
      ),
    );
  };
  // The list of emoji is fetched with the first colon.
  await page.keyboard.type(':smile');
  await drawn(reader);
  await field(reader).fill('');
  const work = await traced(reader.browser, page, async () => {
    for (let round = 0; round < rounds; round += 1) {
      for (const word of WORDS) {
        for (const letter of word) await press(letter);
        for (const _ of word) await press('Backspace');
      }
    }
  });
  const scripts = work
    .slice(1)
    .filter((_, index) => areOffered[index])
    .map(({ script }) => script);
  if (scripts.length < rounds * WORDS.length) throw new Error('No names were offered');
  return { p50: quantileOf(scripts, 0.5), p95: quantileOf(scripts, 0.95), keys: scripts.length };
}

/** The shortest time that a browser tells of. */
const SHORTEST_MS = 16;

/** Types for a while without anything else, as a measure of what the browser takes by itself. */
export async function typeAlone(reader: Reader, ms: number): Promise<Typed> {
  const alone = await typeDuring(reader, reader.page.waitForTimeout(ms));
  if (alone.p50 > NOT_PAINTED_MS) {
    throw new Error(`Keys are not painted: the page is still, and they take ${alone.p50} ms`);
  }
  return alone;
}

/** No machine takes as long for a letter on a page that does nothing. */
const NOT_PAINTED_MS = 200;

/** Types while `act` runs, and gives how long keys took until they were painted. */
export async function typeDuring(reader: Reader, act: Promise<unknown>): Promise<Typed> {
  const { page } = reader;
  await field(reader).click();
  await page.evaluate(`{
    globalThis.keyTimes = new Map();
    new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries()) {
        if (interactionId > 0) keyTimes.set(interactionId, Math.max(duration, keyTimes.get(interactionId) ?? 0));
      }
    }).observe({ type: 'event', durationThreshold: ${SHORTEST_MS} });
  }`);
  let isOver = false;
  const over = act.finally(() => {
    isOver = true;
  });
  let keys = 0;
  while (!isOver) {
    for (const letter of 'all of it is read ') {
      await page.keyboard.press(letter === ' ' ? 'Space' : letter, { delay: 20 });
      await page.waitForTimeout(BETWEEN_KEYS_MS);
      keys += 1;
      if (isOver) break;
    }
  }
  await over;
  await drawn(reader);
  await field(reader).fill('');
  const told = (await page.evaluate('[...keyTimes.values()]')) as number[];
  const all = [
    ...told,
    ...Array.from({ length: Math.max(0, keys - told.length) }, () => SHORTEST_MS),
  ];
  return { p50: quantileOf(all, 0.5), p95: quantileOf(all, 0.95), keys };
}

const BETWEEN_KEYS_MS = 100;
