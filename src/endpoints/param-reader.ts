import { z } from 'zod';
import * as errors from '../domain/wire/errors.ts';
import type { Param, Params } from './endpoint.ts';
import { aliasesOf, INVALID, QUICK_READS, word, wordsOf } from './params.ts';

interface ReadParam {
  readonly name: string;
  readonly names: readonly string[];
  readonly schema: Param;
  readonly isRequired: boolean;
  readonly absent: unknown;
  /** Reads the commonest forms; undefined leaves it to the schema, which also describes faults. */
  readonly quick: ((text: string) => unknown) | undefined;
}

export interface ParamReader {
  /** Returns the values by name. Refuses with the first problem, which names its parameter. */
  read(
    raw: Readonly<Record<string, string>>,
    path: Readonly<Record<string, string>>,
  ): Record<string, unknown>;
  /** Returns the names in the request that have no meaning here, sorted. */
  ignored(raw: Readonly<Record<string, string>>): readonly string[];
}

const NO_NAMES: readonly string[] = [];

/**
 * Prepares the parameters of an endpoint, in declared order; those in its path are read only from
 * there.
 */
export function paramReader(params: Params, inPath: readonly string[] = []): ParamReader {
  const all = Object.entries(params).map(([name, schema]) => prepared(name, schema));
  const known = new Set(all.flatMap(({ names }) => names));
  // "A path parameter repeated in the body is listed" (reference/endpoints.md section 0).
  for (const name of inPath) known.delete(name);
  // A copy has its fields already, which is quicker than to add them one by one.
  const absent = Object.fromEntries(all.map((param) => [param.name, param.absent]));
  return {
    read(raw, path) {
      const values = { ...absent };
      for (const param of all) {
        const text = path[param.name] ?? textOf(param, raw);
        if (text !== undefined) values[param.name] = parsed(param, text);
        else if (param.isRequired) throw errors.missingParameter(param.name);
      }
      return values;
    },
    ignored(raw) {
      // Most requests have none, which takes no list.
      let names: string[] | undefined;
      for (const name in raw) {
        // A client name is for the log, not for the endpoint.
        if (known.has(name) || name === 'client') continue;
        names ??= [];
        names.push(name);
      }
      return names?.sort() ?? NO_NAMES;
    },
  };
}

function prepared(name: string, schema: Param): ReadParam {
  const whenAbsent = schema.safeParse(undefined);
  return {
    name,
    names: [name, ...aliasesOf(schema)],
    schema,
    isRequired: !whenAbsent.success,
    absent: whenAbsent.success ? whenAbsent.data : undefined,
    quick: quickOf(unwrapped(schema)),
  };
}

function quickOf(schema: Param): ReadParam['quick'] {
  const known = QUICK_READS.get(schema);
  if (known !== undefined || (schema.def.checks ?? []).length > 0) return known;
  if (schema instanceof z.ZodString && schema.format === null) return (value) => value;
  const fixed = schema instanceof z.ZodPipe && schema.in === word ? schema.out : schema;
  if (!(fixed instanceof z.ZodEnum)) return undefined;
  const words = new Set<unknown>(fixed.options);
  return (value) => (words.has(value) ? value : undefined);
}

const unwrapped = (schema: Param): Param =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? (schema.unwrap() as Param) // the schema was made here, so it is one of ours
    : schema;

function textOf({ name, names }: ReadParam, raw: Readonly<Record<string, string>>) {
  if (names.length === 1) return raw[name];
  let found: string | undefined;
  let foundName = '';
  for (const name of names) {
    const text = raw[name];
    if (text === undefined) continue;
    if (found !== undefined) throw errors.confusingParameters(foundName, name);
    found = text;
    foundName = name;
  }
  return found;
}

function parsed({ name, schema, quick }: ReadParam, text: string): unknown {
  const value = quick?.(text);
  if (value !== undefined) return value;
  const result = schema.safeParse(text, { error: wordsOf });
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const place = `${name}${pathText(issue?.path ?? [])}`;
  const words = issue?.message ?? INVALID;
  throw errors.badRequest(words === INVALID ? `Invalid ${place}` : `${place} ${words}`);
}

const pathText = (path: readonly PropertyKey[]) =>
  path.map((part) => (typeof part === 'number' ? `[${part}]` : `["${String(part)}"]`)).join('');
