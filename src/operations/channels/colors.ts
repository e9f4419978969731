import type { RealmTransaction } from '../../../storage/transaction.ts';

const PALETTE = [
  '#76ce90', '#fae589', '#a6c7e5', '#e79ab5', '#bfd56f', '#f4ae55', '#b0a5fd', '#addfe5',
  '#f5ce6e', '#c2726a', '#94c849', '#bd86e5', '#ee7e4a', '#a6dcbf', '#95a5fd', '#53a063',
  '#9987e1', '#e4523d', '#c2c2c2', '#4f8de4', '#c6a8ad', '#e7cc4d', '#c8bebf', '#a47462',
] as const; // biome-ignore format: a table

/** Returns a colour by index, for lists of channels without a subscription. */
export const colorAt = (index: number): string => PALETTE[index % PALETTE.length] ?? PALETTE[0];

/**
 * Returns a colour of the form `#rgb` to `#rrggbb` as `#rrggbb`: clients read six digits, in small
 * letters (reference, 4.2).
 */
export function inFull(color: string): string {
  const digits = color.slice(1).toLowerCase();
  if (digits.length === 6) return `#${digits}`;
  // A fourth digit is the opacity, which has no meaning for these colours.
  return `#${Array.from(digits.slice(0, 3), (digit) => digit.repeat(2)).join('')}`;
}

/** Returns a colour that the user's other channels do not have; when all are used, they repeat. */
export function unusedColor(tx: RealmTransaction, userId: number): string {
  const used = new Set<string>();
  let count = 0;
  for (const [, channelId] of tx.userChannels.keysUnder([userId])) {
    count += 1;
    if (count > PALETTE.length) break;
    const color = tx.subscriptions.get([channelId, userId])?.color;
    if (color !== undefined) used.add(color);
  }
  return PALETTE.find((color) => !used.has(color)) ?? colorAt(count);
}
