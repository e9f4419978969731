import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { caseOf } from '../../bench/benchmarks/by-gateways/case.ts';
import { expectations, lineThrough } from '../../bench/documents/cores-model.ts';
import { coresPicture, coresTables } from '../../bench/documents/cores-page.ts';
import { withTables } from '../../bench/documents/document-tables.ts';
import { CORES_PAGE, CORES_PICTURE } from '../../bench/documents/write-tables.ts';
import { processUsage } from '../../bench/servers/process-usage.ts';
import { GATEWAYS_FILE, readResults } from '../../bench/suite/files.ts';
import { figureOf } from '../support/bench-results.ts';

const ALL = 'CPU of all per message';
const WRITER = 'CPU of the writer per message';
const GATEWAYS = 'CPU of gateways per message';

test('the page about more cores and its picture are those of the results that are kept', () => {
  const kept = readResults(GATEWAYS_FILE);
  const page = readFileSync(CORES_PAGE, 'utf8');

  expect(withTables(page, coresTables(kept))).toBe(page);
  expect(coresPicture(kept)).toBe(readFileSync(CORES_PICTURE, 'utf8'));
});

test('a line goes through what was measured with gateways, and never falls', () => {
  const rising = lineThrough([
    [0, 900],
    [1, 100],
    [2, 110],
    [3, 120],
  ]);
  const falling = lineThrough([
    [1, 120],
    [2, 100],
  ]);

  expect(rising?.(7)).toBeCloseTo(160);
  expect(falling?.(7)).toBeCloseTo(110);
  expect(lineThrough([[0, 900]])).toBeUndefined();
});

test('the writer bounds what a machine holds where it has more gateways than it can feed', () => {
  const figures = figuresOf('1000 sockets, W = 16', [
    { gateways: 0, writer: 1000, served: 0 },
    { gateways: 1, writer: 100, served: 900 },
    { gateways: 2, writer: 110, served: 920 },
  ]);
  const at = (gateways: number) => expectations(figures, { cores: gateways + 1, gateways })[0];

  expect(at(0)).toMatchObject({ atLeast: 1000, atMost: 1000, limit: 'one process' });
  expect(at(1)).toMatchObject({ atLeast: 1e6 / 900, limit: 'the gateways' });
  expect(at(7)).toMatchObject({ atLeast: 1e6 / 160, atMost: 7e6 / 900, limit: 'the writer' });
});

test('one message at a time says nothing of how many there can be', () => {
  const lone = ['sends, 1 in flight', '100 sockets, W = 1'].flatMap((curve) =>
    figuresOf(curve, [{ gateways: 1, writer: 100, served: 100 }]),
  );

  expect(expectations(lone, { cores: 2, gateways: 1 })).toEqual([]);
});

test('the CPU time of a server is that of all of its processes', async () => {
  const before = processUsage(process.pid);
  const burn =
    'while (process.cpuUsage().user < 3e5); console.log("done"); setInterval(() => {}, 1e6)';
  const child = spawn(process.execPath, ['-e', burn], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const after = processUsage(process.pid);

  const own = after.childrenCpuSeconds - before.childrenCpuSeconds;
  expect(own).toBeGreaterThanOrEqual(0.3);
  // Both are sums of hundredths of a second.
  expect(after.cpuSeconds - before.cpuSeconds).toBeGreaterThanOrEqual(own - 0.001);
});

interface Costs {
  readonly gateways: number;
  readonly writer: number;
  readonly served: number;
}

const figuresOf = (curve: string, costs: readonly Costs[]) =>
  costs.flatMap(({ gateways, writer, served }) => {
    const { name, at } = caseOf(curve, gateways);
    const placed = at === undefined ? {} : { at };
    return [
      [ALL, writer + served] as const,
      [WRITER, writer] as const,
      [GATEWAYS, served] as const,
    ].map(([metric, value]) => ({
      ...figureOf({ case: name, metric, values: [value] }),
      ...placed,
    }));
  });
