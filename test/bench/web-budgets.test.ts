import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BUDGETS } from '../../bench/web/budgets.ts';
import { QUIET_MS, quantileOf } from '../../bench/web/calibration.ts';
import { madeLines } from '../../bench/web/corpus.ts';
import { type BudgetRun, holds, quietly, withFigures } from '../../bench/web/figures-page.ts';
import { slopeOf } from '../../bench/web/heap.ts';
import type { Measured } from '../../bench/web/measure.ts';
import { freshOf } from '../../bench/web/narrows.ts';
import { workOf } from '../../bench/web/trace.ts';

const PAGE = readFileSync('docs/web-budgets.md', 'utf8');

interface Row {
  readonly what: string;
  readonly budget: string;
  readonly measured: string;
  readonly quiet: string;
  readonly isHeld: string;
}

const rowsOf = (page: string): readonly Row[] =>
  Array.from(
    page.matchAll(/^\| (.+?) +\| (.+?) +\| (.+?) +\| (.*?) +\| (yes|no|\*\*no\*\*) +\|/gm),
    ([, what = '', budget = '', measured = '', quiet = '', isHeld = '']) => ({
      what,
      budget,
      measured,
      quiet,
      isHeld,
    }),
  );

test('docs/web-budgets.md has a figure for each budget, and says truly whether it holds', () => {
  const rows = rowsOf(PAGE);
  expect(rows.map(({ what }) => what.replace(' (our own bound)', ''))).toEqual(
    BUDGETS.map(({ what }) => what),
  );
  for (const [index, { max, unit }] of BUDGETS.entries()) {
    const row = rows[index];
    expect(row?.budget).toBe(`${max.toLocaleString('en')} ${unit}`.trim());
    expect(row?.isHeld).toBe(Number(row?.quiet) <= max ? 'yes' : '**no**');
  }
  expect(PAGE).toMatch(/^Measured on \d{4}-\d\d-\d\d at \w+/m);
});

const calibration = { cpuMs: 2 * QUIET_MS, clockMs: 4 * QUIET_MS };
const measured = (key: Measured['key'], value: number): Measured => ({
  key,
  value,
  calibration,
  note: 'a | b',
});

const RUN: BudgetRun = {
  day: '2026-11-26',
  commit: 'abc',
  machine: '2 cores',
  browser: 'Chromium 156',
  corpus: 'messages made by a seed',
  minutes: 7,
  found: BUDGETS.map(({ key, max }) => measured(key, max)),
};

test('the figures of a run take the place of those before, and the preface stays', () => {
  const page = withFigures(withFigures(PAGE, RUN), RUN);
  expect(page.startsWith(PAGE.slice(0, PAGE.indexOf('<!-- figures: begin')))).toBe(true);
  expect(rowsOf(page)).toHaveLength(BUDGETS.length);
  expect(page).toContain(`${BUDGETS.length} of ${BUDGETS.length} budgets hold.`);
  expect(() => withFigures('no place', RUN)).toThrow('no place');
});

test('a budget that was not measured does not hold', () => {
  const page = withFigures(PAGE, { ...RUN, found: RUN.found.slice(1) });
  expect(page).toContain(`${BUDGETS.length - 1} of ${BUDGETS.length} budgets hold.`);
  expect(rowsOf(page)[0]).toMatchObject({ measured: 'not measured' });
});

test('times are held to the calibration loop of their run, sizes and networks are not', () => {
  const byKey = new Map(BUDGETS.map((budget) => [budget.key as string, budget]));
  const of = (key: Measured['key'], value: number) => {
    const budget = byKey.get(key);
    if (budget === undefined) throw new Error(`there is no ${key}`);
    return {
      quiet: Number(quietly(budget, measured(key, value)).toFixed(6)),
      holds: holds(budget, measured(key, value)),
    };
  };
  expect(of('scrollScript', 7)).toEqual({ quiet: 3.5, holds: true });
  expect(of('scrollScript', 9)).toEqual({ quiet: 4.5, holds: false });
  expect(of('warmMs', 1_000)).toEqual({ quiet: 250, holds: true });
  expect(of('slowMs', 2_400)).toEqual({ quiet: 2_400, holds: false });
  expect(of('registerBytes', 61)).toEqual({ quiet: 61, holds: false });
});

const MAIN = { pid: 1, tid: 1 };
const task = (name: string, [ts, ms]: readonly [number, number], cpu = ms) => ({
  ...MAIN,
  name,
  ph: 'X',
  ts: ts * 1_000,
  dur: ms * 1_000,
  tdur: cpu * 1_000,
});
const mark = (name: string, ts: number) => ({ ...MAIN, name, ph: 'I', ts: ts * 1_000 });

test('a trace is split into the work of each step, as CPU time, and a layout within a script is none', () => {
  const work = workOf([
    task('RunTask', [0, 5]),
    mark('step', 10),
    // A script that waits half of the time for the processor, and forces a layout.
    task('RunTask', [11, 20], 11),
    task('FunctionCall', [12, 18], 10),
    task('Layout', [15, 4]),
    task('RunMicrotasks', [20, 2]),
    mark('step 2', 40),
    task('RunTask', [41, 9]),
    task('UpdateLayoutTree', [42, 3]),
    task('Paint', [46, 2]),
    // Other threads and other pages do not count.
    { ...task('RunTask', [41, 90]), tid: 2 },
    { ...task('FunctionCall', [41, 90]), pid: 2 },
  ]);
  expect(work).toEqual([
    { script: 6, style: 0, layout: 4, other: 1, longestTask: 11 },
    { script: 0, style: 3, layout: 0, other: 6, longestTask: 9 },
  ]);
  expect(() => workOf([task('RunTask', [0, 5])])).toThrow('no mark');
});

test('going elsewhere takes the work of the page from the step to the rows, whatever is waited for', () => {
  const frame = (name: string, ts: number, bytes: number) => ({
    ...mark(`WEBSOCKET_${name}_FRAME_HEADER`, ts),
    pid: 2,
    args: { params: { opcode: 1, payload_length: bytes } },
  });
  const events = [
    // The step is taken in the middle of a task, which had to wait for the processor.
    task('RunTask', [6, 8], 4),
    mark('goes elsewhere', 10),
    mark('WebSocketSend', 12),
    frame('SENT', 15, 40),
    // Work counts while the server works, too.
    task('RunTask', [16, 3]),
    frame('SENT', 17, 10),
    frame('RECV', 18, 20),
    frame('RECV', 20, 30_000),
    { ...task('RunTask', [20, 90]), tid: 2 },
    // The rows are laid out in the middle of a task as well.
    task('RunTask', [24, 10], 10),
    mark('rows are laid out', 29),
    task('RunTask', [40, 10], 10),
  ];
  expect(freshOf(events)).toEqual({ workMs: 2 + 3 + 5, shownMs: 19, roundTripMs: 8 });
  expect(freshOf(events.filter(({ name }) => !name.includes('RECV')))).toBeNull();
  expect(() => freshOf([])).toThrow('lacks the marks');
});

test('the slope is that of the line through the points', () => {
  const points = [0, 1_000, 2_000, 3_000].map((messages, index) => ({
    messages,
    heapBytes: 5_000 + 7 * messages + (index % 2 === 0 ? 10 : -10),
    nodes: 0,
    listeners: 0,
  }));
  expect(slopeOf(points)).toBeCloseTo(7, 1);
  expect(slopeOf(points.slice(0, 1))).toBe(0);
});

test('quantiles are values that were there', () => {
  expect(quantileOf([5, 1, 4, 2, 3], 0.5)).toBe(3);
  expect(quantileOf([1, 2], 0.95)).toBe(2);
});

test('messages are made by a seed: lengths, code, links, lists, names and emoji', () => {
  const lines = madeLines(3_000);
  expect(madeLines(3_000)).toEqual(lines);
  expect(madeLines(10, 2)).not.toEqual(lines.slice(0, 10));
  const all = lines.map(({ text }) => text).join('\n');
  for (const sign of ['```', 'https://', '- ', '@**', ':', '> ', '| ']) expect(all).toContain(sign);
  expect(Math.max(...lines.map(({ text }) => text.length))).toBeGreaterThan(1_000);
  expect(new Set(lines.map(({ nick }) => nick)).size).toBeGreaterThan(200);
  expect(new Set(lines.map(({ date }) => date)).size).toBe(5);
});
