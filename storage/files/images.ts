import type Sharp from 'sharp';
import {
  IMAGE_FRAMES_MAX,
  IMAGE_PIXELS_MAX,
  IMAGE_SECONDS_MAX,
  IMAGES_AT_ONCE_MAX,
  IMAGES_MEASURED_AT_ONCE_MAX,
  THUMBNAIL_HEIGHT,
  THUMBNAIL_WIDTH,
} from '../../src/domain/limits/images.ts';

/** Size of an image as it is shown, turned as its camera says. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
}

/**
 * An upload waits while the head of its file is measured, so measuring takes turns of its own,
 * apart from shrinking and drawing, which decode whole images.
 */
const measuring = few(IMAGES_MEASURED_AT_ONCE_MAX);
const shrinking = few(IMAGES_AT_ONCE_MAX);

/**
 * Returns undefined for a file that is no image, whatever its name says, or has too many pixels to
 * be decoded.
 */
export async function measure(path: string): Promise<ImageSize | undefined> {
  return await measuring(async () => {
    const sharp = await library();
    try {
      const { autoOrient, pages = 1 } = await sharp(path, BOUNDS).metadata();
      const { width, height } = autoOrient;
      if (width * height > IMAGE_PIXELS_MAX) return undefined;
      return { width, height, isAnimated: pages > 1 };
    } catch {
      // The library describes many faults only by a sentence; none is this server's.
      return undefined;
    }
  });
}

/**
 * Makes a small WebP of an image; of a moving one, of its first frame or of some of them. Returns
 * undefined if it cannot be decoded.
 */
export async function shrink(
  path: string,
  { isMoving }: { isMoving: boolean },
): Promise<Buffer | undefined> {
  return await shrinking(async () => {
    const sharp = await library();
    try {
      const frames = isMoving ? { pages: await framesOf(sharp, path) } : {};
      return await sharp(path, { ...BOUNDS, ...frames })
        .autoOrient()
        .resize({
          width: THUMBNAIL_WIDTH,
          height: THUMBNAIL_HEIGHT,
          fit: 'inside',
          withoutEnlargement: true,
        })
        .webp()
        .timeout({ seconds: IMAGE_SECONDS_MAX })
        .toBuffer();
    } catch {
      return undefined;
    }
  });
}

/**
 * The frame of a drawn image, and how the image fits: it fills the frame (`cover`), fits into it
 * with nothing around (`contain`), or also keeps its size if that is smaller (`inside`).
 */
export interface ImageShape {
  readonly width: number;
  readonly height: number;
  readonly fit: 'cover' | 'contain' | 'inside';
}

export interface Drawn {
  /** PNG; of a moving image its first frame. */
  readonly still: Buffer;
  /** WebP; null if the image does not move, or is to be still. */
  readonly moving: Buffer | null;
}

/**
 * Makes a small image of an uploaded one, without what the camera noted in it. Returns undefined
 * for bytes that are no image.
 */
export async function draw(
  bytes: Buffer,
  { isStill, ...shape }: ImageShape & { readonly isStill: boolean },
): Promise<Drawn | undefined> {
  return await shrinking(async () => {
    const sharp = await library();
    const drawn = (frames: { pages?: number }) =>
      sharp(bytes, { ...BOUNDS, ...frames })
        .autoOrient()
        .resize({
          ...shape,
          background: { r: 0, g: 0, b: 0, alpha: 0 },
          withoutEnlargement: shape.fit === 'inside',
        })
        .timeout({ seconds: IMAGE_SECONDS_MAX });
    try {
      const still = await drawn({}).png().toBuffer();
      const { pages = 1 } = isStill ? {} : await sharp(bytes, BOUNDS).metadata();
      if (pages === 1) return { still, moving: null };
      const frames = { pages: await framesOf(sharp, bytes) };
      return { still, moving: await drawn(frames).webp().toBuffer() };
    } catch {
      return undefined;
    }
  });
}

async function framesOf(sharp: typeof Sharp, from: string | Buffer): Promise<number> {
  const { width, height, pages = 1 } = await sharp(from, BOUNDS).metadata();
  const fitting = Math.floor(IMAGE_PIXELS_MAX / (width * height));
  return Math.max(1, Math.min(pages, fitting, IMAGE_FRAMES_MAX));
}

/** Bounds are checked before anything is decoded: a few bytes can stand for gigabytes. */
const BOUNDS = { limitInputPixels: IMAGE_PIXELS_MAX, failOn: 'error' } as const;

let loading: Promise<typeof Sharp> | undefined;

/**
 * Loads the library with the first image. It may read only formats of images, and no drawings,
 * which may name other files.
 */
function library(): Promise<typeof Sharp> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({
      operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map(
        (format) => `VipsForeignLoad${format}`,
      ),
    });
    sharp.cache(false);
    return sharp;
  });
  return loading;
}

/** Lets so many works run at once; the others wait for their turn. */
function few(max: number) {
  let underWay = 0;
  const waiting: (() => void)[] = [];
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (underWay >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else underWay += 1;
    try {
      return await work();
    } finally {
      // The first that waits takes over the place.
      const next = waiting.shift();
      if (next === undefined) underWay -= 1;
      else next();
    }
  };
}
