import { parseArgs } from 'node:util';
import { alertWordFinder } from '../src/domain/alert-words.ts';
import { compiled, newLinkifierWork } from '../src/domain/linkifiers.ts';
import type { MarkdownDirectory } from '../src/domain/markdown/directory.ts';
import { renderMarkdown } from '../src/domain/markdown.ts';
import { print, progressBar, rounded, runMain, table, writeResults } from './report.ts';
import {
  FULL_DIRECTORY,
  LINKIFIED,
  LINKIFYING_DIRECTORY,
  PATTERNS,
  PIECES,
  SHAPES,
} from './stores/hostile-texts.ts';

const HELP = `rendering: what texts that are written to be slow cost, and how that grows with their length

  --only <words>    those alone whose name has these words in it
  --rows <n>        of the table: the worst         (15)
  --json <file>     write the results there as well
  --help

Ends with 1 when the time of one grows faster than its length.`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    rows: { type: 'string', default: '15' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** Between n and 2n linear and quadratic differ by 2 only, which a collection of garbage can hide; so it is n and 8n. */
const TIMES_LONGER = 8;
/** Linear is 8, n times the root of n 23, quadratic 64. */
const GROWTH_MAX = 24;
/** What takes less is counted as this: the clock and the machine are too coarse for it. */
const SHORT_MS = 0.3;
const TRIES = 4;

interface Case {
  readonly name: string;
  readonly length: number;
  /** Runs it once on a text of this length. */
  readonly of: (length: number) => () => unknown;
}

interface Row {
  readonly name: string;
  readonly length: number;
  readonly shortMs: number;
  readonly longMs: number;
  readonly growth: number;
}

const repeated = (piece: string, length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

const rendering = (content: string, names: MarkdownDirectory) => () =>
  renderMarkdown(content, names);

function* cases(): Iterable<Case> {
  for (const piece of PIECES) {
    const of = (length: number) => rendering(repeated(piece, length), FULL_DIRECTORY);
    yield { name: `markup ${JSON.stringify(piece)}`, length: 4_000, of };
  }
  for (const [name, contentOf] of Object.entries(SHAPES)) {
    const of = (length: number) => rendering(contentOf(length), FULL_DIRECTORY);
    yield { name: `markup: ${name}`, length: 4_000, of };
  }
  // Beyond 16,000 characters the engine takes another way, twenty times as slow for each.
  for (const piece of LINKIFIED) {
    const of = (length: number) => rendering(repeated(piece, length), LINKIFYING_DIRECTORY);
    yield { name: `linkifiers on ${JSON.stringify(piece)}`, length: 1_250, of };
  }
  for (const core of PATTERNS) {
    const linkifiers = compiled([{ pattern: `(?P<x>${core})`, urlTemplate: 'https://x.org/{x}' }]);
    const of = (length: number) => () =>
      linkifiers.matchesIn('a'.repeat(length), newLinkifierWork());
    yield { name: `pattern ${core}`, length: 1_000, of };
  }
  yield { name: 'alert words that all begin alike', length: 1_250, of: findingWords };
}

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

function measure({ name, length, of }: Case): Row {
  let row: Row | undefined;
  for (let count = 0; count < TRIES; count++) {
    const shortMs = millisecondsFor(of(length), 5);
    const longMs = millisecondsFor(of(TIMES_LONGER * length), 3);
    const growth = longMs / Math.max(SHORT_MS, shortMs);
    if (row === undefined || growth < row.growth) row = { name, length, shortMs, longMs, growth };
    if (row.growth < GROWTH_MAX) return row;
  }
  if (row === undefined) throw new Error('nothing was measured');
  return row;
}

async function main(): Promise<void> {
  if (values.help) return print(HELP);
  const all = [...cases()].filter(({ name }) => name.includes(values.only));
  if (all.length === 0) throw new Error(`no text is called ${values.only}`);
  const bar = progressBar(all.length);
  const rows: Row[] = [];
  for (const each of all) {
    rows.push(measure(each));
    bar.advance(each.name);
  }
  bar.stop();
  const worst = rows.toSorted((one, other) => other.growth - one.growth);
  const head = ['text', 'characters', 'ms', `of ${TIMES_LONGER} x as many`, 'growth'];
  const cells = worst
    .slice(0, Number(values.rows))
    .map(({ name, length, shortMs, longMs, growth }) => [
      name,
      length,
      rounded(shortMs, 2),
      rounded(longMs, 2),
      rounded(growth, 1),
    ]);
  print(table(head, cells));
  writeResults(values.json, 'rendering', { rows });
  const failed = worst.filter(({ growth }) => growth >= GROWTH_MAX);
  print(`${rows.length} texts; ${failed.length} of them grow faster than their length`);
  if (failed.length > 0) process.exitCode = 1;
}

await runMain(main);
