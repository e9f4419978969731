import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { identicon, SEED } from '../../../../src/domain/rules/files/identicons.ts';

/** Returns which of the five times five fields are painted, and how many pixels a side has. */
function fieldsOf(file: Uint8Array) {
  const body = Buffer.from(file);
  const side = body.readUInt32BE(16);
  expect([...body.subarray(24, 26)]).toEqual([1, 3]);
  const start = body.indexOf('IDAT');
  const rows = inflateSync(body.subarray(start + 4, start + 4 + body.readUInt32BE(start - 4)));
  const length = 1 + Math.ceil(side / 8);
  expect(rows.length).toBe(side * length);
  const isPainted = (x: number, y: number) =>
    ((rows[y * length + 1 + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) !== 0;
  const middleOf = (field: number) => Math.floor(((field + 1) * side) / 6);
  const fields = [0, 1, 2, 3, 4].map((row) =>
    [0, 1, 2, 3, 4]
      .map((column) => (isPainted(middleOf(column), middleOf(row)) ? '#' : '.'))
      .join(''),
  );
  const painted = Array.from({ length: side * side }, (_, index) =>
    isPainted(index % side, Math.floor(index / side)),
  ).filter(Boolean).length;
  return { side, fields, painted: painted / (side / 6) ** 2 };
}

test.each([
  { seed: '0000000000000000', fields: ['.....', '.....', '..#..', '.....', '.....'], painted: 1 },
  { seed: '80ff0102040700ff', fields: ['#...#', '.#.#.', '..#..', '#####', '.....'], painted: 10 },
  { seed: 'ffffffffffffffff', fields: Array(5).fill('#####'), painted: 25 },
])('the bits of $seed are fields, mirrored, and whole ones', ({ seed, fields, painted }) => {
  for (const isMedium of [false, true]) {
    const image = fieldsOf(identicon(seed, { isMedium }));
    expect(image).toEqual({ side: isMedium ? 480 : 120, fields, painted });
  }
});

test('colors can be told from the ground, and seeds by their color', () => {
  const colors = new Set<string>();
  for (let hue = 0; hue < 256; hue += 16) {
    for (const shade of ['00', 'ff']) {
      const seed = `${hue.toString(16).padStart(2, '0')}${shade}000000000000`;
      const body = Buffer.from(identicon(seed, { isMedium: false }));
      const palette = [...body.subarray(body.indexOf('PLTE') + 4, body.indexOf('PLTE') + 10)];
      const [ground, color] = [palette.slice(0, 3), palette.slice(3)];
      const brightest = (one: number[]) => one.reduce((sum, part) => sum + part, 0) / 3;
      expect(brightest(ground) - brightest(color), seed).toBeGreaterThan(60);
      colors.add(color.join());
    }
  }
  expect(colors.size).toBe(32);
});

test.each(['', '0', '0123456789abcdeF', '0123456789abcdef0', '../../../../../etc'])(
  'no seed: %j',
  (text) => {
    expect(SEED.test(text)).toBe(false);
  },
);
