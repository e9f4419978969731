import { z } from 'zod';
import { TIMESTAMP_MAX } from '../../domain/limits/requests.ts';

const word = z.string({ error: 'is not a string' });

/**
 * A draft as a client writes it. Unlike other objects it may have no unknown keys
 * (reference/endpoints.md section 0).
 */
export const writtenDraft = z
  .strictObject(
    {
      type: z
        .enum(['', 'private', 'stream'], { error: 'is invalid' })
        .describe('Empty while it is not said where the draft is to go'),
      to: z
        .array(z.int({ error: 'is not an id' }), { error: 'is not a list' })
        .describe(
          'The id of the channel, alone; or those of people; ignored where `type` is empty',
        ),
      topic: word.describe('Ignored unless it is for a channel'),
      content: word,
      timestamp: z
        .number({ error: 'is not a number' })
        .min(0, 'must not be negative')
        .max(TIMESTAMP_MAX, 'is too far away')
        .optional()
        .describe('When it was last edited, in UNIX seconds; a fraction is dropped. Usually now'),
    },
    {
      error: ({ code }) =>
        code === 'unrecognized_keys' ? 'has a key that is unknown' : 'is not a dict',
    },
  )
  // Readers expect undefined for a missing timestamp.
  .transform(({ timestamp, ...draft }) => ({ ...draft, timestamp }));
