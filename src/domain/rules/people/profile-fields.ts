import { z } from 'zod';
import {
  PROFILE_LONG_TEXT_LENGTH_MAX,
  PROFILE_OPTION_LENGTH_MAX,
  PROFILE_OPTIONS_MAX,
  PROFILE_SHORT_TEXT_LENGTH_MAX,
  PROFILE_URL_LENGTH_MAX,
  PROFILE_USERS_MAX,
} from '../../limits/accounts.ts';
import { unprintableIn } from '../messages/topic.ts';

/** The types of custom profile fields (reference/events-and-register.md 4.4). */
export const FieldType = {
  shortText: 1,
  longText: 2,
  options: 3,
  date: 4,
  link: 5,
  users: 6,
  externalAccount: 7,
  pronouns: 8,
} as const;

export const FIELD_TYPES: readonly number[] = Object.values(FieldType);

/** Tests whether values of this type may hold Markdown. */
export const isRendered = (type: number): boolean =>
  type === FieldType.shortText || type === FieldType.longText;

/** Tests whether values of this type are short enough for clients to show them beside a name. */
export const isShortEnough = (type: number): boolean =>
  type !== FieldType.longText && type !== FieldType.users;

/** Services whose account URLs are known. */
export const EXTERNAL_ACCOUNTS = {
  github: {
    name: 'GitHub username',
    text: 'GitHub',
    hint: '',
    url_pattern: 'https://github.com/%(username)s',
  },
  twitter: {
    name: 'Twitter username',
    text: 'Twitter',
    hint: '',
    url_pattern: 'https://twitter.com/%(username)s',
  },
} as const;

type AccountName = keyof typeof EXTERNAL_ACCOUNTS;
// The table has no keys but its own: `Object.keys` only does not say so in its type.
const ACCOUNT_NAMES = Object.keys(EXTERNAL_ACCOUNTS) as AccountName[];

const optionText = z
  .string('field_data has an option without a text')
  .trim()
  .min(1, 'field_data has an option without a text')
  .max(PROFILE_OPTION_LENGTH_MAX, 'field_data has an option that is too long')
  .refine((text) => !unprintableIn(text), 'field_data has an option with an invalid character');

const options = z
  .record(
    z
      .string()
      .min(1)
      .max(PROFILE_OPTION_LENGTH_MAX)
      .refine((key) => !unprintableIn(key)),
    z.object(
      {
        text: optionText,
        order: z
          .string('field_data has an option without an order')
          .regex(/^\d{1,9}$/, 'field_data has an option whose order is no number'),
      },
      'field_data has an option that is not a dict',
    ),
    'field_data has an option whose key is none',
  )
  .refine((all) => Object.keys(all).length > 0, 'Field must have at least one choice.')
  .refine(
    (all) => Object.keys(all).length <= PROFILE_OPTIONS_MAX,
    'field_data has too many options',
  )
  .refine((all) => {
    const texts = Object.values(all).map(({ text }) => text);
    return new Set(texts).size === texts.length;
  }, 'Field must not have duplicate choices.');

const externalAccount = z.union([
  z.object({ subtype: z.enum(ACCOUNT_NAMES) }),
  z.object({
    subtype: z.literal('custom'),
    url_pattern: z
      .string()
      .max(PROFILE_URL_LENGTH_MAX)
      .refine((url) => url.split('%(username)s').length === 2 && isLink(url)),
  }),
]);

/** Returns a field's data as the JSON that is stored, or a fault if it does not fit the type. */
export function acceptableData(
  type: number,
  data: unknown,
): { readonly text: string } | { readonly fault: string } {
  const schema =
    type === FieldType.options
      ? options
      : type === FieldType.externalAccount
        ? externalAccount
        : undefined;
  if (schema === undefined) return { text: '' };
  const result = schema.safeParse(data);
  if (result.success) return { text: JSON.stringify(result.data) };
  if (type === FieldType.externalAccount) return { fault: faultOfAccount(data) };
  return { fault: result.error.issues[0]?.message ?? 'Invalid field_data' };
}

function faultOfAccount(data: unknown): string {
  const given = z.record(z.string(), z.unknown()).safeParse(data).data;
  const subtype = given?.['subtype'];
  const pattern = given?.['url_pattern'];
  if (subtype !== 'custom') return 'Invalid external account type';
  if (pattern === undefined) return 'Custom external account must define URL pattern';
  const hasName = typeof pattern === 'string' && pattern.includes('%(username)s');
  return hasName
    ? 'field_data["url_pattern"] is not a URL'
    : "URL pattern must contain '%(username)s'.";
}

/** Returns the external service of such a field, if it is a known one. */
export function knownAccount(fieldData: string) {
  const data = externalAccount.safeParse(fieldData === '' ? undefined : JSON.parse(fieldData));
  if (!data.success || data.data.subtype === 'custom') return undefined;
  return EXTERNAL_ACCOUNTS[data.data.subtype];
}

/** The form of a value of each type; whether named users exist is checked elsewhere. */
const VALUES: Readonly<Record<number, z.ZodType<string | readonly number[]>>> = {
  [FieldType.shortText]: textUpTo(PROFILE_SHORT_TEXT_LENGTH_MAX),
  [FieldType.longText]: textUpTo(PROFILE_LONG_TEXT_LENGTH_MAX),
  [FieldType.options]: z.string('is not a string'),
  [FieldType.date]: z.string('is not a string').refine(isDate, 'is not a date'),
  [FieldType.link]: textUpTo(PROFILE_URL_LENGTH_MAX).refine(isLink, 'is not a URL'),
  [FieldType.users]: z
    .array(z.int('is not a list of user IDs'), 'is not a list of user IDs')
    .max(PROFILE_USERS_MAX, 'has too many users'),
  [FieldType.externalAccount]: textUpTo(PROFILE_SHORT_TEXT_LENGTH_MAX),
  [FieldType.pronouns]: textUpTo(PROFILE_SHORT_TEXT_LENGTH_MAX),
};

interface Field {
  readonly name: string;
  readonly type: number;
  readonly fieldData: string;
}

/** Returns the value for a field, or what is wrong with it. */
export function acceptableValue(
  { name, type, fieldData }: Field,
  given: unknown,
): { readonly value: string | readonly number[] } | { readonly fault: string } {
  const result = VALUES[type]?.safeParse(given);
  if (!result?.success) {
    return { fault: `${name} ${result?.error.issues[0]?.message ?? 'is invalid'}` };
  }
  if (type === FieldType.options && !Object.hasOwn(JSON.parse(fieldData), String(result.data))) {
    return { fault: `'${String(result.data)}' is not a valid choice for '${name}'.` };
  }
  return { value: result.data };
}

function textUpTo(lengthMax: number) {
  return z
    .string('is not a string')
    .trim()
    .refine(
      (value) => value.length <= 2 * lengthMax && [...value].length <= lengthMax,
      `is too long (limit: ${lengthMax} characters)`,
    )
    .refine((value) => !value.includes('\0'), 'has an invalid character');
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isLink(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text) && URL.canParse(text);
}
