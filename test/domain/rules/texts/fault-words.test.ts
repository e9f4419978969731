import { expect, test } from 'vitest';
import { z } from 'zod';
import { faultWords } from '../../../../src/domain/rules/texts/fault-words.ts';

test.each<{ schema: z.ZodType; value: unknown; words: string }>([
  { schema: z.string(), value: undefined, words: 'is missing' },
  { schema: z.string(), value: 3, words: 'is not a string' },
  { schema: z.number(), value: '3', words: 'is not a number' },
  { schema: z.int(), value: 3.5, words: 'is not an integer' },
  { schema: z.boolean(), value: 'yes', words: 'is not a boolean' },
  { schema: z.array(z.string()), value: {}, words: 'is not a list' },
  { schema: z.object({}), value: 3, words: 'is not an object' },
  { schema: z.record(z.string(), z.string()), value: 3, words: 'is not an object' },
  { schema: z.date(), value: 3, words: 'is not valid' },
  { schema: z.enum(['tea', 'milk']), value: 'x', words: 'is none of tea, milk' },
  { schema: z.literal([1, 2]), value: 3, words: 'is none of 1, 2' },
  { schema: z.number().min(2), value: 1, words: 'is less than 2' },
  { schema: z.number().max(2), value: 3, words: 'is more than 2' },
  { schema: z.string().min(2), value: 'x', words: 'has fewer characters than 2' },
  { schema: z.string().max(2), value: 'xxx', words: 'has more characters than 2' },
  { schema: z.array(z.string()).min(1), value: [], words: 'has fewer entries than 1' },
  { schema: z.array(z.string()).max(1), value: ['', ''], words: 'has more entries than 1' },
  { schema: z.email(), value: 'x', words: 'is invalid' },
  { schema: z.string('is no tea'), value: 3, words: 'is no tea' },
])('$value is told of as: $words', ({ schema, value, words }) => {
  expect(schema.safeParse(value, { error: faultWords }).error?.issues[0]?.message).toBe(words);
});
