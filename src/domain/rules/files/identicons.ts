import { png } from './png.ts';

/** Sixteen hexadecimal digits: all that such an image is made of. */
export const SEED = /^[0-9a-f]{16}$/;

/**
 * Draws an avatar of five times five fields, the right half mirroring the left, in one color on a
 * light ground. The same seed always gives the same image, so it can be cached anywhere.
 */
export function identicon(seed: string, { isMedium }: { readonly isMedium: boolean }): Uint8Array {
  const side = isMedium ? MEDIUM_SIDE : SMALL_SIDE;
  const [hue = 0, shade = 0, ...bits] = Buffer.from(seed, 'hex');
  return png({
    side,
    format: 'twoColors',
    palette: Uint8Array.from([...GROUND, ...colorOf({ hue, shade })]),
    rows: rowsOf(side, (row, column) =>
      isPainted(bits, row, Math.min(column, FIELDS - 1 - column)),
    ),
  });
}

const FIELDS = 5;
/** Half a field is left free around them, so a side is six fields long. */
const SMALL_SIDE = 120;
const MEDIUM_SIDE = 480;
const GROUND = [240, 242, 245];

/**
 * Each field of the left half has a bit of its own. The middle field is always painted, so that no
 * image is empty.
 */
function isPainted(bits: readonly number[], row: number, column: number): boolean {
  if (row === 2 && column === 2) return true;
  return ((bits[row] ?? 0) & (1 << column)) !== 0;
}

/**
 * Returns any hue, neither so light nor so dark that it is hard to see on a light or a dark page.
 */
function colorOf({ hue, shade }: { hue: number; shade: number }): number[] {
  const degrees = (hue * 360) / 256;
  const lightness = 0.4 + (0.15 * shade) / 256;
  const strength = 0.6 * Math.min(lightness, 1 - lightness);
  return [0, 8, 4].map((offset) => {
    const position = (offset + degrees / 30) % 12;
    const change = Math.max(-1, Math.min(position - 3, 9 - position, 1));
    return Math.round(255 * (lightness - strength * change));
  });
}

/**
 * Eight pixels a byte, after the zero that each row begins with. The rows of a field are all alike.
 */
function rowsOf(side: number, isPaintedAt: (row: number, column: number) => boolean): Uint8Array {
  const field = side / (FIELDS + 1);
  const length = 1 + Math.ceil(side / 8);
  const rows = new Uint8Array(side * length);
  for (let row = 0; row < FIELDS; row += 1) {
    const line = lineOf({ field, length }, (column) => isPaintedAt(row, column));
    for (let y = 0; y < field; y += 1) rows.set(line, (field * (row + 0.5) + y) * length);
  }
  return rows;
}

function lineOf(
  { field, length }: { readonly field: number; readonly length: number },
  isPaintedAt: (column: number) => boolean,
): Uint8Array {
  const line = new Uint8Array(length);
  for (let x = 0; x < field * FIELDS; x += 1) {
    if (!isPaintedAt(Math.floor(x / field))) continue;
    const pixel = x + field / 2;
    const index = 1 + (pixel >> 3);
    line[index] = (line[index] ?? 0) | (0x80 >> (pixel & 7));
  }
  return line;
}
