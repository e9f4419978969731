import { z } from 'zod';
import { CHANNELS_PER_REQUEST_MAX } from '../../domain/limits/channels.ts';
import { json } from '../params.ts';

const string = z.string({ error: 'is not a string' });

const wantedChannel = z.object(
  {
    name: string.trim(),
    description: string.default(''),
    color: string.regex(/^#[0-9a-f]{3,6}$/i, 'is not a valid hex color code').optional(),
  },
  { error: 'is not a dict' },
);

/** Channels by name, with the descriptions of those to be created. */
export const wantedChannels = json(
  z
    .array(wantedChannel, { error: 'is not a list' })
    .max(CHANNELS_PER_REQUEST_MAX, `has more than ${CHANNELS_PER_REQUEST_MAX} items`),
);
