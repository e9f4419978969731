import { expect, test } from 'vitest';
import { type DemoPlace, startDemoHere } from '../people/demo-server.ts';
import { isInFull } from '../runs.ts';
import { CHROMIUM, FIREFOX } from './browser.ts';
import { expectAsFresh } from './shown.ts';
import { type AudienceOptions, type Story, storyAt } from './story.ts';

/**
 * The forms of a story: it is told in each browser, and by somebody who has no pointer. The usual
 * one is that of nearly all other tests of pages.
 */
const FORMS = [
  { how: 'in Chromium', browserName: 'chromium', isByKeys: false, isUsual: true },
  { how: 'in Firefox', browserName: 'firefox', isByKeys: false, isUsual: false },
  { how: 'by the keys alone', browserName: 'chromium', isByKeys: true, isUsual: false },
] as const;

const IS_THERE = { chromium: CHROMIUM !== null, firefox: FIREFOX !== null };

/** A story takes 10 to 25 s; this ends what hangs, also on a machine that does much else. */
const TIMEOUT_MS = 180_000;

interface FormOptions {
  readonly timeout?: number;
  /** False where nobody acts, so that the keys would show nothing more. */
  readonly isByKeysToo?: boolean;
}

/**
 * Makes a test in each form, which says by which browser and hand people act. A pointer in Chromium
 * is one of them where the keys are not, and with `ALL_RUNS`.
 */
export function inForms(
  name: string,
  run: (options: AudienceOptions) => Promise<void>,
  { timeout = TIMEOUT_MS, isByKeysToo = true }: FormOptions = {},
): void {
  for (const { how, isUsual, ...options } of FORMS) {
    if (options.isByKeys && !isByKeysToo) continue;
    if (isUsual && isByKeysToo && !isInFull()) continue;
    test.skipIf(!IS_THERE[options.browserName])(`${name}, ${how}`, () => run(options), timeout);
  }
}

/**
 * Makes a test of a story in each form. When it ends, everybody in it who is still there sees what
 * the server has; there has to be somebody.
 */
export const inBrowsers = (name: string, tell: (story: Story) => Promise<void>): void =>
  inBrowsersAt(startDemoHere, name, tell);

/** The same at servers that are started in this way, like processes that can be killed. */
export function inBrowsersAt<Server extends DemoPlace>(
  start: () => Promise<Server>,
  name: string,
  tell: (story: Story<Server>) => Promise<void>,
): void {
  inForms(name, async (options) => {
    const story = await storyAt(await start(), options);
    await tell(story);
    await expectAllFresh(story);
  });
}

async function expectAllFresh({ participants, server }: Story): Promise<void> {
  let compared = 0;
  for (const participant of participants) {
    if (participant.page.isClosed()) continue;
    await expectAsFresh(participant, server, participant.person);
    compared += 1;
  }
  expect(compared, 'participants whose pages were compared').toBeGreaterThan(0);
}
