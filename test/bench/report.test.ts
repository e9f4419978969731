import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readAssets } from '../../bench/report/assets.ts';
import { html, jsonInScript } from '../../bench/report/html.ts';
import type { Plots } from '../../bench/report/page/data.ts';
import { reportPage } from '../../bench/report/report.ts';
import { compare } from '../../bench/suite/comparison.ts';
import { figureOf, resultsOf } from '../support/bench-results.ts';
import { temporaryFolder } from '../support/scratch.ts';

const figures = [
  figureOf({ case: 'http, 1 in flight', values: [1, 2, 3], baselines: [2, 4, 6] }),
  figureOf({ case: 'http, 1 in flight', server: 'baseline', values: [2, 4, 6] }),
];
const results = resultsOf(figures);

/** Returns the assets as they are built for a browser. */
function assets() {
  const folder = temporaryFolder();
  execFileSync('node_modules/.bin/tsc', ['-p', 'bench/report/page', '--outDir', folder]);
  return readAssets(join(folder, 'page.js'));
}

const bare = { plotScript: '', plotStyle: '', pageScript: '' };
const pageOf = (change: Partial<Parameters<typeof reportPage>[0]> = {}) =>
  reportPage({ results, comparison: undefined, assets: bare, ...change });

test('the page opens without a network: nothing in it makes a browser load something', () => {
  const page = pageOf({ assets: assets() });

  expect(page).toContain('drawAll');
  expect(page).toContain('uPlot');
  expect(page).not.toMatch(/<(link|img|iframe|object|embed|base|source|video|audio)\b/i);
  expect(page).not.toMatch(/\s(src|srcset|poster|data|action)\s*=\s*["']?\w*:?\/\//i);
  expect(page).not.toMatch(/\shref\s*=\s*["']?[^"'#\s]/i);
  expect(page).not.toMatch(/@import|url\(\s*["']?[^"'#\s]/i);
  expect(page).not.toMatch(
    /\bfetch\(|XMLHttpRequest|new WebSocket|\bimport\s*\(|\bimport\s+[\w{*"']/,
  );
  expect(page).not.toContain('sourceMappingURL');
});

test('what was measured stands in tables that need no script', () => {
  const page = pageOf();

  expect(page).toContain('sends per second');
  expect(page).toMatch(/http, 1 in flight/);
  expect(page).toContain('0.50');
  expect(page).toContain('A Processor');
});

test('names are text, whatever is in them', () => {
  const [benchmark] = results.benchmarks;
  const evil = '</script><b>&"';
  if (benchmark === undefined) throw new Error('there is a benchmark');
  const page = pageOf({
    results: { ...results, benchmarks: [{ ...benchmark, name: evil, faults: [evil] }] },
  });

  expect(page).not.toContain(evil);
  expect(page.match(/<\/script>/g)).toHaveLength(3);
  expect(html`<i>${evil}</i>`.markup).toBe('<i>&lt;/script&gt;&lt;b&gt;&amp;&quot;</i>');
  expect(JSON.parse(jsonInScript({ evil }).markup)).toEqual({ evil });
});

test('the plots are given the percentiles of each case', () => {
  const page = pageOf();
  const json = /<script type="application\/json" id="plots">(.*?)<\/script>/s.exec(page)?.[1];
  const { benchmarks } = JSON.parse(json ?? '') as Plots;

  expect(benchmarks).toMatchObject([
    {
      name: 'send',
      cases: [
        {
          name: 'http, 1 in flight',
          latencies: [
            {
              server: 'confab',
              name: 'reply',
              points: [
                [50, 1],
                [99, 5],
              ],
            },
          ],
        },
      ],
    },
  ]);
});

test('what got worse is marked, and so is a generator at its limit and a busy machine', () => {
  const [benchmark] = results.benchmarks;
  if (benchmark === undefined) throw new Error('there is a benchmark');
  const usages = benchmark.usages.map((usage) => ({ ...usage, isGeneratorTheLimit: true }));
  const now = resultsOf(
    [figureOf({ case: 'http, 1 in flight', values: [0.1, 0.2, 0.3], baselines: [2, 4, 6] })],
    { machine: { ...results.machine, loadBefore: 5 } },
  );
  const limited = { ...now, benchmarks: now.benchmarks.map((one) => ({ ...one, usages })) };

  const page = pageOf({ results: limited, comparison: compare(results, now) });

  expect(page).toContain('<td class="verdict">worse</td>');
  expect(page).toContain('The load generator, and not the server, was the limit');
  expect(page).toContain('Other work was on the machine');
});
