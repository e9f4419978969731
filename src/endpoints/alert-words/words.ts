import { z } from 'zod';
import { ALERT_WORD_LENGTH_MAX, ALERT_WORDS_PER_USER_MAX } from '../../domain/limits/accounts.ts';
import { json } from '../params.ts';

const word = z
  .string({ error: 'is not a string' })
  .refine(
    (text) => [...text.trim()].length <= ALERT_WORD_LENGTH_MAX,
    `is too long (limit: ${ALERT_WORD_LENGTH_MAX} characters)`,
  );

export const words = json(
  z
    .array(word, { error: 'is not a list' })
    .max(ALERT_WORDS_PER_USER_MAX, `has more than ${ALERT_WORDS_PER_USER_MAX} items`),
).describe('Words or phrases; their case does not matter');
