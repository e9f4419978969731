/**
 * Names that existing clients spell with a configured prefix where this interface says `service`
 * (design, section 7).
 */
export const ALIASED_KEYS = [
  'service_version',
  'service_feature_level',
  'service_merge_base',
  'service_plan_is_not_limited',
  'realm_service_update_announcements_stream_id',
] as const;

const EXTRA_EMOJI = 'service_extra_emoji';

/** The same body with each of these keys under its other name as well; unchanged without a prefix. */
export function withAliases<Body extends Readonly<Record<string, unknown>>>(
  body: Body,
  prefix: string,
): Body {
  const both: Record<string, unknown> = { ...body };
  if (prefix === '') return body;
  for (const key of ALIASED_KEYS) {
    if (key in body) both[key.replace('service', prefix)] = body[key];
  }
  // Whatever it had, it still has.
  return both as Body;
}

/** The name used inside for a value that a client may spell either way. */
export const unaliased = (name: string, prefix: string): string =>
  prefix !== '' && name === EXTRA_EMOJI.replace('service', prefix) ? EXTRA_EMOJI : name;
