import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { findingsOn } from '../../support/pages/accessibility.ts';
import { bodies, RICH } from '../../support/pages/bodies.ts';
import { FIREFOX, openTab } from '../../support/pages/browser.ts';
import { servePart } from '../../support/pages/harness.ts';
import { follow, loggedInAt, say } from '../../support/pages/web-client.ts';
import { type DemoPlace, startDemoHere } from '../../support/people/demo-server.ts';
import { startProcess } from '../../support/processes/start-process.ts';

const inFirefox = test.skipIf(FIREFOX === null);

const PLANS = '#narrow/channel/1-general/topic/plans';

type Opened = Awaited<ReturnType<typeof loggedInAt>>;

/** Somebody of the demo, logged in by a button, at a topic with one message. */
const atPlans = async (colorScheme?: 'light' | 'dark') =>
  atPlansOf(await startDemoHere(), colorScheme);

async function atPlansOf<Server extends DemoPlace>(
  started: Server,
  colorScheme: 'light' | 'dark' = 'light',
) {
  const options = { browserName: 'firefox', colorScheme } as const;
  const opened = await loggedInAt(started, 'Mel Member', options);
  const { page, server, people } = opened;
  const { body } = await say(server, people.max, ['general', 'plans'], 'Who is **in**?');
  await page.getByRole('main').getByRole('link', { name: 'plans 1 unread' }).click();
  await page.getByRole('article').getByText('Who is in?').waitFor();
  return { ...opened, id: Number(body.id) };
}

async function writeHere(page: Page, text: string) {
  await page.keyboard.press('r');
  await page.keyboard.type(text);
  await page.keyboard.press('Control+Enter');
}

const contentsOf = async ({ server, people }: Pick<Opened, 'server' | 'people'>) => {
  const { body } = await server.get(people.max, '/messages', {
    anchor: 'newest',
    num_before: 10,
    num_after: 0,
    narrow: [{ operator: 'topic', operand: 'plans' }],
    apply_markdown: false,
  });
  return (body.messages as { content: string }[]).map(({ content }) => content);
};

inFirefox(
  'two people talk: one reads what arrives, answers and reacts by the keyboard',
  async () => {
    const { page, server, people, faults, id } = await atPlans();
    await say(server, people.ona, ['general', 'plans'], 'I am in, with `cake`');
    const arrived = page.getByRole('article').filter({ hasText: 'I am in' });
    await arrived.locator('code').getByText('cake').waitFor();
    await writeHere(page, 'So am I');
    await page.getByRole('article').getByText('So am I').waitFor();
    await expect
      .poll(() => contentsOf({ server, people }))
      .toEqual(['Who is **in**?', 'I am in, with `cake`', 'So am I']);
    await page.locator(`[data-id="${id}"]`).focus();
    await page.keyboard.press('+');
    const asked = page.locator(`[data-id="${id}"]`);
    await asked.getByRole('button', { name: /\b1\b/ }).waitFor();
    await server.post(people.ona, `/messages/${id}/reactions`, { emoji_name: 'thumbs_up' });
    await asked.getByRole('button', { name: /\b2\b/ }).waitFor();
    // All three were read by looking at them.
    await expect.poll(() => page.title()).toMatch(/plans · general · Demo$/);
    expect(await findingsOn(page)).toEqual([]);
    expect(faults).toEqual([]);
  },
);

/** How light the scroll bar of the feed is, from 0 to 255. */
async function lightnessOfScrollbar(page: Page) {
  const box = await page.locator('.feed').boundingBox();
  if (box === null) throw new Error('The feed is not shown');
  const { x, y, width, height } = box;
  const clip = { x: x + width - 8, y, width: 8, height };
  const { channels } = await sharp(await page.screenshot({ clip })).stats();
  return Math.max(...channels.slice(0, 3).map(({ mean }) => mean));
}

inFirefox('what messages have is shown in the dark, and the policy holds', async () => {
  const { page, server, people, faults } = await atPlans('dark');
  for (const text of RICH) await say(server, people.max, ['general', 'plans'], text);
  await page.locator('.body math').first().waitFor();
  const article = (text: string) => page.getByRole('article').filter({ hasText: text });
  await article('A title').locator('.body s, .body del').getByText('struck').waitFor();
  await follow(page, '#inbox');
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
  await follow(page, PLANS);
  await article('A title').waitFor();
  expect(await findingsOn(page)).toEqual([]);
  expect(faults).toEqual([]);
  // The policy is in force, and the browser says when it is broken.
  await expect(page.evaluate("document.body.innerHTML = '<p>x</p>'")).rejects.toThrow(/TypeError/);
  await page.evaluate("document.body.append(document.createElement('style'))");
  await page.evaluate("document.body.lastChild.textContent = 'p { color: red }'");
  await expect.poll(() => faults.join('\n')).toContain('Content-Security-Policy');
  // This comes last: the driver has styles of its own for a screenshot, which the policy refuses.
  expect(await lightnessOfScrollbar(page)).toBeLessThan(100);
});

inFirefox(
  'a server that is killed and comes back: nothing is missed, what waits is sent once',
  async () => {
    const { page, origin, server, people } = await atPlansOf(await startProcess());
    const state = page.locator('.own').getByRole('status');
    await page.evaluate(`(() => {
      globalThis.told = [];
      const state = document.querySelector('.own [role=status]');
      const options = { subtree: true, childList: true, characterData: true };
      new MutationObserver(() => told.push(state.textContent)).observe(state, options);
    })()`);
    await server.kill();
    await expect.poll(() => page.evaluate('told.join()')).toContain('caught up, nothing missed');
    await say(server, people.ona, ['general', 'plans'], 'It is back');
    await page.getByRole('article').getByText('It is back').waitFor();

    await server.end('SIGKILL');
    await state.getByText(/reconnecting/).waitFor();
    await writeHere(page, 'I am in');
    await page.getByRole('article').getByText('I am in').waitFor();
    await state.getByText(/1 message waiting/).waitFor();
    await page.goto('about:blank');
    await server.start();
    await page.goto(`${origin}/${PLANS}`);
    await page.getByRole('article').getByText('I am in').waitFor();
    await expect.poll(() => state.textContent()).toBe('live');
    expect(await contentsOf({ server, people })).toEqual([
      'Who is **in**?',
      'It is back',
      'I am in',
    ]);
    await page.reload();
    await expect.poll(() => page.getByRole('article').count()).toBe(3);
  },
);

/** Shows bodies, a few at a time, and returns what the page has of each. */
async function written(page: Page, texts: readonly string[]) {
  const all: string[] = [];
  for (let from = 0; from < texts.length; from += 15) {
    const some = texts.slice(from, from + 15);
    const options = JSON.stringify({ bodies: some, count: some.length });
    await page.evaluate(`openFeed(${options})`);
    await expect.poll(() => page.locator('.body').count()).toBe(some.length);
    const shown = page.locator('.body').evaluateAll((rows) => rows.map((row) => row.innerHTML));
    all.push(...(await shown));
  }
  return all;
}

const ATTACKS = [
  '<p>safe<img src="x" onerror="globalThis.hit=1"></p>',
  '<script>globalThis.hit=1</script><p>safe</p>',
  '<p><a href="javascript:globalThis.hit=1">safe</a></p>',
  '<svg onload="globalThis.hit=1"></svg><p>safe</p>',
  '<iframe srcdoc="<script>parent.hit=1</script>"></iframe><p>safe</p>',
  '<math><mtext><img src="https://evil.example/x.png" onerror="globalThis.hit=1">safe</mtext></math>',
];

inFirefox('its own sanitizer and the one for browsers without it make the same', async () => {
  const { page, faults } = await openTab({ browserName: 'firefox' });
  await page.goto(await servePart('feed-harness.mjs'));
  expect(await page.evaluate('typeof Element.prototype.setHTML')).toBe('function');
  const rows = [...ATTACKS, ...bodies().slice(0, 144)];
  const own = await written(page, rows);
  expect(own.filter((html) => html.includes('safe'))).toHaveLength(ATTACKS.length);
  expect(own.join()).not.toMatch(/onerror|javascript:|<script|<svg|<iframe|evil/);
  await page.evaluate('delete Element.prototype.setHTML');
  expect(await written(page, rows)).toEqual(own);
  expect(await page.evaluate('globalThis.hit')).toBeUndefined();
  expect(faults).toEqual([]);
});
