import type { JsonSchema } from '../../../src/endpoints/documents/json-schemas.ts';
import type {
  OpenApiDocument,
  Operation,
} from '../../../src/endpoints/documents/openapi-shapes.ts';
import type { Random } from '../random.ts';

/** A request as it goes over the wire. */
export interface GeneratedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/** Words and ids that mean something where the requests go, by which some of them are valid. */
export interface Vocabulary {
  readonly words: readonly [string, ...string[]];
  /**
   * Values for parameters and fields by name, or by endpoint and name: `POST /messages/flags op`.
   */
  readonly named: Readonly<Record<string, readonly unknown[]>>;
  /** Ids are from 1 to this, and a few beyond. */
  readonly idsMax: number;
}

interface Making {
  readonly random: Random;
  readonly document: OpenApiDocument;
  readonly vocabulary: Vocabulary;
}

interface Wild extends Making {
  /** `POST /messages/flags`. */
  readonly endpoint: string;
  /** How often a value is not one as documented. */
  readonly wildness: number;
}

/**
 * A request to an endpoint: as documented, or with here and there a parameter that is not, or none.
 */
export function generatedRequest(
  given: Making,
  { path, method, operation }: { path: string; method: string; operation: Operation },
): GeneratedRequest {
  const { random } = given;
  const endpoint = `${method.toUpperCase()} ${path}`;
  const making: Wild = { ...given, endpoint, wildness: random.pick([0, 0, 0, 0.15, 0.4]) };
  const absence = making.wildness / 4;
  const params: [string, string][] = [];
  let filled = path;
  for (const { name, in: place, required, schema, content } of operation.parameters ?? []) {
    if (place === 'header') continue;
    const isJson = content !== undefined;
    const value = schema ?? content?.['application/json'].schema ?? {};
    const text = textOf(making, { name, schema: value, isJson });
    if (place === 'path') {
      filled = filled.replace(`{${name}}`, encodeURIComponent(Buffer.from(text).toString()));
    } else if (random.chance(required ? 1 - absence : likelihood(making, name)))
      params.push([name, text]);
  }
  const form = operation.requestBody?.content['application/x-www-form-urlencoded'];
  for (const [name, schema] of Object.entries(form?.schema.properties ?? {})) {
    const isRequired = form?.schema.required?.includes(name) === true;
    if (!random.chance(isRequired ? 1 - absence : likelihood(making, name))) continue;
    const isJson = form?.encoding?.[name] !== undefined;
    params.push([name, textOf(making, { name, schema, isJson })]);
  }
  if (random.chance(0.05)) params.push(['unheard_of', '1']);
  const text = new URLSearchParams(params).toString();
  const isInQuery = method === 'get' || (method === 'delete' && random.chance(0.5));
  return {
    method: method.toUpperCase(),
    path: isInQuery && text !== '' ? `${filled}?${text}` : filled,
    // Now and then bytes that are no text.
    ...(isInQuery
      ? {}
      : { body: random.chance(making.wildness / 10) ? `${text}&x=%ED%A0%80` : text }),
  };
}

function textOf(
  making: Wild,
  { name, schema, isJson }: { name: string; schema: JsonSchema; isJson: boolean },
): string {
  const { random, wildness } = making;
  if (random.chance(wildness)) return random.pick(HOSTILE)();
  const value = namedOr(making, name, schema);
  if (typeof value === 'string' && (!isJson || random.chance(wildness))) return value;
  return JSON.stringify(value);
}

const valuesFor = ({ endpoint, vocabulary: { named } }: Wild, name: string) =>
  named[`${endpoint} ${name}`] ?? named[name] ?? [];

/**
 * The likelihood of an optional parameter. Parameters that have values of their own matter more.
 */
const likelihood = (making: Wild, name: string) =>
  valuesFor(making, name).length > 0 ? 0.6 : 0.15;

function namedOr(making: Wild, name: string, schema: JsonSchema): unknown {
  const known = valuesFor(making, name);
  return known.length > 0 && making.random.chance(0.8)
    ? known[making.random.below(known.length)]
    : madeUp(making, schema);
}

function madeUp(making: Wild, schema: JsonSchema): unknown {
  const { random, document, vocabulary, wildness } = making;
  const known = schema as Known;
  if (known.$ref !== undefined) {
    const name = known.$ref.split('/').at(-1) ?? '';
    return madeUp(making, document.components.schemas[name] ?? {});
  }
  if (known.const !== undefined) return known.const;
  const choices = known.enum ?? known.anyOf ?? known.oneOf;
  if (choices !== undefined && choices.length > 0) {
    const choice = choices[random.below(choices.length)];
    return known.enum === undefined ? madeUp(making, choice as JsonSchema) : choice;
  }
  const type = Array.isArray(known.type) ? known.type[random.below(known.type.length)] : known.type;
  if (random.chance(wildness / 3)) return random.pick(ODD);
  if (type === 'boolean') return random.chance(0.5);
  if (type === 'integer' || type === 'number') {
    return random.chance(0.9) ? 1 + random.below(vocabulary.idsMax + 2) : random.below(5_000) - 10;
  }
  if (type === 'null') return null;
  if (type === 'array') return listOf(making, known);
  if (type === 'object') return objectOf(making, known);
  return random.pick(vocabulary.words);
}

interface Known {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly type?: string | readonly string[];
  readonly items?: JsonSchema | boolean;
  readonly prefixItems?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
}

function listOf(making: Wild, { items, prefixItems }: Known): unknown[] {
  if (prefixItems !== undefined) return prefixItems.map((item) => madeUp(making, item));
  const item = typeof items === 'object' ? items : {};
  return Array.from({ length: making.random.below(4) }, () => madeUp(making, item));
}

function objectOf(making: Wild, { properties = {}, required = [], ...rest }: Known): object {
  const { random, vocabulary, wildness } = making;
  const fields = Object.entries(properties)
    .filter(([name]) => random.chance(required.includes(name) ? 1 - wildness / 4 : 0.5))
    .map(([name, schema]) => [name, namedOr(making, name, schema)]);
  if (typeof rest.additionalProperties === 'object' && random.chance(0.7)) {
    fields.push([random.pick(vocabulary.words), madeUp(making, rest.additionalProperties)]);
  }
  return Object.fromEntries(fields);
}

const ODD: readonly [unknown, ...unknown[]] = [
  null,
  true,
  '',
  '\0',
  '\ud800',
  'x\udc00y',
  -1,
  0,
  0.5,
  1e308,
  2 ** 53,
  [],
  [[]],
  {},
  { __proto__: null, constructor: 1 },
];

/** Texts that are no value of anything, or too much of one. Made when asked for: some are long. */
const HOSTILE: readonly [() => string, ...(() => string)[]] = [
  () => '',
  () => ' \t',
  () => 'null',
  () => 'true',
  () => '-1',
  () => '0',
  () => '1.5',
  () => '1e999',
  () => '0x10',
  () => '99999999999999999999999',
  () => '9007199254740993',
  () => '"',
  () => '{',
  () => '[1,',
  () => '[1,1,1,1]',
  () => '["1", 1, null]',
  () => '"\\ud800"',
  () => '["\\ud800", "\\u0000"]',
  () => '{"__proto__":{"admin":true}}',
  () => '{"direct_members":[1,999],"direct_subgroups":[1,999]}',
  () => '\0',
  () => '💥'.repeat(61),
  () => '\u202e\u200b',
  () => 'x'.repeat(12_000),
  () => '['.repeat(5_000),
  () => `${'['.repeat(3_000)}${']'.repeat(3_000)}`,
  () => `${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`,
  () => JSON.stringify(Array.from({ length: 6_000 }, (_, index) => index)),
  () => JSON.stringify('y'.repeat(20_000)),
];
