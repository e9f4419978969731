import { expect, test } from 'vitest';
import { firstMessage, follow } from '../../../bench/web/browser.ts';
import { growHeap } from '../../../bench/web/heap.ts';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { openLargeHall } from '../../support/pages/large-hall.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const say = (words: string) => process.stdout.write(`${words}\n`);

const MIB = 1_024 ** 2;

inChromium(
  'once its window is full, a page that messages come to does not grow',
  async () => {
    const hall = await openLargeHall({ messages: 1_000 });
    await follow(hall.reader, '#narrow/channel/1-general');
    await hall.reader.page.reload();
    await firstMessage(hall.reader);
    const { points, slope } = await growHeap(hall.reader, hall.say, {
      messages: 12_000,
      fullAfter: FULL_AFTER,
      portion: 500,
      lookEvery: 1_000,
      read: hall.read,
    });
    const full = points.find(({ messages }) => messages >= FULL_AFTER);
    const last = points.at(-1);
    if (full === undefined || last === undefined) throw new Error('The page was not looked at');
    say(
      `heap: ${(last.heapBytes / MIB).toFixed(1)} MiB, ${slope.toFixed(0)} bytes a message once it is full; ` +
        `nodes ${full.nodes} to ${last.nodes}, listeners ${full.listeners} to ${last.listeners}`,
    );
    expect(last.heapBytes).toBeLessThanOrEqual(60 * MIB);
    expect(slope).toBeLessThanOrEqual(SLOPE_MAX);
    expect(last.nodes).toBeLessThanOrEqual(full.nodes + NODES_MORE);
    expect(last.listeners).toBeLessThanOrEqual(full.listeners + NODES_MORE);
  },
  600_000,
);

/** A view has 5,000 messages, and has been cut. */
const FULL_AFTER = 6_000;
/** A message that is kept has 500 bytes at least; the height of a row that has left has 50. */
const SLOPE_MAX = 150;
/** One message more or less is in the document. */
const NODES_MORE = 400;
