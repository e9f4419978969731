import { z } from 'zod';
import { LINKIFIER_TEMPLATE_LENGTH_MAX } from '../../domain/limits/markdown.ts';
import {
  PLAYGROUND_LANGUAGE_LENGTH_MAX,
  PLAYGROUND_NAME_LENGTH_MAX,
} from '../../domain/limits/organizations.ts';
import * as playgrounds from '../../operations/realm/playgrounds.ts';
import { endpoint } from '../endpoint.ts';
import { textUpTo } from '../params.ts';
import { administratorsOnly } from '../permissions.ts';

const named = (lengthMax: number) =>
  textUpTo(lengthMax).refine((value) => value !== '', 'cannot be blank');

export const addPlayground = endpoint({
  summary: 'Add a place where code of a language is tried out',
  method: 'POST',
  path: '/realm/playgrounds',
  allow: administratorsOnly,
  params: {
    name: named(PLAYGROUND_NAME_LENGTH_MAX),
    pygments_language: named(PLAYGROUND_LANGUAGE_LENGTH_MAX).describe(
      'As `data-code-language` of a block of code has it',
    ),
    url_template: named(LINKIFIER_TEMPLATE_LENGTH_MAX).describe(
      'A URL template (RFC 6570) with one variable: `code`',
    ),
  },
  reply: { id: z.int() },
  refuses: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL'],
  emits: ['realm_playgrounds'],
  change: (tx, { params }) => playgrounds.add(tx, params),
});
