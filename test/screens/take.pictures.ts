import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { openHall } from '../support/pages/hall.ts';
import { fillLively, type Lively } from '../support/pages/lively.ts';
import { VIEWS, type View } from '../support/pages/views.ts';
import { follow } from '../support/pages/web-client.ts';
import { givePasswords } from '../support/people/session-browser.ts';
import type { TestServer } from '../support/start-server.ts';
import type { Person } from '../support/users.ts';

const FOLDER = join(import.meta.dirname, '../../docs/screens');

/** The size of the window, and the theme: each view has a picture of each. */
const FORMS = [
  { form: 'light', width: 1360, height: 850, colorScheme: 'light' },
  { form: 'dark', width: 1360, height: 850, colorScheme: 'dark' },
  { form: 'narrow', width: 390, height: 844, colorScheme: 'light' },
] as const;

test('pictures of all views, and of the log-in page', async () => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const hall = await openHall();
  const lively = await fillLively(hall);
  await hall.server.patch(lively.team.ona, `/users/${lively.team.mel.id}`, { role: 100 });
  await givePasswords(hall.server, lively.team.mel);
  // Thumbnails are made while the clock goes on.
  await hall.server.advance(1_000);
  const { page, context } = await hall.at('#inbox');
  await context.clock.setFixedTime(hall.server.clock.now());
  await page.emulateMedia({ reducedMotion: 'reduce' });
  const unread = await unreadOf(hall.server, lively.team.mel);
  for (const { form, width, height, colorScheme } of FORMS) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await rest(page);
    await markUnread(hall.server, lively.team.mel, unread);
    await page.reload();
    await takeAll(page, { views: PAGES, lively, form });
  }
  // Dialogs and menus are taken once: each picture stays in the repository for good.
  const [{ width, height, colorScheme, form }] = FORMS;
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
  await rest(page);
  await markUnread(hall.server, lively.team.mel, unread);
  await page.reload();
  await takeAll(page, { views: VIEWS.filter(({ isPage }) => !isPage), lively, form });
  const visitor = await hall.visit();
  for (const { form, width, height, colorScheme } of FORMS) {
    await visitor.page.setViewportSize({ width, height });
    await visitor.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await visitor.page.goto(hall.server.url);
    await visitor.page.getByRole('heading', { name: 'Log in' }).waitFor();
    await take(visitor.page, `login-${form}`);
  }
  expect(hall.server.bugs).toEqual([]);
});

const PAGES = VIEWS.filter(({ isPage }) => isPage);

/** To look at messages reads them; each set of pictures shows them unread. */
async function unreadOf(server: TestServer, as: Person): Promise<readonly number[]> {
  const { body } = await server.get(as, '/messages', {
    anchor: 'newest',
    num_before: 1_000,
    num_after: 0,
    narrow: [{ operator: 'is', operand: 'unread' }],
  });
  return (body.messages as { id: number }[]).map(({ id }) => id);
}

/** Waits until the page has told what was seen, before that is marked as unread. */
async function rest(page: Page) {
  await follow(page, '#settings');
  await page.waitForTimeout(1_500);
}

const markUnread = (server: TestServer, as: Person, messages: readonly number[]) =>
  server.post(as, '/messages/flags', { messages, op: 'remove', flag: 'read' });

interface Round {
  readonly views: readonly View[];
  readonly lively: Lively;
  readonly form: string;
}

async function takeAll(page: Page, { views, lively, form }: Round) {
  await page.getByText('live', { exact: true }).first().waitFor({ state: 'attached' });
  for (const view of views) {
    await page.mouse.move(1, 1);
    await view.show(page, lively);
    await take(page, `${view.name}-${form}`);
    const tabs = page.getByRole('main').getByRole('tab');
    for (let at = 1; view.isPage && at < (await tabs.count()); at += 1) {
      await tabs.nth(at).click();
      const title = (await tabs.nth(at).textContent()) ?? '';
      await take(page, `${view.name}-${title.toLowerCase().replaceAll(' ', '-')}-${form}`);
    }
    if (!view.isPage) await page.reload();
  }
}

/** All pictures of the page are there, and two frames have passed. */
const SETTLED = `Promise.all([...document.images].map((image) => image.decode().catch(() => undefined)))
  .then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))`;

async function take(page: Page, name: string) {
  await page.evaluate(SETTLED);
  const bytes = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  // 256 colours of its own do for a page of ours, at a third of the bytes.
  const small = await sharp(bytes)
    .png({ palette: true, quality: 95, effort: 7, compressionLevel: 9 })
    .toBuffer();
  writeFileSync(join(FOLDER, `${name}.png`), small);
}
