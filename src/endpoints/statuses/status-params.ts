import { STATUS_TEXT_LENGTH_MAX } from '../../domain/limits/accounts.ts';
import { text, textUpTo, word } from '../params.ts';

/** The fields of a status that can be set; fields that are left out stay. */
export const statusParams = {
  status_text: textUpTo(STATUS_TEXT_LENGTH_MAX)
    .refine((status) => !status.includes('\0'), 'must not contain null bytes')
    .optional()
    .describe('Empty clears it'),
  emoji_name: text.optional().describe('Empty clears the emoji'),
  emoji_code: text.optional().describe('From the name unless given'),
  reaction_type: word
    .optional()
    .describe(
      '`unicode_emoji`, `realm_emoji` or `service_extra_emoji`; from the name unless given',
    ),
};
