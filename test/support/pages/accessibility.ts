import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Half of the time of a run is to read the script, so each document gets it once. */
const SCRIPT = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Waits until transitions and animations are over that end. */
const SETTLED = `new Promise((drawn) => requestAnimationFrame(drawn)).then(() => Promise.allSettled(
  document.getAnimations()
    .filter(({ effect, playState }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity)
    .map(({ finished }) => finished)
)).then(() => 0)`;

interface Findings extends Pick<AxeResults, 'violations'> {
  readonly passed: number;
}

/**
 * Looks for what WCAG 2.2 AA forbids, and for what the makers of axe advise against, or for some
 * rules only; returns a line for each finding.
 */
export async function findingsOn(page: Page, rules?: readonly string[]): Promise<string[]> {
  // The policy of a page allows no script of a test: the browser itself evaluates these.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(`${SCRIPT};0`);
  // Colours that go over into others are not those that people read.
  await page.evaluate(SETTLED);
  // To list all that passes takes most of the time of a long page.
  const resultTypes = ['violations'];
  const runOnly =
    rules === undefined ? { type: 'tag', values: RULES } : { type: 'rule', values: rules };
  const options = { resultTypes, runOnly };
  const run = `axe.run(document, ${JSON.stringify(options)})
    .then(({ violations, passes }) => ({ violations, passed: passes.length }))`;
  const { violations, passed } = (await page.evaluate(run)) as Findings;
  if (passed === 0 && rules === undefined) throw new Error('axe has looked at nothing');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${String(target)}: ${failureSummary}`),
  );
}
