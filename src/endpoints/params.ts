import { z } from 'zod';
import { GROUP_SETTING_PARTS_MAX } from '../domain/limits/groups.ts';
import { JSON_KEYS_MAX, JSON_VALUES_MAX } from '../domain/limits/requests.ts';
import { faultWords } from '../domain/rules/texts/fault-words.ts';
import { Role } from '../domain/wire/roles.ts';
import type { Param } from './endpoint.ts';

/** The values of a parameter's text, for schemas whose code documents cannot show. */
interface Meaning {
  readonly value: z.ZodType;
  /** True if the text is JSON. */
  readonly isJson: boolean;
}

/** Declares which values the text of a parameter encodes. */
export const meaning = <T extends z.ZodType>(schema: T, value: z.ZodType, isJson = false): T =>
  schema.meta({ meaning: { value, isJson } satisfies Meaning });

export const meaningOf = (schema: z.ZodType): Meaning | undefined =>
  // `meaning` has put it there.
  schema.meta()?.['meaning'] as Meaning | undefined;

/** Raw text; names and fixed words are not JSON (reference/endpoints.md section 0). */
export const text = z.string();

/** Accepts text of at most so many code points, without the spaces around it. */
export const textUpTo = (lengthMax: number) =>
  meaning(
    z
      .string()
      .trim()
      // A text of so many code points has at most twice as many units, so a longer one is not even
      // split.
      .refine(
        (value) => value.length <= 2 * lengthMax && [...value].length <= lengthMax,
        `is too long (limit: ${lengthMax} characters)`,
      ),
    z.string().max(lengthMax),
  );

export const nonBlank = z.string().trim().min(1, 'cannot be blank');

const jsonError = { error: 'is not valid JSON' };

/** Accepts JSON text of a value of this shape. */
export const json = <T extends z.ZodType>(schema: T) =>
  meaning(
    z
      .string()
      .transform((value, context) => {
        try {
          const parsed = JSON.parse(value) as unknown;
          const fault = faultOfJson(value, parsed) ?? faultInLongList(schema, parsed);
          if (fault === undefined) return parsed;
          context.addIssue({ code: 'custom', ...fault });
        } catch {
          context.addIssue({ code: 'custom', message: jsonError.error });
        }
        return z.NEVER;
      })
      .pipe(schema),
    schema,
    true,
  );

interface JsonFault {
  readonly message: string;
  readonly path?: PropertyKey[];
}

function faultOfJson(json: string, parsed: unknown): JsonFault | undefined {
  if (hasHalfCharacter(json)) return { message: 'is not valid Unicode' };
  return hasMoreValues(parsed, JSON_VALUES_MAX) ? { message: 'has too many values' } : undefined;
}

/**
 * Returns what is wrong with an entry of a long list. A schema describes each wrong entry, although
 * only the first is reported: for a hundred thousand that takes a tenth of a second, so they are
 * checked a few at a time, until one is wrong.
 */
function faultInLongList(schema: z.ZodType, parsed: unknown): JsonFault | undefined {
  if (!Array.isArray(parsed) || parsed.length <= ENTRIES_A_LOOK) return undefined;
  for (let start = 0; start < parsed.length; start += ENTRIES_A_LOOK) {
    const some: unknown[] = parsed.slice(start, start + ENTRIES_A_LOOK);
    const { error } = schema.safeParse(some, { error: wordsOf });
    const issue = error?.issues.find(({ path }) => typeof path[0] === 'number');
    if (issue === undefined) continue;
    const [index, ...rest] = issue.path;
    return { message: issue.message, path: [start + Number(index), ...rest] };
  }
  return undefined;
}

const ENTRIES_A_LOOK = 500;

/**
 * Counts values up to the bound, with a list instead of recursion: the author decides how deep JSON
 * is.
 */
function hasMoreValues(parsed: unknown, max: number): boolean {
  const waiting: unknown[] = [];
  let count = 1;
  for (let value = parsed; value !== undefined; value = waiting.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const within: unknown[] = Array.isArray(value) ? value : Object.values(value);
    count += within.length;
    if (count > max || (within !== value && within.length > JSON_KEYS_MAX)) return true;
    for (const one of within) waiting.push(one);
  }
  return false;
}

/**
 * Reads a value quoted as JSON, or bare as it reads: there are clients of both kinds. The caller
 * checks it.
 */
export const jsonOrBare = z.string().transform((value): unknown => {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
});

/**
 * Reads a text as it is, or quoted as JSON (reference/endpoints.md section 0, "JSON-encoded
 * although they may be strings").
 */
export const textOrJson = z.string().transform(unquoted);

/**
 * Reads one of a set of words that is checked later. Some clients send words bare and others quote
 * them as JSON; no word begins with a quotation mark, so both are accepted (decision 0139).
 */
export const word = textOrJson;

function unquoted(value: string): string {
  if (!value.startsWith('"')) return value;
  try {
    const quoted: unknown = JSON.parse(value);
    return typeof quoted === 'string' && !hasHalfCharacter(value) ? quoted : value;
  } catch {
    return value;
  }
}

/**
 * Tests for half a surrogate pair, which JSON can escape but UTF-8 cannot encode: the stored text
 * would differ from the announced one. Other parts of a request cannot contain one.
 */
const hasHalfCharacter = (json: string) =>
  SURROGATE_ESCAPE.test(json) && SURROGATE_ESCAPE.test(json.replace(WHOLE_ESCAPES, ' '));

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
/** Matches an escaped backslash, whatever follows it, or the two halves of one character. */
const WHOLE_ESCAPES = /\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/g;

export const integer = meaning(
  z.string().transform((value, context) => {
    const number = integerOf(value);
    if (number !== undefined) return number;
    context.addIssue({ code: 'custom', message: 'is not an integer' });
    return z.NEVER;
  }),
  z.int(),
);

const INTEGER = /^\s*-?\d{1,16}\s*$/;

function integerOf(value: string): number | undefined {
  const number = INTEGER.test(value) ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

export const naturalNumber = meaning(
  integer.refine((value) => value >= 0, 'is too small'),
  z.int().min(0),
);

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * The numbers are 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest
 * (specification, "User").
 */
export const role = meaning(
  integer
    .refine((value) => ROLES.has(value), 'is invalid')
    // The refinement leaves only these numbers.
    .transform((value) => value as Role),
  z.literal(Object.values(Role)),
);

const ROLES: ReadonlySet<number> = new Set(Object.values(Role));

export const boolean = meaning(
  z.enum(['true', 'false'], { error: 'is not a boolean' }).transform((value) => value === 'true'),
  z.boolean(),
);

export const idList = json(
  z.array(z.number({ error: 'is not an integer' }).int('is not an integer'), {
    error: 'is not a list',
  }),
);

export const stringList = json(
  z.array(z.string({ error: 'is not a string' }), { error: 'is not a list' }),
);

const groupParts = z
  .array(z.int({ error: 'is not an integer' }), { error: 'is not a list' })
  .max(GROUP_SETTING_PARTS_MAX, `has more than ${GROUP_SETTING_PARTS_MAX} items`);
const groupSettingValue = z.union(
  [z.int(), z.object({ direct_members: groupParts, direct_subgroups: groupParts })],
  { error: 'is not a user group' },
);

/**
 * Accepts a user group, or the people and groups of an unnamed one (specification, "Group-setting
 * value").
 */
export const groupSetting = json(groupSettingValue).optional();

/**
 * "Updates always use `{new, old?}`" (reference/endpoints.md 1.11): `old` is the value that the
 * client expects to be stored.
 */
export const groupSettingChange = json(
  z.object(
    { new: groupSettingValue, old: groupSettingValue.optional() },
    { error: 'is not a dict' },
  ),
).optional();

/** Declares one parameter of the same shape for each permission setting of a kind. */
export const perPermission = <Name extends string, T extends z.ZodType>(
  settings: Readonly<Record<Name, unknown>>,
  schema: T,
) =>
  // There is one entry for each name, by construction.
  Object.fromEntries(Object.keys(settings).map((name) => [name, schema])) as Record<Name, T>;

/** Returns the named values that were given. */
export function given<Name extends string, Given extends Readonly<Record<Name, unknown>>>(
  names: readonly Name[],
  values: Given,
): { readonly [Key in Name]?: Exclude<Given[Key], undefined> } {
  const present = names.filter((name) => values[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, values[name]])) as {
    readonly [Key in Name]?: Exclude<Given[Key], undefined>;
  }; // only those that are not undefined
}

/** Accepts an older name as well; refuses both together. */
export const alsoNamed = <T extends z.ZodType>(schema: T, ...aliases: readonly string[]): T =>
  schema.meta({ aliases });

/** Returns the other names of a parameter. */
export const aliasesOf = (schema: Param): readonly string[] =>
  // `alsoNamed` has put it there.
  (schema.meta()?.['aliases'] ?? []) as readonly string[];

/** Accepts one word of a fixed set, bare or quoted as JSON. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  word.pipe(z.enum(words, { error: 'is invalid' }));

/**
 * Functions that read without zod what these schemas accept most often: a poll has two of them and
 * is answered in 10 µs, a send has four.
 */
export const QUICK_READS: ReadonlyMap<Param, (text: string) => unknown> = new Map<
  Param,
  (text: string) => unknown
>([
  [integer, integerOf],
  [boolean, (value) => BOOLEANS.get(value)],
]);

/**
 * Shortens `faultWords` to what clients of the API know, since the documents list what is allowed.
 */
export function wordsOf(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'invalid_value') return INVALID;
  if (issue.code === 'too_small' && issue.origin !== 'array') {
    return issue.origin === 'string' ? 'is too short.' : 'is too small';
  }
  if (issue.code === 'too_big' && issue.origin !== 'array') {
    return issue.origin === 'string'
      ? `is too long (limit: ${issue.maximum} characters)`
      : 'is too large';
  }
  return faultWords(issue);
}

/** The message of a schema for a value that is not in its list. */
export const INVALID = 'is invalid';
