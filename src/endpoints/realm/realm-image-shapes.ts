import { z } from 'zod';
import {
  REALM_ICON_PIXELS,
  REALM_LOGO_HEIGHT,
  REALM_LOGO_WIDTH,
} from '../../domain/limits/images.ts';
import { boolean } from '../params.ts';

export const ICON = {
  width: REALM_ICON_PIXELS,
  height: REALM_ICON_PIXELS,
  fit: 'cover',
  isStill: true,
} as const;

export const LOGO = {
  width: REALM_LOGO_WIDTH,
  height: REALM_LOGO_HEIGHT,
  fit: 'inside',
  isStill: true,
} as const;

export const night = boolean.describe('The one for dark surroundings');

export const logoOf = (isForNight: boolean) => (isForNight ? 'night_logo' : 'logo');

export const iconReply = {
  icon_url: z.string(),
  icon_source: z.enum(['G', 'U']).describe('G: the built-in one; U: uploaded'),
};

const source = z.enum(['D', 'U']).optional().describe('D: the built-in one; U: uploaded');

/** The fields of the requested logo. */
export const logoReply = {
  logo_url: z.string().optional(),
  logo_source: source,
  night_logo_url: z.string().optional(),
  night_logo_source: source,
};
