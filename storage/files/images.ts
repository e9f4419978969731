import type Sharp from 'sharp';
import {
  IMAGE_FRAMES_MAX,
  IMAGE_PIXELS_MAX,
  IMAGE_SECONDS_MAX,
  IMAGES_AT_ONCE_MAX,
  IMAGES_MEASURED_AT_ONCE_MAX,
  THUMBNAIL_HEIGHT,
  THUMBNAIL_WIDTH,
} from '../../src/domain/limits.ts';

/** Of an image as it is shown, turned as its camera says. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
}

/** Who uploads waits for the one, which reads no more than a head; nobody waits for the other, which decodes all. */
const measuring = few(IMAGES_MEASURED_AT_ONCE_MAX);
const shrinking = few(IMAGES_AT_ONCE_MAX);

/** Undefined for what is no image, whatever it was called, or is one of too many pixels to be decoded. */
export async function measure(path: string): Promise<ImageSize | undefined> {
  return await measuring(async () => {
    const sharp = await library();
    try {
      const { autoOrient, pages = 1 } = await sharp(path, BOUNDS).metadata();
      const { width, height } = autoOrient;
      if (width * height > IMAGE_PIXELS_MAX) return undefined;
      return { width, height, isAnimated: pages > 1 };
    } catch {
      // The library says of many faults no more than a sentence; none is this server's.
      return undefined;
    }
  });
}

/** A small WebP of it; of one that moves the first frame, or some of them. Undefined for what cannot be decoded. */
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

/** How an image is drawn anew: to fill its frame, to fit into it with nothing around, or no larger than it is. */
export interface ImageShape {
  readonly width: number;
  readonly height: number;
  readonly fit: 'cover' | 'contain' | 'inside';
}

export interface Drawn {
  /** PNG; of what moves the first frame. */
  readonly still: Buffer;
  /** WebP; null of what does not move, or is to be still. */
  readonly moving: Buffer | null;
}

/** A small image made of whatever was uploaded, without what its maker's camera said. Undefined for what is none. */
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

/** What is decoded is bounded before anything is: a few bytes can stand for gigabytes. */
const BOUNDS = { limitInputPixels: IMAGE_PIXELS_MAX, failOn: 'error' } as const;

let loading: Promise<typeof Sharp> | undefined;

/** Loaded with the first image. It reads the formats of images alone: no drawings, which may name other files. */
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
      // Whoever waits takes the place over.
      const next = waiting.shift();
      if (next === undefined) underWay -= 1;
      else next();
    }
  };
}
