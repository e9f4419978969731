import { expect, test } from 'vitest';
import { benchmark } from '../../bench/suite/benchmark.ts';
import { at, merged, newLatencies, percentileCurve } from '../../bench/suite/latencies.ts';
import { number } from '../../bench/suite/options.ts';
import { createRecorder, type Step } from '../../bench/suite/recorder.ts';
import { isGeneratorTheLimit } from '../../bench/suite/usage.ts';

const PIDS = { server: process.pid, generator: undefined };

const counting = benchmark({
  name: 'counting',
  summary: 'counts',
  description: 'Counts.',
  elsewhere: true,
  options: { start: number({ meaning: 'the first value', default: 10 }) },
  metrics: { value: { unit: '', better: 'higher', meaning: 'What was counted.' } },
  targets: [
    { name: 'half', metric: 'value', case: /./, against: { server: 'baseline' }, atLeast: 0.5 },
  ],
  seconds: () => 1,
  run: async ({ options, expect: willCome, measure, setting, note, fault }) => {
    willCome(2 * setting.repeats);
    for (let repeat = 0; repeat < setting.repeats; repeat++) {
      for (const server of ['confab', 'baseline']) {
        await measure({
          case: 'only',
          server,
          pids: PIDS,
          run: async () => options.start + repeat,
          figures: (value) => ({ value: server === 'baseline' ? 2 * value : value }),
          latencies: () => {
            const times = newLatencies();
            times.record(1 + repeat);
            return { reply: times.encoded() };
          },
        });
      }
    }
    note('It counts.');
    fault('One was lost.');
  },
});

test('repeats of a case become one figure, held against the baseline of the same repeat', async () => {
  const steps: Step[] = [];
  const setting = { isQuick: false, repeats: 3, remote: undefined, messages: undefined };
  const written = { start: '10' };
  const recorder = createRecorder({ benchmark: counting, setting, written }, (step) =>
    steps.push(step),
  );
  await counting.run(recorder.bench, written);

  const { figures, usages, latencies, targets, notes, faults } = recorder.result();

  expect(figures).toMatchObject([
    { server: 'confab', values: [10, 11, 12], median: 11, ofBaseline: [0.5, 0.5, 0.5] },
    { server: 'baseline', values: [20, 22, 24], median: 22 },
  ]);
  expect(figures[1]).not.toHaveProperty('ofBaseline');
  expect(usages).toMatchObject([{ server: 'confab' }, { server: 'baseline' }]);
  expect(usages[0]?.serverPeakBytes?.[0]).toBeGreaterThan(1e6);
  expect(latencies).toMatchObject([
    { server: 'confab', count: 3 },
    { server: 'baseline', count: 3 },
  ]);
  expect(targets).toMatchObject([{ got: '0.50 of the baseline', isMet: true }]);
  expect({ notes, faults }).toEqual({ notes: ['It counts.'], faults: ['One was lost.'] });
  expect(steps.at(-1)).toMatchObject({ done: 6, expected: 6 });
});

test('what begins several curves is a case of each, and one measurement', async () => {
  const setting = { isQuick: false, repeats: 1, remote: undefined, messages: undefined };
  const steps: Step[] = [];
  const recording = { benchmark: counting, setting, written: {} };
  const { bench, result } = createRecorder(recording, (step) => steps.push(step));
  const at = { axis: 'users', curve: 'users', value: 10 };
  await bench.measure({
    case: '10 channels',
    also: [{ name: '10 users', at }],
    server: 'confab',
    pids: PIDS,
    run: async () => 7,
    figures: (value) => ({ value }),
  });
  expect(result().figures).toMatchObject([
    { case: '10 channels', values: [7] },
    { case: '10 users', at, values: [7] },
  ]);
  expect(result().usages.map((usage) => usage.case)).toEqual(['10 channels', '10 users']);
  expect(steps.at(-1)?.done).toBe(1);
});

test('the generator was the limit when its thread was busy all the time and the server had time left', () => {
  const usage = (server: number, generator: number) => ({
    seconds: 2,
    server: { cpuSeconds: 3, childrenCpuSeconds: 0, mainCpuSeconds: server, peakBytes: 0 },
    generator: { cpuSeconds: 3, childrenCpuSeconds: 0, mainCpuSeconds: generator },
  });

  expect(isGeneratorTheLimit(usage(1, 1.95))).toBe(true);
  expect(isGeneratorTheLimit(usage(1.9, 1.95))).toBe(false);
  expect(isGeneratorTheLimit(usage(1, 1.5))).toBe(false);
  expect(isGeneratorTheLimit({ ...usage(1, 2), server: undefined })).toBe(false);
});

test('latencies of several repeats are one distribution, to three digits', () => {
  const [first, second] = [newLatencies(), newLatencies()];
  for (let ms = 1; ms <= 500; ms++) first.record(ms);
  for (let ms = 501; ms <= 1000; ms++) second.record(ms);
  const all = merged([first.encoded(), second.encoded()]);

  expect(all.count).toBe(1000);
  const [half = 0, nearlyAll = 0] = at(all, [50, 99]);
  expect(half / 500).toBeCloseTo(1, 2);
  expect(nearlyAll / 990).toBeCloseTo(1, 2);
});

test('the curve of percentiles goes no further than there are values to tell', () => {
  const times = newLatencies();
  for (let ms = 1; ms <= 100; ms++) times.record(ms);

  const percents = percentileCurve(times.encoded()).map(({ percent }) => percent);

  expect(percents).toEqual([0, 10, 25, 50, 75, 90, 95, 97.5, 99, 99.5]);
  expect(percentileCurve(newLatencies().encoded())).toEqual([]);
});
