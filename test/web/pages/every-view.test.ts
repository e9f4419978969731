import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { findingsAndTextsOn, paleOn } from '../../support/pages/accessibility.ts';
import { CHROMIUM } from '../../support/pages/browser.ts';
import { openHall } from '../../support/pages/hall.ts';
import { fillLively } from '../../support/pages/lively.ts';
import { cutOn, movingOn, unboundedOn, unfocusedOn } from '../../support/pages/sight.ts';
import { VIEWS, type View } from '../../support/pages/views.ts';

const inChromium = test.skipIf(CHROMIUM === null);

/** They are many; this ends what hangs. */
const TIMEOUT_MS = 600_000;

/** Closes what stands over a view, or loads the page again where that leaves something of it. */
async function leave(page: Page) {
  await page.keyboard.press('Escape');
  await page.evaluate(SETTLED);
  if (await page.evaluate(STANDS_OVER)) await page.reload();
}

const STANDS_OVER = `document.querySelector(
  'dialog[open], :popover-open, [role=option], .compose-preview, article textarea',
) !== null`;

const SETTLED = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

/** Goes to each view, and to each tab of it, as an owner, who may do everything. */
async function atEach(
  views: readonly View[],
  look: (page: Page, name: string) => Promise<void>,
  asked: string[],
) {
  const hall = await openHall();
  const lively = await fillLively(hall);
  await hall.server.patch(lively.team.ona, `/users/${lively.team.mel.id}`, { role: 100 });
  const { page } = await hall.at('#inbox');
  // Colours are looked at when they are what they will be.
  await page.emulateMedia({ reducedMotion: 'reduce' });
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  // Parts that came with the log-in page are asked for as well.
  await page.reload();
  for (const view of views) {
    await view.show(page, lively);
    await look(page, view.name);
    const tabs = page.getByRole('main').getByRole('tab');
    for (let at = 1; view.isPage && at < (await tabs.count()); at += 1) {
      await tabs.nth(at).click();
      await page.waitForTimeout(50);
      await look(page, `${view.name} ${await tabs.nth(at).textContent()}`);
    }
    if (!view.isPage) await leave(page);
  }
  return hall;
}

const HALVES = [
  ['views', VIEWS.filter(({ isPage }) => isPage)],
  ['dialogs and menus', VIEWS.filter(({ isPage }) => !isPage)],
] as const;

/** Colours by the setting of the page, and by that of the system. */
const THEMES = [
  { theme: 'dark', media: { colorScheme: 'dark', contrast: 'no-preference' } },
  { theme: 'contrast', media: { colorScheme: 'light', contrast: 'no-preference' } },
  { theme: 'contrast', media: { colorScheme: 'dark', contrast: 'no-preference' } },
  { theme: 'system', media: { colorScheme: 'light', contrast: 'more' } },
  { theme: 'system', media: { colorScheme: 'dark', contrast: 'more' } },
] as const;

/** Adds to the findings of a view, of which each says how it was looked at. */
type Note = (how: string, findings: readonly string[]) => void;

async function lookAtThemes(page: Page, note: Note) {
  note('light', await findingsAndTextsOn(page));
  for (const { theme, media } of THEMES) {
    await page.emulateMedia(media);
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    // All but colours is the same in all themes.
    note(`${theme} ${media.colorScheme} ${media.contrast}`, await paleOn(page));
  }
  await page.emulateMedia({ colorScheme: 'light', contrast: 'no-preference' });
  await page.evaluate("document.documentElement.dataset.theme = 'light'");
}

async function lookAtFocus(page: Page, note: Note) {
  await page.keyboard.press('Shift');
  note('focus', await unfocusedOn(page));
}

/** A window of 1280 px that is zoomed to 400 % has 320 px. */
const SIZES = [
  ['320 px', 320, 640, '100%'],
  ['200 %', 1280, 800, '200%'],
  ['200 % of a tablet', 768, 1024, '200%'],
] as const;

async function lookAtSizes(page: Page, note: Note) {
  // A menu is placed when it is opened.
  if (await page.getByRole('menu').isVisible()) return;
  for (const [how, width, height, size] of SIZES) {
    await page.setViewportSize({ width, height });
    await page.evaluate(`document.documentElement.style.fontSize = '${size}'`);
    await page.evaluate(SETTLED);
    note(how, await cutOn(page));
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.evaluate("document.documentElement.style.fontSize = ''");
}

async function lookAtMotion(page: Page, note: Note) {
  note('reduced motion', await movingOn(page));
  await page.emulateMedia({ forcedColors: 'active' });
  note('forced colours', await unboundedOn(page));
  await page.keyboard.press('Shift');
  note('forced colours', await unfocusedOn(page));
  await page.emulateMedia({ forcedColors: 'none' });
}

/** The paths that the pages of both halves asked for. */
const asked: string[] = [];

inChromium.each(HALVES)(
  'axe finds nothing in any theme, the focus is seen everywhere, nothing is cut on 320 px and with texts of 200 %, ' +
    'nothing moves where that is not wanted, and controls have bounds in colours of the system, in %s',
  async (_, views) => {
    const found: string[] = [];
    await atEach(
      views,
      async (page, name) => {
        const note: Note = (how, findings) =>
          found.push(...findings.map((finding) => `${name}, ${how}: ${finding}`));
        await lookAtMotion(page, note);
        await lookAtThemes(page, note);
        await lookAtFocus(page, note);
        await lookAtSizes(page, note);
      },
      asked,
    );
    expect(found).toEqual([]);
  },
  TIMEOUT_MS,
);

inChromium('no part of the page is left out where all views are looked at', () => {
  expect(leftOut(asked)).toEqual([]);
});

/**
 * Parts that show nothing to somebody who stays. The log-in page, and pages over plain HTTP, have
 * tests of their own, and so have the libraries of passkeys and of QR codes (`esm`, `dist`) and the
 * service worker.
 */
const ELSEWHERE =
  /^(?:assets\/(?:copy-selected|dist|esm|leaving|log-in|notifications|sounds)-|service-worker\.js)/;

/** Returns the scripts of the page that were not asked for while all views were looked at. */
function leftOut(asked: readonly string[]): string[] {
  const file = join(inject('dist'), 'bundle', 'web', 'manifest.json');
  const { files } = JSON.parse(readFileSync(file, 'utf8')) as { files: Record<string, unknown> };
  return Object.keys(files).filter(
    (name) => name.endsWith('.js') && !ELSEWHERE.test(name) && !asked.includes(`/${name}`),
  );
}
