import { unaliased } from '../../domain/rules/texts/aliases.ts';
import * as errors from '../../domain/wire/errors.ts';
import * as objects from '../../domain/wire/objects.ts';
import type { Site } from '../../operations/access/caller.ts';
import { word } from '../params.ts';

/** `typeOf` checks it, since existing clients have a name of their own for one of the types. */
export const reactionType = word
  .optional()
  .describe('`unicode_emoji`, `realm_emoji` or `service_extra_emoji`; by default as the name says');

interface ReactionRequest {
  readonly site: Site;
  readonly params: { readonly reaction_type: string | undefined };
}

export function typeOf({ site, params }: ReactionRequest): objects.ReactionType | undefined {
  if (params.reaction_type === undefined) return undefined;
  const type = objects.reactionType.safeParse(
    unaliased(params.reaction_type, site.settings.aliasPrefix),
  );
  if (!type.success) throw errors.badRequest('Invalid emoji type.');
  return type.data;
}
