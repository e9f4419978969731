import { describe, expect, test } from 'vitest';
import { BENCHMARKS } from '../../bench/benchmarks/index.ts';
import {
  COMMON_OPTIONS,
  number,
  numbers,
  readCommandLine,
  texts,
  valuesOf,
  words,
} from '../../bench/suite/options.ts';

const declared = {
  sizes: numbers({ meaning: 'sizes', default: [10, 100], quick: [5] }),
  seconds: number({ meaning: 'seconds', default: 1.5 }),
  via: words(['http', 'socket'], { meaning: 'ways', default: ['http'] }),
};

test('what is chosen goes before what is quick, and that before what is usual', () => {
  expect(valuesOf(declared, texts(declared, {}, false))).toEqual({
    sizes: [10, 100],
    seconds: 1.5,
    via: ['http'],
  });
  expect(valuesOf(declared, texts(declared, { seconds: '3' }, true))).toEqual({
    sizes: [5],
    seconds: 3,
    via: ['http'],
  });
});

test.each([
  { chosen: { seconds: 'long' }, message: '--seconds: "long" is not a number from 0' },
  { chosen: { seconds: '-1' }, message: '--seconds: "-1" is not a number from 0' },
  { chosen: { sizes: '10,x' }, message: '--sizes: "x" is not a number from 0' },
  { chosen: { via: 'pigeon' }, message: '--via: pigeon is none of http, socket' },
])('$chosen is refused by its name', ({ chosen, message }) => {
  expect(() => valuesOf(declared, texts(declared, chosen, false))).toThrow(message);
});

test.each(BENCHMARKS)('no option of $name is called as one of all benchmarks', ({ options }) => {
  const common: readonly string[] = [...COMMON_OPTIONS, 'quick', 'help', 'readme'];
  expect(Object.keys(options).filter((name) => common.includes(name))).toEqual([]);
});

test('an option that nobody declared is refused', () => {
  expect(() => texts(declared, { size: '1' }, false)).toThrow('there is no option --size');
});

test('a command line has names, options with values, and flags', () => {
  const line = readCommandLine(['send', '--seconds', '2', '--quick'], {
    valued: ['seconds'],
    flags: ['quick', 'help'],
  });

  expect(line).toEqual({ names: ['send'], chosen: { seconds: '2' }, set: new Set(['quick']) });
  expect(() => readCommandLine(['--slow'], { valued: [], flags: [] })).toThrow(/--slow/);
});

describe.each(BENCHMARKS)('$name', ({ options, seconds, metrics, targets }) => {
  test('reads its own defaults, also the quick ones, and is told to end', () => {
    for (const isQuick of [false, true]) {
      const written = texts(options, {}, isQuick);
      expect(() => valuesOf(options, written)).not.toThrow();
      expect(seconds(written, 3)).toBeGreaterThan(0);
    }
  });

  test('its targets are of its own figures, and can be met or missed', () => {
    for (const { metric, atLeast, atMost } of targets) {
      expect(Object.keys(metrics)).toContain(metric);
      expect(atLeast ?? atMost).toBeDefined();
    }
  });
});
