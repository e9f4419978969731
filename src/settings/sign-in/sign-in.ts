import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { ConfigError, type Environment, orNull, variable } from '../reading.ts';
import { withEnvironment } from './entry.ts';
import { jwt } from './jwt.ts';
import { ldap } from './ldap.ts';
import { openid } from './openid.ts';

const FILE_BYTES_MAX = 1_048_576;
const ENTRIES_MAX = 100;

/** Each kind of sign-in has a file beside this one; a new kind is added here. */
const entry = z.discriminatedUnion('type', [openid, jwt, ldap]);
const file = z.strictObject({ entries: z.array(entry).max(ENTRIES_MAX) });

export type SignInEntry = z.output<typeof entry>;

/** An entry that vouches for people who may have no account yet. */
export type PeopleEntry = Exclude<SignInEntry, { type: 'jwt' }>;

/** Returns the entries of the file that `CONFAB_SIGN_IN` names; none without it. */
export function signInSettings() {
  const readPath = variable('CONFAB_SIGN_IN', orNull(z.string().min(1)));
  return (env: Environment): readonly SignInEntry[] => {
    const path = readPath(env);
    return Object.freeze(path === null ? [] : entriesIn(path, env));
  };
}

function entriesIn(path: string, env: Environment): SignInEntry[] {
  const given = parsed(path);
  const read = withEnvironment(env, () => file.safeParse(given));
  if (!read.success) throw fault(read.error, given);
  const names = read.data.entries.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) refuse(`has two entries called ${twice}`);
  return read.data.entries;
}

function parsed(path: string): unknown {
  try {
    if (statSync(path).size > FILE_BYTES_MAX) refuse('names a file of more than 1 MiB');
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    // The message of JSON.parse quotes the text, which may be a secret.
    const why = error instanceof SyntaxError ? 'is no JSON' : 'cannot be read';
    return refuse(`names a file that ${why}: ${path}`);
  }
}

/** Names the entry by its name, or else by its number, and the field; never its value. */
function fault({ issues }: z.ZodError, given: unknown): ConfigError {
  const [issue] = issues;
  const [list, index, ...fields] = issue?.path ?? [];
  const message = issue?.code === 'custom' ? issue.message : described(issue);
  if (list !== 'entries' || typeof index !== 'number') {
    return new ConfigError(`CONFAB_SIGN_IN: the file ${message}; it has the form {"entries": […]}`);
  }
  const { entries } = given as { entries: readonly unknown[] };
  const name = (entries[index] as { name?: unknown } | null)?.name;
  const called = typeof name === 'string' ? `entry ${name.slice(0, 60)}` : `entry ${index + 1}`;
  const field = fields.length === 0 ? '' : `${fields.join('.')} `;
  return new ConfigError(`CONFAB_SIGN_IN: ${called}: ${field}${message}`);
}

function described(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return 'is wrong';
  if (issue.code === 'unrecognized_keys') return `has an unknown field: ${issue.keys.join(', ')}`;
  if (issue.code === 'invalid_union') return `has no known type or form`;
  return /^(is|has|names|does) /.test(issue.message) ? issue.message : `is wrong: ${issue.message}`;
}

function refuse(what: string): never {
  throw new ConfigError(`CONFAB_SIGN_IN ${what}`);
}
