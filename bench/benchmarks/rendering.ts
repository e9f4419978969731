import { alertWordFinder } from '../../src/domain/rules/texts/alert-words.ts';
import { compiled, newLinkifierWork } from '../../src/domain/rules/texts/linkifiers.ts';
import type { MarkdownDirectory } from '../../src/markdown/directory.ts';
import { renderMarkdown } from '../../src/markdown/markdown.ts';
import {
  FULL_DIRECTORY,
  LINKIFIED,
  LINKIFYING_DIRECTORY,
  PATTERNS,
  PIECES,
  SHAPES,
} from '../stores/hostile-texts.ts';
import { benchmark, lower } from '../suite/benchmark.ts';
import { text } from '../suite/options.ts';
import { repeated } from '../suite/texts.ts';

const options = {
  only: text({
    meaning: 'those texts alone whose name has these words in it',
    default: '',
    quick: 'markup:',
  }),
};

/**
 * Between n and 2n linear and quadratic differ by 2 only, which a collection of garbage can hide;
 * so it is n and 8n.
 */
const TIMES_LONGER = 8;
/** Linear is 8, n times the root of n 23, quadratic 64. */
const GROWTH_MAX = 24;
/** A shorter time counts as this: the clock and the machine are too coarse for it. */
const SHORT_MS = 0.3;
const TRIES = 4;

const metrics = {
  growth: lower(
    '×',
    `Time of a text over that of one with an eighth of its length, of the text of its kind that grows most. 8 is linear, 64 quadratic; the run fails from ${GROWTH_MAX} on.`,
  ),
  'longest text': lower('ms', 'What the slowest of them takes, at the greater length.'),
};

export const rendering = benchmark({
  name: 'rendering',
  summary: 'texts that are written to be slow',
  description:
    'Markup over and over, linkifiers and patterns that nearly match, alert words that all begin alike: each at a length and at eight times as much. There is no baseline: what counts is that no text takes longer out of proportion to its length.',
  elsewhere: 'rendering runs in its own process; there is nothing to ask a server elsewhere.',
  options,
  metrics,
  targets: [
    {
      name: 'no text grows faster than its length',
      metric: 'growth',
      case: /./,
      atMost: GROWTH_MAX,
    },
  ],
  seconds: ({ only }, repeats) => (only === '' ? 8 : 2) * repeats,
  run: async ({ options: { only }, setting, expect, measure, fault }) => {
    const kinds = Object.entries(KINDS)
      .map(([name, all]) => ({ name, texts: all.filter((one) => one.name.includes(only)) }))
      .filter(({ texts }) => texts.length > 0);
    if (kinds.length === 0) throw new Error(`no text is called ${only}`);
    expect(kinds.length * setting.repeats);
    for (let repeat = 0; repeat < setting.repeats; repeat++) {
      for (const { name, texts } of kinds) {
        const rows = await measure({
          case: name,
          server: 'confab',
          pids: { server: process.pid, generator: undefined },
          run: async () => texts.map(grownBy),
          figures: (all) => ({
            growth: Math.max(...all.map(({ growth }) => growth)),
            'longest text': Math.max(...all.map(({ longMs }) => longMs)),
          }),
        });
        for (const { name: of, growth } of rows.filter((one) => one.growth >= GROWTH_MAX)) {
          fault(`${of} grows ${growth.toFixed(0)} × for ${TIMES_LONGER} × its length`);
        }
      }
    }
  },
});

interface Text {
  readonly name: string;
  readonly length: number;
  /** Runs it once on a text of this length. */
  readonly of: (length: number) => () => unknown;
}

const rendered = (content: string, names: MarkdownDirectory) => () =>
  renderMarkdown(content, names);

const markup = (name: string, contentOf: (length: number) => string): Text => ({
  name,
  length: 4_000,
  of: (length) => rendered(contentOf(length), FULL_DIRECTORY),
});

/** Beyond 16,000 characters the engine takes another way, twenty times as slow for each. */
const linkified = (piece: string): Text => ({
  name: `linkifiers on ${JSON.stringify(piece)}`,
  length: 1_250,
  of: (length) => rendered(repeated(piece, length), LINKIFYING_DIRECTORY),
});

function matched(core: string): Text {
  const linkifiers = compiled([{ pattern: `(?P<x>${core})`, urlTemplate: 'https://x.org/{x}' }]);
  const of = (length: number) => () => linkifiers.matchesIn('a'.repeat(length), newLinkifierWork());
  return { name: `pattern ${core}`, length: 1_000, of };
}

const KINDS: Readonly<Record<string, readonly Text[]>> = {
  'markup over and over': PIECES.map((piece) =>
    markup(`markup ${JSON.stringify(piece)}`, (length) => repeated(piece, length)),
  ),
  'markup in shapes': Object.entries(SHAPES).map(([name, contentOf]) =>
    markup(`markup: ${name}`, contentOf),
  ),
  linkifiers: LINKIFIED.map(linkified),
  'patterns of linkifiers': PATTERNS.map(matched),
  'alert words': [{ name: 'alert words that all begin alike', length: 1_250, of: findingWords }],
};

/** As many words as letters: each to be looked for by itself would be quadratic. */
function findingWords(length: number): () => unknown {
  const words = Array.from({ length: length / 2 }, (_, index) => `a a a a a a a a ${index}`);
  const find = alertWordFinder([{ userId: 1, words }]);
  const html = `<p>${repeated('a ', length)}</p>`;
  return () => find(html);
}

/** The shortest of some runs: what the machine does besides only ever makes a run longer. */
function millisecondsFor(run: () => unknown, runs: number): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (let count = 0; count < runs; count++) {
    const started = performance.now();
    run();
    shortest = Math.min(shortest, performance.now() - started);
  }
  return shortest;
}

interface Grown {
  readonly name: string;
  readonly longMs: number;
  readonly growth: number;
}

/** The least of some tries: a text that is slow is so in each. */
function grownBy({ name, length, of }: Text): Grown {
  let least: Grown = { name, longMs: 0, growth: Number.POSITIVE_INFINITY };
  for (let count = 0; count < TRIES && least.growth >= GROWTH_MAX; count++) {
    const shortMs = millisecondsFor(of(length), 4);
    const longMs = millisecondsFor(of(TIMES_LONGER * length), 2);
    const growth = longMs / Math.max(SHORT_MS, shortMs);
    if (growth < least.growth) least = { name, longMs, growth };
  }
  return least;
}
