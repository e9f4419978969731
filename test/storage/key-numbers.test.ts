import fc from 'fast-check';
import { open } from 'lmdb';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, openTable, table } from '../../storage/table.ts';
import { runs } from '../support/runs.ts';
import { temporaryFolder } from '../support/scratch.ts';

type NamedKey = readonly [channelId: number, topic: string, id: number];
const named = table<NamedKey, { readonly value: number }>('named', ['value']);
const texted = table<
  readonly [channelId: number, id: number],
  { readonly line: string; readonly value: number }
>('texted', ['line', 'value']);
const bare = table<readonly [id: number], { readonly value: number }>('bare', ['value']);

const LARGEST = Number.MAX_SAFE_INTEGER;

function openEnvironment() {
  const env = open<unknown, string>({ path: temporaryFolder(), maxDbs: 4 });
  onTestFinished(() => env.close());
  return env;
}

test('the numbers at the end of keys are those of the keys, in both directions and within bounds', async () => {
  const env = openEnvironment();
  const rows = openTable(openDatabase(env, named), named);
  const id = fc.oneof(fc.nat(300), fc.integer({ min: 0, max: LARGEST }));
  const stored = fc.sample(fc.tuple(fc.constantFrom(1, 2), fc.constantFrom('a', '✔ a', ''), id), {
    numRuns: runs({ few: 120, all: 600 }),
    seed: 4711,
  });
  await env.transaction(() => {
    for (const key of stored) rows.put(key, { value: 1 });
  });
  const all = [...new Set(stored.map(([channel, topic, last]) => `${channel} ${topic} ${last}`))];
  fc.assert(
    fc.property(
      fc.constantFrom(1, 2, 3),
      fc.constantFrom('a', '✔ a', '', 'b'),
      fc.tuple(id, id),
      fc.boolean(),
      fc.nat(40),
      fc.oneof(fc.constant(0), fc.nat(120)),
      (channel, topic, [one, other], isReverse, limit, offset) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        const own = all
          .filter((key) => key.startsWith(`${channel} ${topic} `))
          .map((key) => Number(key.slice(`${channel} ${topic} `.length)))
          .filter((last) => last >= low && last < high)
          .sort((a, b) => (isReverse ? b - a : a - b));
        const prefix = [channel, topic];
        const range = { low, high, isReverse, limit };
        expect(rows.numbers(prefix, { ...range, offset })).toEqual(
          own.slice(offset, offset + limit),
        );
        expect(rows.numbers(prefix, range)).toEqual(own.slice(0, limit));
      },
    ),
  );
});

test('the text that begins a row is read with its number, whatever the row before is', async () => {
  const env = openEnvironment();
  const rows = openTable(openDatabase(env, texted), texted);
  const text = fc.oneof(
    fc.constantFrom(
      '',
      'a',
      'ab',
      'é'.repeat(15),
      'é'.repeat(16),
      'x'.repeat(255),
      'y'.repeat(300),
    ),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
  );
  const stored = fc.sample(fc.tuple(fc.constantFrom(1, 2), text, fc.nat({ max: 2 ** 33 })), {
    numRuns: runs({ few: 60, all: 300 }),
    seed: 4711,
  });
  // Several rows in a row have the same text, which is the beginning of other texts.
  const lines = stored.flatMap(([channel, line, value], index) =>
    Array.from({ length: 1 + (index % 4) }, (_, more) => ({ channel, line, value: value + more })),
  );
  await env.transaction(() => {
    for (const [id, { channel, line, value }] of lines.entries()) {
      rows.put([channel, id], { line, value });
    }
  });
  fc.assert(
    fc.property(
      fc.constantFrom(1, 2, 3),
      fc.nat(lines.length),
      fc.nat(lines.length),
      fc.nat({ max: 900 }),
      (channel, low, high, limit) => {
        const own = Array.from(lines.entries())
          .filter(([id, line]) => line.channel === channel && id >= low && id < high)
          .slice(0, limit);
        expect(rows.numbersWithTexts([channel], { low, high, limit })).toEqual({
          numbers: own.map(([id]) => id),
          texts: own.map(([, { line }]) => line),
        });
      },
    ),
  );
});

test('numbers are read as the transaction has them, or the snapshot', async () => {
  const env = openEnvironment();
  const database = openDatabase(env, bare);
  const rows = openTable(database, bare);
  const range = { low: 0, high: LARGEST, isReverse: false, limit: 9 };
  await env.transaction(() => rows.put([1], { value: 1 }));
  const snapshot = env.useReadTransaction();
  const before = openTable(database, bare, { seenBy: snapshot });
  let within: number[] = [];
  await env.transaction(() => {
    rows.put([256], { value: 1 });
    within = rows.numbers([], range);
    rows.remove([1]);
  });
  expect(within).toEqual([1, 256]);
  expect(rows.numbers([], range)).toEqual([256]);
  expect(rows.numbers([], { ...range, isReverse: true })).toEqual([256]);
  expect(before.numbers([], range)).toEqual([1]);
  snapshot.done();
});

test('a prefix with a text that no key can have leads to nothing', () => {
  const rows = openTable(openDatabase(openEnvironment(), named), named);
  const range = { low: 0, high: 9, isReverse: false, limit: 9 };
  expect(rows.numbers([1, 'a'.repeat(700)], range)).toEqual([]);
});
