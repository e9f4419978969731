import { z } from 'zod';
import { REQUESTS_PER_MINUTE_MAX } from '../domain/limits/turns.ts';
import { nearest } from '../domain/rules/texts/nearest.ts';

export class ConfigError extends Error {}

/** Reads a value from the environment, or refuses with a `ConfigError`. */
export type Read<Value> = (env: Environment) => Value;
export type Environment = Readonly<Record<string, string | undefined>>;

/** The names of all settings; each is added where it is declared. */
const NAMES = new Set<string>();

/** Variables of clients, as in docs/writing-a-client.md, which are no settings of the server. */
const OF_CLIENTS = ['CONFAB_URL', 'CONFAB_EMAIL', 'CONFAB_KEY'];

/** Refuses a mistyped name, which would otherwise leave the default in force. */
export function refuseUnknown(env: Environment) {
  const unknown = Object.keys(env).find(
    (name) =>
      /^CONFAB_/i.test(name) && env[name] !== '' && !NAMES.has(name) && !OF_CLIENTS.includes(name),
  );
  if (unknown === undefined) return;
  const bare = (name: string) => name.slice('CONFAB_'.length);
  const meant = nearest(bare(unknown), Array.from(NAMES, bare));
  const hint =
    meant === undefined ? 'docs/settings.md lists all of them' : `did you mean CONFAB_${meant}?`;
  throw new ConfigError(`${unknown} is not a setting; ${hint}`);
}

/** Reads several settings as one frozen object. */
export function together<Reads extends Readonly<Record<string, Read<unknown>>>>(
  reads: Reads,
): Read<{ readonly [Name in keyof Reads]: ReturnType<Reads[Name]> }> {
  return (env) =>
    Object.freeze(
      Object.fromEntries(Object.entries(reads).map(([name, read]) => [name, read(env)])),
    ) as { readonly [Name in keyof Reads]: ReturnType<Reads[Name]> }; // by the line above
}

/** Reads one variable. An empty one counts as absent. */
export function variable<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
): Read<z.output<Schema>> {
  NAMES.add(name);
  return (env) => {
    const { [name]: text = '' } = env;
    const parsed = schema.safeParse(text === '' ? undefined : text);
    if (parsed.success) return parsed.data;
    throw new ConfigError(`${name} ${parsed.error.issues[0]?.message}`);
  };
}

export function flag(name: string, usual: '0' | '1'): Read<boolean> {
  const either = z.enum(['0', '1'], { error: 'is neither 0 nor 1' }).default(usual);
  const read = variable(name, either);
  return (env) => read(env) === '1';
}

export function perMinute(name: string, usual: number): Read<number> {
  return variable(name, whole({ min: 0, max: REQUESTS_PER_MINUTE_MAX }).default(usual));
}

export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().transform((value) => value ?? null);
}

export function whole(
  { min, max }: { readonly min: number; readonly max: number },
  message = `is not a number from ${min} to ${max}`,
) {
  return z
    .string()
    .regex(/^\d+$/, message)
    .refine((text) => text.length <= String(max).length, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message);
}

export function list(
  cleaned: (text: string) => string,
  isValid: (text: string) => boolean,
  message: string,
) {
  return z
    .string()
    .transform((text) => text.split(',').map((part) => cleaned(part.trim())))
    .refine((parts) => parts.every(isValid), message)
    .optional()
    .transform((parts): readonly string[] => Object.freeze(parts ?? []));
}
