import { AVATAR_PIXELS, MEDIUM_AVATAR_PIXELS } from '../../domain/limits/images.ts';

const square = (side: number) =>
  ({ width: side, height: side, fit: 'cover', isStill: true }) as const;

/** The sizes in which an image of an account is drawn. */
export const AVATAR_SHAPES = { small: square(AVATAR_PIXELS), medium: square(MEDIUM_AVATAR_PIXELS) };
