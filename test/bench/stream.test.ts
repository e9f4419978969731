import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wholeUnits } from '../../bench/load/stream.ts';

/** Units of lines, and what was taken of them. */
function lines() {
  const taken: string[] = [];
  const read = wholeUnits((bytes, start, end) => {
    let at = start;
    for (let line = bytes.indexOf('\n', at); line !== -1 && line < end; ) {
      taken.push(bytes.toString('latin1', at, line));
      at = line + 1;
      line = bytes.indexOf('\n', at);
    }
    return at;
  });
  return { taken, read };
}

/** Every read lies in the same memory, as those of a socket do. */
function readInPieces(
  text: string,
  sizes: readonly number[],
  read: (b: Buffer, n: number) => void,
) {
  const shared = Buffer.alloc(Math.max(...sizes));
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const piece = bytes.subarray(at, at + (sizes[n % sizes.length] ?? 1));
    shared.fill(0x2a);
    piece.copy(shared);
    read(shared, piece.length);
    at += piece.length;
  }
}

test('units come whole and once, however they are read', () => {
  const cut = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 });
  const units = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 200 }));
  fc.assert(
    fc.property(units, cut, (sent, sizes) => {
      const { taken, read } = lines();
      readInPieces(sent.map((unit) => `${unit}\n`).join(''), sizes, read);
      expect(taken).toEqual(sent);
    }),
  );
});

test('a unit of many reads comes whole, and what follows it', () => {
  const { taken, read } = lines();
  const large = 'x'.repeat(1_000_000);
  readInPieces(`${large}\nshort\n`, [65_536], read);
  expect(taken).toEqual([large, 'short']);
});
