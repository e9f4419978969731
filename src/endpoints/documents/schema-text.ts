import type { JsonSchema } from './json-schemas.ts';

/** Describes a JSON Schema for a person, in one line of Markdown. */
export function typeText(schema: JsonSchema): string {
  const { $ref, const: only, enum: words, anyOf, oneOf, type } = schema as Known;
  if ($ref !== undefined) return linkTo($ref.split('/').at(-1) ?? '');
  if (only !== undefined) return code(JSON.stringify(only));
  if (words !== undefined) return words.map((word) => code(JSON.stringify(word))).join(' or ');
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeText))].join(' or ');
  if (type === 'array') return listText(schema as Known);
  if (type === 'object') return objectText(schema as Known);
  return typeof type === 'object' ? type.join(' or ') : (type ?? 'anything');
}

/** Describes a schema besides the type: its description, bounds and default. */
export function notesOn(schema: JsonSchema): string {
  const { description, minimum, maximum, maxLength, minLength, maxItems, pattern } =
    schema as Known;
  const notes = [
    description,
    minimum === undefined ? undefined : `at least ${minimum}`,
    maximum === undefined ? undefined : `at most ${maximum}`,
    minLength === undefined ? undefined : `at least ${minLength} characters`,
    maxLength === undefined ? undefined : `at most ${maxLength} characters`,
    maxItems === undefined || 'prefixItems' in schema ? undefined : `at most ${maxItems} items`,
    pattern === undefined ? undefined : `matches ${code(pattern)}`,
  ];
  return notes.filter((note) => note !== undefined && note !== '').join('; ');
}

export const code = (text: string) => `\`${text}\``;

/** Links an event, an error or an object of the same page. */
export const linkTo = (name: string) => `[${nameOf(name)}](#${anchorOf(name)})`;
export const anchorOf = (name: string) => name.replaceAll('.', '-').toLowerCase();
export const nameOf = (component: string) =>
  component.replace(/^(event|error)\./, '').replace('.', ' ');

interface Known {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema | boolean;
  readonly prefixItems?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

function listText({ items, prefixItems }: Known): string {
  if (prefixItems !== undefined) return `[${prefixItems.map(typeText).join(', ')}]`;
  if (typeof items !== 'object') return 'list';
  const text = typeText(items);
  return `list of ${text.includes(' or ') ? `(${text})` : text}`;
}

function objectText({ properties, required = [], additionalProperties }: Known): string {
  if (typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0) {
    return `object of ${typeText(additionalProperties)}`;
  }
  const fields = Object.entries(properties ?? {}).map(
    ([name, schema]) => `${code(required.includes(name) ? name : `${name}?`)}: ${typeText(schema)}`,
  );
  return fields.length === 0 ? 'object' : `{ ${fields.join(', ')} }`;
}
