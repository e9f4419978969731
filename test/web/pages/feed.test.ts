import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { findingsOn } from '../../support/pages/accessibility.ts';
import { bodies } from '../../support/pages/bodies.ts';
import { CHROMIUM, openTab } from '../../support/pages/browser.ts';
import { servePart } from '../../support/pages/harness.ts';

const inChromium = test.skipIf(CHROMIUM === null);

let texts: readonly string[] = [];
beforeAll(() => {
  texts = bodies();
});

/** A look at the feed: ids of messages, where they begin in the view, and how much is there. */
interface Sight {
  readonly ids: readonly number[];
  readonly tops: Readonly<Record<string, number>>;
  readonly elements: number;
  readonly scrollTop: number;
  readonly height: number;
}

const look = (page: Page) =>
  page.evaluate(`(() => {
    const feed = document.querySelector('.feed');
    const top = feed.getBoundingClientRect().top;
    const rows = [...document.querySelectorAll('[data-id]')];
    return {
      ids: rows.map((row) => Number(row.dataset.id)),
      tops: Object.fromEntries(rows.map((row) => [row.dataset.id, row.getBoundingClientRect().top - top])),
      elements: document.querySelectorAll('.feed-frame *').length,
      scrollTop: feed.scrollTop,
      height: feed.clientHeight,
    };
  })()`) as Promise<Sight>;

/** Waits until what was laid out is measured, which is before two frames are over. */
const settle = (page: Page) =>
  page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve))))',
  );

async function opened(options: object, tab: Parameters<typeof openTab>[0] = {}) {
  const url = await servePart('feed-harness.mjs');
  const { page, faults } = await openTab(tab);
  await page.goto(url);
  await page.evaluate(`openFeed(${JSON.stringify({ bodies: texts, ...options })})`);
  await settle(page);
  return { page, faults };
}

const scrollBy = (page: Page, pixels: number) =>
  page.evaluate(`document.querySelector('.feed').scrollBy(0, ${pixels})`);

/** The one message that is in the middle of the view. */
const inTheMiddle = ({ tops, height }: Sight) =>
  Object.entries(tops).find(([, top]) => top > height / 3)?.[0] ?? '';

inChromium(
  '100,000 messages are a few hundred elements, each shown once, wherever one is',
  async () => {
    const { page, faults } = await opened({ count: 100_000 });
    const client = await page.context().newCDPSession(page);
    await client.send('Performance.enable');
    const spent = async () => {
      const { metrics } = await client.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0;
    };
    expect((await look(page)).ids.at(-1)).toBe(100_000);
    const before = await spent();
    const STEPS = 120;
    for (let step = 0; step < STEPS; step++) {
      await scrollBy(page, step % 20 === 19 ? -400_000 : -300);
      await page.evaluate('new Promise(requestAnimationFrame)');
      if (step % 10 !== 9) continue;
      await settle(page);
      const { ids, tops, elements, height } = await look(page);
      expect(elements).toBeLessThanOrEqual(600);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(ids.toSorted((one, other) => one - other));
      expect(ids.at(-1)).toBe((ids[0] ?? 0) + ids.length - 1);
      // Rows cover the view, from above its top to below its end.
      const places = Object.values(tops);
      expect(Math.min(...places)).toBeLessThanOrEqual(0);
      expect(Math.max(...places)).toBeGreaterThanOrEqual(height - 400);
    }
    const milliseconds = ((await spent()) - before) * 1_000;
    process.stdout.write(`script a frame of scrolling: ${(milliseconds / STEPS).toFixed(2)} ms\n`);
    expect(faults).toEqual([]);
  },
);

inChromium('what is read does not move while others come in above, below, and grow', async () => {
  const { page } = await opened({ from: 1_000, count: 400 });
  await scrollBy(page, -4_000);
  await settle(page);
  const first = await look(page);
  const id = inTheMiddle(first);
  const place = first.tops[id];
  const stays = async () => {
    await settle(page);
    expect((await look(page)).tops[id]).toBeCloseTo(place ?? Number.NaN, 1);
  };
  await page.evaluate('feed.messages.value = [...some(800, 200), ...feed.messages.value]');
  await stays();
  await page.evaluate('feed.messages.value = [...feed.messages.value, ...some(1400, 50)]');
  await stays();
  // A message above it, within the rows that are laid out, becomes longer.
  await page.evaluate(`feed.messages.value = feed.messages.value.map((one) =>
    one.id === ${Number(id) - 9} ? { ...one, content: '<p>' + 'long '.repeat(400) + '</p>' } : one)`);
  await stays();
  await page.evaluate(
    `feed.messages.value = feed.messages.value.filter((one) => one.id > ${Number(id) - 40} || one.id % 2)`,
  );
  await stays();
});

inChromium('at the end, new messages are followed', async () => {
  const { page } = await opened({ count: 200 });
  for (let count = 1; count <= 5; count++) {
    await page.evaluate(
      'feed.messages.value = [...feed.messages.value, ...some(feed.messages.value.length + 1, 1)]',
    );
    await settle(page);
    const { ids, tops, height } = await look(page);
    expect(ids.at(-1)).toBe(200 + count);
    expect(tops[200 + count]).toBeLessThan(height);
  }
  await page.getByRole('button', { name: 'Newest' }).waitFor({ state: 'detached' });
  await scrollBy(page, -2_000);
  await page.getByRole('button', { name: 'Newest' }).click();
  await settle(page);
  expect((await look(page)).ids.at(-1)).toBe(205);
});

inChromium(
  'a message that has the focus keeps it by its number, also when it was out of sight',
  async () => {
    const { page } = await opened({ count: 2_000 });
    await page.locator('[data-id="1990"]').focus();
    expect(await page.evaluate('store.selectedId.value')).toBe(1990);
    await scrollBy(page, -20_000);
    await settle(page);
    expect(await page.locator('[data-id="1990"]').count()).toBe(0);
    expect(await page.evaluate('store.selectedId.value')).toBe(1990);
    await page.evaluate("document.querySelector('.feed').scrollTop = 1e9");
    await settle(page);
    expect(await page.locator('[data-id="1990"]').getAttribute('tabindex')).toBe('0');
  },
);

inChromium('nothing of a message runs, and nothing of the policy is broken', async () => {
  const attacks = [
    '<p>safe<img src="x" onerror="globalThis.hit=1"></p>',
    '<script>globalThis.hit=1</script><p>safe</p>',
    '<p><a href="javascript:globalThis.hit=1">safe</a></p>',
    '<svg onload="globalThis.hit=1"></svg><p>safe</p>',
    '<iframe srcdoc="<script>parent.hit=1</script>"></iframe><p>safe</p>',
    '<p style="position:fixed">safe</p><form action="/x"><button>go</button></form>',
    '<math><mtext><img src="https://evil.example/x.png" onerror="globalThis.hit=1">safe</mtext></math>',
    '<p><a href="//evil.example/x">safe</a></p><audio src="https://evil.example/a" controls></audio>',
  ];
  const { page } = await opened({ count: attacks.length, bodies: attacks });
  const shown = async () =>
    (await page.evaluate(`[...document.querySelectorAll('.body')].map((body) => [
      body.textContent.trim().startsWith('safe'),
      body.querySelectorAll('script, svg, iframe, form, button, [style], [onerror], [href^="java"], [href^="//"], [src^="http"]').length,
    ])`)) as [boolean, number][];
  expect(await shown()).toEqual(attacks.map(() => [true, 0]));
  await page.locator('.body a').first().click();
  expect(await page.evaluate('globalThis.hit')).toBeUndefined();
  // Browsers without their own sanitizer build the same.
  await page.evaluate('delete Element.prototype.setHTML');
  await page.evaluate(`openFeed(${JSON.stringify({ count: attacks.length, bodies: attacks })})`);
  await settle(page);
  expect(await shown()).toEqual(attacks.map(() => [true, 0]));
  expect(await page.evaluate('globalThis.hit')).toBeUndefined();
});

inChromium('both sanitizers make the same of what the server writes', async () => {
  const { page, faults } = await opened({ count: 150 });
  const written = () =>
    page.evaluate(`[...document.querySelectorAll('.body')].map((body) => body.innerHTML)`);
  const own = await written();
  await page.evaluate('delete Element.prototype.setHTML');
  await page.evaluate(`openFeed(${JSON.stringify({ bodies: texts, count: 150 })})`);
  await settle(page);
  expect(await written()).toEqual(own);
  expect(faults).toEqual([]);
});

inChromium('a message of nothing but text is written as a parser would write it', async () => {
  const plain = [
    '<p>a &amp; b &lt;c&gt; &quot;d&quot; &#39;e&#39;</p>',
    '<p>&amp;lt; is no &amp;amp;, and &nbsp;this needs a parser</p>',
    '<p>two\nlines</p>',
    '<p></p>',
    '<p>one</p>\n<p>and <b>another</b></p>',
    'no <p>paragraph</p>',
  ];
  const { page } = await opened({ count: plain.length, bodies: plain });
  const found = await page.evaluate(`[...document.querySelectorAll('.feed-message')].map((row) => [
    Number(row.dataset.id), row.querySelector('.body').innerHTML])`);
  const parsed = await page.evaluate(`${JSON.stringify(plain)}.map((html) => {
    const body = document.createElement('div');
    body.setHTML(html);
    return body.innerHTML;
  })`);
  const wanted = parsed as string[];
  expect(found).toHaveLength(plain.length);
  for (const [id, html] of found as [number, string][]) {
    expect(html).toBe(wanted[id % plain.length]);
  }
});

inChromium('a message is reacted to, edited, quoted, moved and deleted', async () => {
  const { page, faults } = await opened({ count: 40 });
  // Others are told that one types, as often as that is.
  const asked = () =>
    page.evaluate(
      "asked.filter(({ method, path }) => method !== 'GET' && !path.endsWith('/typing'))",
    ) as Promise<{ method: string; path: string; params: Record<string, unknown> }[]>;
  // Numbers 3 to 5 are of the account that reads.
  await page.evaluate("document.querySelector('.feed').scrollTop = 0");
  await settle(page);
  const own = page.locator('[data-id="4"]');
  await own.hover();
  await own.getByRole('button', { name: 'React with' }).click();
  await expect.poll(asked).toHaveLength(1);
  await own.getByRole('button', { name: 'Edit' }).click();
  const field = page.getByRole('textbox', { name: 'The text of the message' });
  await expect.poll(() => field.inputValue()).toBe('as it was *typed*');
  await field.fill('better');
  await page.keyboard.press('Control+Enter');
  await expect.poll(asked).toHaveLength(2);
  await own.hover();
  await own.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Quote' }).click();
  await expect.poll(() => page.evaluate('said.at(-1)')).toContain('```quote\nas it was *typed*');
  await own.hover();
  await own.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Move messages' }).click();
  await page.getByRole('dialog').getByLabel('Topic', { exact: true }).fill('dinner');
  await page.getByRole('dialog').getByLabel('the whole topic').check();
  expect(await findingsOn(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
  await expect.poll(asked).toHaveLength(3);
  await own.hover();
  await own.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect.poll(asked).toHaveLength(4);
  expect(
    (await asked()).map(({ method, path, params }) => [
      method,
      path,
      params['content'] ?? params['topic'] ?? params['emoji_name'],
    ]),
  ).toEqual([
    ['POST', '/messages/{message_id}/reactions', '+1'],
    ['PATCH', '/messages/{message_id}', 'better'],
    ['PATCH', '/messages/{message_id}', 'dinner'],
    ['DELETE', '/messages/{message_id}', undefined],
  ]);
  expect(faults).toEqual([]);
});

test.skipIf(CHROMIUM === null).each(['light', 'dark'] as const)(
  'what axe looks for is not found in the feed, in %s',
  async (colorScheme) => {
    const { page } = await opened({ count: 300, firstUnreadId: 290 }, { colorScheme });
    for (const top of [1e9, 3_000, 0]) {
      await page.evaluate(`document.querySelector('.feed').scrollTop = ${top}`);
      await settle(page);
      expect(await findingsOn(page)).toEqual([]);
    }
  },
);
