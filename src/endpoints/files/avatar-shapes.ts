import { AVATAR_PIXELS, EMOJI_PIXELS, MEDIUM_AVATAR_PIXELS } from '../../domain/limits/images.ts';

const square = (side: number) =>
  ({ width: side, height: side, fit: 'cover', isStill: true }) as const;

/** The sizes in which an image of an account is drawn. */
export const AVATAR_SHAPES = { small: square(AVATAR_PIXELS), medium: square(MEDIUM_AVATAR_PIXELS) };

/** The size of a custom emoji, which may move. */
export const EMOJI_SHAPE = {
  width: EMOJI_PIXELS,
  height: EMOJI_PIXELS,
  fit: 'contain',
  isStill: false,
} as const;
