import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findingsOn } from '../../support/pages/accessibility.ts';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { follow, loggedIn, say } from '../../support/pages/web-client.ts';

const inChromium = test.skipIf(CHROMIUM === null);

const LUNCH = '#narrow/channel/1-general/topic/lunch';

const field = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });

/** Goes to the topic, where the field is. */
async function toLunch(page: Page) {
  await follow(page, LUNCH);
  await field(page).waitFor();
  await field(page).click();
}

inChromium('a message is written with a completed name, sent once, and changed', async () => {
  const { page, server, people, faults } = await loggedIn('Mel Member');
  await say(server, people.max, ['general', 'lunch'], 'Soup at noon?');
  await toLunch(page);
  await page.getByRole('article').getByText('Soup at noon?').waitFor();
  await page.keyboard.type('Yes @max');
  await page.getByRole('option', { name: 'Max Member' }).waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await expect.poll(() => field(page).inputValue()).toBe('Yes @**Max Member** ');
  await page.keyboard.type(':tad');
  await page.getByRole('option', { name: ':tada:' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => field(page).inputValue()).toBe('');
  const own = page.getByRole('article').filter({ hasText: 'Yes @Max Member' });
  await own.locator('.user-mention').waitFor();
  await expect.poll(() => own.count()).toBe(1);
  const { body } = await server.get(people.max, '/messages', {
    anchor: 'newest',
    num_before: 9,
    num_after: 0,
    apply_markdown: false,
  });
  const contents = (body.messages as { content: string }[]).map(({ content }) => content);
  expect(contents.filter((content) => content.startsWith('Yes'))).toEqual([
    'Yes @**Max Member** :tada:',
  ]);
  // With nothing written, the arrow opens one's last message.
  await page.keyboard.press('ArrowUp');
  const editor = page.getByRole('textbox', { name: 'The text of the message' });
  await expect.poll(() => editor.inputValue()).toBe('Yes @**Max Member** :tada:');
  await editor.fill('Yes, with bread');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('article').getByText('Yes, with bread').waitFor();
  await page.getByText('edited').waitFor();
  expect(faults).toEqual([]);
});

inChromium('one begins to write from any view, and says first to whom', async () => {
  const { page, server, people, faults } = await loggedIn('Mel Member');
  await follow(page, '#inbox');
  await page.keyboard.press('x');
  const whom = page.getByRole('combobox', { name: 'People' });
  await expect.poll(() => whom.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.type('max');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Soup?');
  await page.keyboard.press('Control+Enter');
  await expect
    .poll(async () => {
      const { body } = await server.get(people.max, '/messages', {
        anchor: 'newest',
        num_before: 1,
        num_after: 0,
        narrow: [{ operator: 'is', operand: 'dm' }],
      });
      return (body.messages as { content: string }[]).map(({ content }) => content);
    })
    .toEqual(['<p>Soup?</p>']);
  await follow(page, '#channels');
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('c');
  const where = page.getByLabel('Where the message goes');
  await expect.poll(() => where.evaluate((field) => field === document.activeElement)).toBe(true);
  expect(faults).toEqual([]);
});

inChromium('a draft is there after a reload, also in another conversation in between', async () => {
  const { page, server, people } = await loggedIn('Mel Member');
  await say(server, people.max, ['general', 'lunch'], 'Soup at noon?');
  await toLunch(page);
  await page.keyboard.type('Let me think');
  await follow(page, `#narrow/dm/${people.ada.id}-ada`);
  await expect
    .poll(() => field(page).getAttribute('placeholder'))
    .toBe('Message Ada Administrator');
  expect(await field(page).inputValue()).toBe('');
  await expect
    .poll(async () => (await server.get(people.mel, '/drafts')).body.drafts)
    .toMatchObject([{ content: 'Let me think', topic: 'lunch' }]);
  await follow(page, LUNCH);
  await expect.poll(() => field(page).inputValue()).toBe('Let me think');
  await page.reload();
  await expect.poll(() => field(page).inputValue()).toBe('Let me think');
  await field(page).click();
  await page.keyboard.press('Control+Enter');
  await expect.poll(async () => (await server.get(people.mel, '/drafts')).body.drafts).toEqual([]);
});

inChromium('a file goes up and is linked; the preview shows what will be sent', async () => {
  const { page, faults } = await loggedIn('Mel Member');
  await toLunch(page);
  await page.keyboard.type('**The** menu');
  await page.locator('input[type=file]').setInputFiles({
    name: 'menu [new].txt',
    mimeType: 'text/plain',
    buffer: Buffer.alloc(1_300_000, 'soup '),
  });
  await expect
    .poll(() => field(page).inputValue())
    .toMatch(/^\*\*The\*\* menu\n\[menu .*\]\(\/user_uploads\/.*\)\n?$/);
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.locator('.compose-preview strong').getByText('The').waitFor();
  await page.locator('.compose-preview').getByRole('link', { name: 'menu' }).waitFor();
  expect(await findingsOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('article').getByRole('link', { name: 'menu' }).waitFor();
  expect(faults).toEqual([]);
});

/** Drops a file where a selector says, as a pointer of the system does; returns what is refused. */
const drop = (page: Page, selector: string, name: string) =>
  page.locator(selector).evaluate((at, called) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['soup'], called, { type: 'text/plain' }));
    const over = new DragEvent('dragover', { dataTransfer, bubbles: true, cancelable: true });
    at.dispatchEvent(over);
    const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
    at.dispatchEvent(drop);
    return [over.defaultPrevented, drop.defaultPrevented];
  }, name);

inChromium(
  'a file is dropped anywhere beside the field, and no file takes the page away',
  async () => {
    const { page, faults } = await loggedIn('Mel Member');
    await toLunch(page);
    // The light field comes first.
    await page.locator('.compose:not([aria-busy])').waitFor();
    expect(await drop(page, 'nav.left', 'menu.txt')).toEqual([true, true]);
    await expect
      .poll(() => field(page).inputValue())
      .toMatch(/^\[menu.txt\]\(\/user_uploads\/.*\)\n?$/);
    await follow(page, '#inbox');
    expect(await drop(page, 'main', 'other.txt')).toEqual([true, true]);
    await follow(page, LUNCH);
    expect(await field(page).inputValue()).not.toContain('other.txt');
    expect(faults).toEqual([]);
  },
);

inChromium('a message that is refused stays with the reason, and is discarded', async () => {
  const { page, server, people } = await loggedIn('Mel Member');
  await toLunch(page);
  const { max_message_length: longest } = (await server.post(people.mel, '/register', {})).body;
  await field(page).fill('x'.repeat(Number(longest) + 1));
  await page.keyboard.press('Control+Enter');
  const refused = page.getByRole('article').filter({ hasText: 'Not sent' });
  await refused.getByRole('status').waitFor();
  expect(await refused.getByRole('status').textContent()).toMatch(/^Not sent: .*long/i);
  await refused.getByRole('button', { name: 'Discard' }).click();
  await refused.waitFor({ state: 'detached' });
});

inChromium('messages that were marked as unread stay so while one looks at them', async () => {
  const { page, server, people } = await loggedIn('Mel Member');
  for (const content of ['one', 'two', 'three']) {
    await say(server, people.max, ['general', 'lunch'], content);
  }
  await expect.poll(() => page.title()).toMatch(/^\(3\) /);
  await toLunch(page);
  await expect.poll(() => page.title()).toBe('lunch · general · Demo');
  const two = page.getByRole('article').filter({ hasText: 'two' });
  await two.hover();
  await two.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Mark as unread from here' }).click();
  await expect.poll(() => page.title()).toBe('(2) lunch · general · Demo');
  await follow(page, '#inbox');
  await follow(page, LUNCH);
  await page.getByRole('button', { name: 'Mark all as read' }).waitFor();
  await expect.poll(() => page.title()).toBe('lunch · general · Demo');
});

inChromium('one sees that another is writing, and the message when it is there', async () => {
  const { page, server, people } = await loggedIn('Mel Member');
  await toLunch(page);
  await page.getByRole('heading', { name: 'No messages yet' }).waitFor();
  const typing = { type: 'channel', stream_id: 1, topic: 'lunch' };
  await server.post(people.max, '/typing', { op: 'start', ...typing });
  await page.getByText('Max Member is writing').waitFor();
  await server.post(people.max, '/typing', { op: 'stop', ...typing });
  await say(server, people.max, ['general', 'lunch'], 'Soup at noon?');
  await page.getByRole('article').getByText('Soup at noon?').waitFor();
  await page.getByText('Max Member is writing').waitFor({ state: 'detached' });
});
