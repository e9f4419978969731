import { z } from 'zod';
import type { Anchor } from '../../operations/reading/message-list.ts';
import { json, meaning, word } from '../params.ts';

/**
 * Accepts an integer, or a word (reference/endpoints.md 2.1). Numbers that no message can have mean
 * the ends of the list.
 */
export const anchor = meaning(
  word.transform((value, context): Anchor => {
    const wanted = value.trim();
    if (wanted === 'newest' || wanted === 'oldest' || wanted === 'first_unread') return wanted;
    if (/^[+-]?\d{1,100}$/.test(wanted)) return Number(wanted);
    context.addIssue({ code: 'custom', message: 'is not a message ID or a known word' });
    return z.NEVER;
  }),
  z.union([z.int(), z.enum(['newest', 'oldest', 'first_unread'])]),
);

const operand = z.union([z.string(), z.int(), z.array(z.union([z.int(), z.string()]))]);
const term = z.union([
  z.tuple([z.string(), z.string()]),
  z.object({ operator: z.string(), operand, negated: z.boolean().default(false) }),
]);

/** The terms of a narrow. `parseNarrow` reads them, and says what is wrong with them. */
export const terms = z.array(term);

export const narrow = meaning(json(z.unknown()), terms, true).optional();
