import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** Longer files are no secrets. */
const SECRET_BYTES_MAX = 65_536;
const GRANTS_MAX = 1_000;
const REALMS_MAX = 1_000;

/** The reading of an entry happens at the start, so it may read files and the environment. */
let environment: Readonly<Record<string, string | undefined>> = {};

/** Runs the reading with the environment that entries may name variables of. */
export function withEnvironment<Value>(env: typeof environment, read: () => Value): Value {
  environment = env;
  try {
    return read();
  } finally {
    environment = {};
  }
}

/**
 * A secret: its text, `{ "file": "/path" }` or `{ "env": "NAME" }`. White space around the text of
 * a file does not count. No message repeats a secret.
 */
export const secret = z
  .union(
    [
      z.string().min(1),
      z.strictObject({ file: z.string().min(1) }),
      z.strictObject({ env: z.string().min(1) }),
    ],
    { error: 'is neither a text nor {"file": …} nor {"env": …}' },
  )
  .transform((given, context): string => {
    if (typeof given === 'string') return given;
    const found = 'file' in given ? textOf(given.file) : environment[given.env];
    if (found !== undefined && found !== '') return found;
    const place = 'file' in given ? `the file ${given.file}` : `the variable ${given.env}`;
    context.addIssue({ code: 'custom', message: `cannot be read: ${place} is missing or empty` });
    return z.NEVER;
  });

function textOf(path: string): string | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    return text.length > SECRET_BYTES_MAX ? undefined : text.trim();
  } catch {
    return undefined;
  }
}

/** The roles that groups of a directory or a provider can grant. */
const role = z.enum(['owner', 'administrator', 'moderator', 'member', 'guest']);

/**
 * One line of the map from groups of the provider or the directory to rights here: members of
 * `group` have at least `role`, and are in the user groups of these names.
 */
const grant = z.strictObject({
  group: z.string().min(1),
  role: role.optional(),
  user_groups: z.array(z.string().min(1)).max(GRANTS_MAX).default([]),
});
export type Grant = z.output<typeof grant>;

/** The fields that every kind of entry has. */
export const common = {
  /** The name in URLs, in the table of identities and in logs; it must stay the same. */
  name: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/, 'is no name of lower-case letters and digits'),
  /** The `string_id`s of the realms that it is for; absent: all realms. */
  realms: z.array(z.string()).min(1).max(REALMS_MAX).optional(),
} as const;

/** The fields of an entry that vouches for people who may have no account yet. */
export const ofPeople = {
  ...common,
  /** The name that people read. */
  display_name: z.string().min(1).max(60).optional(),
  /** Applied at each log-in; roles and user groups that no line names are left alone. */
  grants: z.array(grant).max(GRANTS_MAX).default([]),
  /** True if it makes accounts for people who have none, by the realm's rules of joining. */
  makes_accounts: z.boolean().default(true),
} as const;

/** An address of a provider: HTTPS, or HTTP on this machine. */
export const providerUrl = z.string().refine((text) => {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (`${username}${password}` !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}, 'is not a URL of https');

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
