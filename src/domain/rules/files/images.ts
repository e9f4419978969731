import { png } from './png.ts';

/**
 * The few images that the server has of its own, as PNG: the images of unknown users, of the
 * service's own account, of an organization without an icon or a logo, and the extra emoji. Each is
 * a few shapes, so they are drawn and not kept as files.
 */
export const unknownUser = () =>
  painted(SQUARE, (x, y) => {
    const isPerson = isInCircle(x, y, [0.5, 0.38, 0.18]) || isInCircle(x, y, [0.5, 1, 0.38]);
    return isPerson ? WHITE : GRAY;
  });

export const realmIcon = () => speaker(BLUE);

/** The service's own account speaks for every organization alike. */
export const notificationBot = () => speaker(GRAY);

const speaker = (color: Color) =>
  painted(SQUARE, (x, y) => (isInBubble(x, y) && !isFace(x, y) ? WHITE : color));

/** Draws only the bubble, in a color for light surroundings or for dark ones. */
export const realmLogo = (surroundings: 'light' | 'dark') =>
  painted(SQUARE, (x, y) =>
    isInBubble(x, y) && !isFace(x, y) ? (surroundings === 'dark' ? WHITE : BLUE) : NOTHING,
  );

export const extraEmoji = () =>
  painted(SMALL_SQUARE, (x, y) => (isInBubble(x, y) ? (isFace(x, y) ? WHITE : BLUE) : NOTHING));

type Color = readonly [red: number, green: number, blue: number, alpha: number];
type Circle = readonly [x: number, y: number, radius: number];

const WHITE: Color = [255, 255, 255, 255];
const GRAY: Color = [150, 158, 170, 255];
const BLUE: Color = [52, 98, 190, 255];
const NOTHING: Color = [0, 0, 0, 0];

/**
 * Pixels of a side: twice what clients show at most, so that it is sharp where pixels are small.
 */
const SQUARE = 128;
const SMALL_SQUARE = 64;
/** A pixel is the mean of so many points squared, which makes edges smooth. */
const POINTS = 4;

/** Positions are fractions of the side, from the upper left. */
const isInCircle = (x: number, y: number, [centerX, centerY, radius]: Circle) =>
  (x - centerX) ** 2 + (y - centerY) ** 2 < radius ** 2;

/** A speech bubble with its tail to the lower left. */
const isInBubble = (x: number, y: number) => isInCircle(x, y, [0.5, 0.46, 0.34]) || isInTail(x, y);

const isInTail = (x: number, y: number) =>
  x < 0.5 && y < 0.88 - 0.35 * (x - 0.2) && y > 0.88 - 2.2 * (x - 0.2);

/** Two eyes and a smile. */
const isFace = (x: number, y: number) =>
  isInCircle(x, y, [0.38, 0.4, 0.045]) ||
  isInCircle(x, y, [0.62, 0.4, 0.045]) ||
  (y > 0.5 && isInCircle(x, y, [0.5, 0.48, 0.19]) && !isInCircle(x, y, [0.5, 0.46, 0.15]));

/** Paints a square image in which `colorAt` gives the color of each point. */
function painted(side: number, colorAt: (x: number, y: number) => Color): Uint8Array {
  const rows = Buffer.alloc(side * (1 + side * 4));
  for (let row = 0; row < side; row += 1) {
    const start = row * (1 + side * 4) + 1;
    for (let column = 0; column < side; column += 1) {
      rows.set(pixel(side, { row, column, colorAt }), start + column * 4);
    }
  }
  return png({ side, format: 'alpha', rows });
}

interface Pixel {
  readonly row: number;
  readonly column: number;
  readonly colorAt: (x: number, y: number) => Color;
}

/** Returns the mean color of a pixel's points, each weighted by its alpha. */
function pixel(side: number, { row, column, colorAt }: Pixel): Color {
  let [red, green, blue, alpha] = [0, 0, 0, 0];
  for (let point = 0; point < POINTS * POINTS; point += 1) {
    const x = (column + ((point % POINTS) + 0.5) / POINTS) / side;
    const y = (row + (Math.floor(point / POINTS) + 0.5) / POINTS) / side;
    const color = colorAt(x, y);
    red += color[0] * color[3];
    green += color[1] * color[3];
    blue += color[2] * color[3];
    alpha += color[3];
  }
  if (alpha === 0) return NOTHING;
  return [red / alpha, green / alpha, blue / alpha, alpha / (POINTS * POINTS)];
}
