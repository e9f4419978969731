import type { ServerSettings } from '../../config.ts';
import { unaliased } from '../../domain/rules/texts/aliases.ts';
import {
  codeOf,
  EXTRA_EMOJI,
  inside,
  isExtraEmoji,
  namesOf,
} from '../../domain/rules/texts/emoji.ts';
import * as errors from '../../domain/wire/errors.ts';
import { type Made, reactionType } from '../../domain/wire/objects.ts';
import type { Reads } from '../access/groups.ts';
import * as customEmoji from '../files/custom-emoji.ts';

export type ReactionType = Made<typeof reactionType>;

export interface Emoji {
  readonly name: string;
  readonly code: string;
  readonly type: ReactionType;
}

export interface NamedEmoji {
  readonly name: string;
  /** The code and the type follow from the name unless given. */
  readonly code?: string | undefined;
  readonly type?: ReactionType | undefined;
}

/**
 * Returns the emoji that a client names, in one of three namespaces (specification, "Reaction");
 * refuses a missing one, and a deactivated one of the organization.
 */
export function find(tx: Reads, named: NamedEmoji, settings: ServerSettings): Emoji {
  const { name, code } = named;
  const found = byName(tx, named, settings);
  if (code === undefined) {
    if (found === undefined) throw errors.badRequest(`Emoji '${name}' does not exist`);
    return found;
  }
  const given: Emoji = { name, code, type: named.type ?? found?.type ?? 'unicode_emoji' };
  const emoji = inside(given, settings.aliasPrefix);
  refuseMismatch(tx, emoji);
  return emoji;
}

/** Returns the namespace that a client names, in either spelling. */
export function typeNamed(name: string, { aliasPrefix }: ServerSettings): ReactionType {
  const type = reactionType.safeParse(unaliased(name, aliasPrefix));
  if (type.success) return type.data;
  throw errors.badRequest('Invalid emoji type.');
}

/** Finds an emoji by name, the organization's first: they may have the name of a built-in one. */
export function byName(
  tx: Reads,
  { name, type }: Pick<NamedEmoji, 'name' | 'type'>,
  { aliasPrefix }: ServerSettings,
): Emoji | undefined {
  const isRequested = (one: ReactionType) => type === undefined || type === one;
  const custom = isRequested('realm_emoji') ? customEmoji.named(tx, name) : undefined;
  if (custom !== undefined) return { name, code: String(custom.id), type: 'realm_emoji' };
  if (isRequested('service_extra_emoji') && isExtraEmoji(name, aliasPrefix)) {
    return { name: EXTRA_EMOJI, code: EXTRA_EMOJI, type: 'service_extra_emoji' };
  }
  const code = isRequested('unicode_emoji') ? codeOf(name) : undefined;
  return code === undefined ? undefined : { name, code, type: 'unicode_emoji' };
}

/**
 * "Name, code and type must agree (each mismatch BR; deactivated custom emoji BR)" (reference,
 * 1.14).
 */
export function refuseMismatch(tx: Reads, { name, code, type }: Emoji) {
  if (type === 'realm_emoji') {
    const emoji = /^\d{1,15}$/.test(code) ? tx.realmEmoji.get([Number(code)]) : undefined;
    if (emoji === undefined) throw errors.badRequest('Invalid custom emoji.');
    if (emoji.name !== name) throw errors.badRequest('Invalid custom emoji name.');
    if (emoji.isDeactivated) throw errors.badRequest('This custom emoji has been deactivated.');
  } else if (type === 'service_extra_emoji') {
    if (code !== EXTRA_EMOJI) throw errors.badRequest('Invalid emoji code.');
    if (name !== EXTRA_EMOJI) throw errors.badRequest('Invalid emoji name.');
  } else {
    const names = namesOf(code);
    if (names.length === 0) throw errors.badRequest('Invalid emoji code.');
    if (!names.includes(name)) throw errors.badRequest('Invalid emoji name.');
  }
}
