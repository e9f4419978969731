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

async function prepare(page: Page) {
  // The policy of a page allows no script of a test: the browser itself evaluates these.
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(`${SCRIPT};0`);
  // Colours that go over into others are not those that people read.
  await page.evaluate(SETTLED);
}

/**
 * Looks for what WCAG 2.2 AA forbids, and for what the makers of axe advise against, or for some
 * rules only; returns a line for each finding.
 */
export async function findingsOn(page: Page, rules?: readonly string[]): Promise<string[]> {
  await prepare(page);
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

/** Does as `findingsOn`; the page keeps each text whose contrast axe has told, for `paleOn`. */
export async function findingsAndTextsOn(page: Page): Promise<string[]> {
  await prepare(page);
  const once = () => page.evaluate<TextFindings>(WITH_TEXTS);
  let { found, otherwise, passed } = await once();
  // Numbers of what is unread may have changed while axe was at it.
  if (otherwise.length > 0) ({ found, otherwise, passed } = await once());
  if (passed === 0) throw new Error('axe has looked at nothing');
  return [...found, ...otherwise];
}

/**
 * Returns the texts that are too pale in the colours that the page has now, of those that
 * `findingsAndTextsOn` has kept. It takes a hundredth of the time of axe; that both tell the same
 * contrast was made sure of there, for each text.
 */
export async function paleOn(page: Page): Promise<string[]> {
  const found = await page.evaluate<string[] | null>(`${CONTRAST}; paleTexts()`);
  // A text that was written again meanwhile is not among them: axe looks for it.
  return found ?? (await findingsOn(page, ['color-contrast']));
}

/**
 * Does as `findingsAndTextsOn` in light colours, and adds the texts that are too pale in dark ones.
 * The page is left with light colours.
 */
export async function findingsInBoth(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await findingsAndTextsOn(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.evaluate(SETTLED);
  const dark = await paleOn(page);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...light, ...dark.map((finding) => `dark: ${finding}`)];
}

interface TextFindings {
  readonly found: string[];
  /** The texts of which axe tells another contrast. */
  readonly otherwise: string[];
  readonly passed: number;
}

/** Contrasts of WCAG 2.2: a text and the backgrounds of all elements that it is in, as painted. */
const CONTRAST = `
  var colour = (text) => {
    const numbers = /^rgba?\\(([^)]+)\\)$/.exec(text)?.[1].split(/[ ,/]+/).map(Number);
    if (numbers === undefined) throw new Error('a colour in another form: ' + text);
    return numbers;
  };
  var over = ([r, g, b, alpha = 1], below) => [r, g, b].map((one, at) => one * alpha + below[at] * (1 - alpha));
  var paint = (chain, below) => {
    const { color, backgroundColor, opacity } = chain[0];
    const here = over(backgroundColor, below);
    const both = chain.length > 1 ? paint(chain.slice(1), here) : { text: over(color, here), ground: here };
    const dim = (one) => over([...one, opacity], below);
    return { text: dim(both.text), ground: dim(both.ground) };
  };
  var lightness = (rgb) => {
    const [r, g, b] = rgb.map((one) => one / 255).map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  var known = new Map();
  var coloursOf = (element) => {
    if (!known.has(element)) {
      const { color, backgroundColor, opacity } = getComputedStyle(element);
      known.set(element, { color: colour(color), backgroundColor: colour(backgroundColor), opacity: Number(opacity) });
    }
    return known.get(element);
  };
  var contrastOf = (element) => {
    const chain = [];
    for (let at = element; at !== null; at = at.parentElement) chain.unshift(coloursOf(at));
    const { text, ground } = paint(chain, [255, 255, 255]);
    const [low, high] = [lightness(text), lightness(ground)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  var named = ({ element, fontSize }) => element.outerHTML.slice(0, 120) + ' of ' + fontSize;
  var paleTexts = () => textsOfAxe.every(({ element }) => element.isConnected) ? textsOfAxe
    .filter(({ element, expectedContrastRatio }) => contrastOf(element) < Number.parseFloat(expectedContrastRatio))
    .map((one) => 'a contrast of ' + contrastOf(one.element).toFixed(2) + ' at ' + named(one)) : null;
  // Colours are rounded to whole numbers by axe.
  var toldOtherwise = () => textsOfAxe
    .filter(({ element, contrastRatio }) => element.isConnected && Math.abs(contrastOf(element) / contrastRatio - 1) > 0.02)
    .map((one) => 'axe tells a contrast of ' + one.contrastRatio + ', and not ' + contrastOf(one.element).toFixed(2) + ', at ' + named(one))`;

/** Without selectors, all that passes is listed at once. */
const OPTIONS = {
  selectors: false,
  elementRef: true,
  resultTypes: ['violations', 'passes'],
  runOnly: { type: 'tag', values: RULES },
};

const WITH_TEXTS = `${CONTRAST};
  axe.run(document, ${JSON.stringify(OPTIONS)}).then(({ violations, passes }) => {
    globalThis.textsOfAxe = [...violations, ...passes]
      .filter(({ id }) => id === 'color-contrast').flatMap(({ nodes }) => nodes)
      .map(({ element, any: [check] }) => ({ element, ...check?.data }))
      .filter(({ contrastRatio }) => contrastRatio > 0);
    const found = violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ' at ' + html + ': ' + failureSummary));
    return { found, otherwise: toldOtherwise(), passed: passes.length };
  })`;
