import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Looks for what WCAG 2.2 AA forbids, and for what the makers of axe advise against, or for some
 * rules only; returns a line for each finding.
 */
export async function findingsOn(page: Page, rules?: readonly string[]): Promise<string[]> {
  // The policy of a page allows no script of a test: the browser itself evaluates these.
  await page.evaluate(axe.source);
  // To list all that passes takes most of the time of a long page.
  const resultTypes = ['violations'];
  const runOnly =
    rules === undefined ? { type: 'tag', values: RULES } : { type: 'rule', values: rules };
  const options = { resultTypes, runOnly };
  const run = `axe.run(document, ${JSON.stringify(options)})`;
  const { violations, passes } = (await page.evaluate(run)) as AxeResults;
  if (passes.length === 0 && rules === undefined) throw new Error('axe has looked at nothing');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${String(target)}: ${failureSummary}`),
  );
}
