import { z } from 'zod';
import {
  PROFILE_FIELD_HINT_LENGTH_MAX,
  PROFILE_FIELD_NAME_LENGTH_MAX,
} from '../../domain/limits/accounts.ts';
import { unprintableIn } from '../../domain/rules/messages/topic.ts';
import { boolean, json, textUpTo } from '../params.ts';

/** The operation refuses a blank name: a field of a known account needs none. */
export const fieldName = textUpTo(PROFILE_FIELD_NAME_LENGTH_MAX).refine(
  (name) => !unprintableIn(name),
  'has an invalid character',
);

/** The properties of a field, for creating and changing one. */
export const fieldParams = {
  hint: textUpTo(PROFILE_FIELD_HINT_LENGTH_MAX)
    .refine((hint) => !unprintableIn(hint), 'has an invalid character')
    .optional(),
  field_data: json(z.record(z.string(), z.unknown(), { error: 'is not a dict' }))
    .optional()
    .describe(
      'Of options: `{"key": {"text", "order"}}`; of an external account: `{"subtype"}`, with `url_pattern` when it is `custom`',
    ),
  required: boolean.optional(),
  editable_by_user: boolean.optional().describe('True unless given; else for administrators alone'),
  display_in_profile_summary: boolean
    .optional()
    .describe('Of two fields at most, which are no long text and no users'),
};
