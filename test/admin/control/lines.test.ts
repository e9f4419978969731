import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readLines } from '../../../src/admin/control/lines.ts';
import { BackgroundTurns } from '../../../src/domain/background-turns.ts';

function reading({ bytesMax = 1_000, turns = new BackgroundTurns(() => 0) } = {}) {
  const stream = new PassThrough();
  const lines: string[] = [];
  let tooLong = 0;
  readLines(stream, {
    bytesMax,
    onTooLong: () => {
      tooLong += 1;
    },
    turns: () => turns,
    onLine: (line) => lines.push(line),
  });
  return { stream, lines, tooLong: () => tooLong };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('lines are the same however their bytes come', async () => {
  const text = 'one\n\ntwo – 2\n{"three":3}\n';
  const { stream, lines } = reading();
  for (const byte of Buffer.from(text)) {
    stream.write(Buffer.from([byte]));
    if (byte % 3 === 0) await turn();
  }
  await expect.poll(() => lines).toEqual(text.split('\n').slice(0, -1));
});

test('what came at once is read in turns, and what comes meanwhile after it', async () => {
  const { stream, lines } = reading();
  stream.write('one\ntwo\nthree\n');
  stream.write('four\n');
  const seen: number[] = [];
  while (lines.length < 4) {
    await turn();
    seen.push(lines.length);
  }
  expect(lines).toEqual(['one', 'two', 'three', 'four']);
  expect(seen).toEqual(expect.arrayContaining([1, 2, 3, 4]));
});

test('a line waits for its turn', async () => {
  const turns = new BackgroundTurns(() => 0);
  turns.beginCommit();
  const { stream, lines } = reading({ turns });
  stream.write('one\n');
  for (let count = 0; count < 3; count++) await turn();
  expect(lines).toEqual([]);
  turns.endCommit();
  await expect.poll(() => lines).toEqual(['one']);
});

test('a line that is too long is told of once, and nothing is read from it on', async () => {
  const { stream, lines, tooLong } = reading({ bytesMax: 10 });
  stream.write('short\n');
  await expect.poll(() => lines).toEqual(['short']);
  stream.write('much too ');
  stream.write('long\nshort\n');
  for (let count = 0; count < 3; count++) await turn();
  expect([lines, tooLong()]).toEqual([['short'], 1]);
});
