/**
 * Names that existing clients spell with a configured prefix where this interface says `service`
 * (decisions 0091 and 0101).
 */
export const ALIASED_KEYS = [
  'service_version',
  'service_feature_level',
  'service_merge_base',
  'service_plan_is_not_limited',
  'realm_service_update_announcements_stream_id',
  'service_update_announcements_stream_id',
] as const;

const EXTRA_TYPE = 'service_extra_emoji';

/**
 * Returns the body with each of these keys under its other name as well; unchanged without a
 * prefix.
 */
export function withAliases<Body extends Readonly<Record<string, unknown>>>(
  body: Body,
  prefix: string,
): Body {
  const both: Record<string, unknown> = { ...body };
  if (prefix === '') return body;
  for (const key of ALIASED_KEYS) {
    if (key in body) both[key.replace('service', prefix)] = body[key];
  }
  // It still has all of its own keys.
  return both as Body;
}

/**
 * The name of a setting of the organization, of its parameter, of a field of its answer and of a
 * property of its event.
 */
const UPDATES_CHANNEL = 'service_update_announcements_stream_id';

/** Returns the other name of a setting of the organization; undefined if it has none. */
export const aliasOfSetting = (name: string, prefix: string): string | undefined =>
  prefix !== '' && name === UPDATES_CHANNEL ? name.replace('service', prefix) : undefined;

/**
 * Returns the parameters by the names used inside. If both names are given, the inner one counts.
 */
export function withoutAliases(
  raw: Readonly<Record<string, string>>,
  prefix: string,
): Readonly<Record<string, string>> {
  const alias = aliasOfSetting(UPDATES_CHANNEL, prefix);
  if (alias === undefined || UPDATES_CHANNEL in raw) return raw;
  const { [alias]: value, ...others } = raw;
  return value === undefined ? raw : { ...others, [UPDATES_CHANNEL]: value };
}

/** Returns the name used inside for a value that a client may spell either way. */
export const unaliased = (name: string, prefix: string): string =>
  prefix !== '' && name === EXTRA_TYPE.replace('service', prefix) ? EXTRA_TYPE : name;

/**
 * Returns a deprecated field of subscriptions, without which an existing client crashes. The server
 * takes no mail, so the address is empty (docs/decisions/0101).
 */
export const formerOfSubscription = (prefix: string) =>
  prefix === '' ? {} : { email_address: '' as const };

/** Returns a deprecated field of reactions: the user who reacted, as in the event. */
export const formerOfReaction = <User>(user: () => User, prefix: string) =>
  prefix === '' ? {} : { user: user() };

interface NamedEmoji {
  readonly emoji_name: string;
  readonly emoji_code: string;
  readonly reaction_type: string;
}

/**
 * Returns an emoji as clients see it. A value cannot be given twice as a key can, and existing
 * clients crash on an unknown type of reaction; so with a prefix the extra emoji has only the
 * prefixed words.
 */
export function emojiForClients<Emoji extends NamedEmoji>(emoji: Emoji, prefix: string): Emoji {
  if (prefix === '' || emoji.reaction_type !== EXTRA_TYPE) return emoji;
  const reaction_type = EXTRA_TYPE.replace('service', prefix);
  // The result has the same fields as the emoji, each a text as before.
  return { ...emoji, emoji_name: prefix, emoji_code: prefix, reaction_type } as Emoji;
}
