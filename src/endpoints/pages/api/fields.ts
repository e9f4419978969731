import type { JsonSchema } from '../../documents/json-schemas.ts';
import { notesOn, typeText } from '../../documents/schema-text.ts';
import { html, joined, type Markup, NOTHING } from '../markup.ts';
import { inline } from './inline.ts';

/** A parameter, or a field of an answer, an event or an object. */
export interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  /** The place of a parameter: path, query, form, header. */
  readonly place?: string;
  readonly isJson?: boolean;
  readonly description?: string | undefined;
  readonly aliases?: readonly string[] | undefined;
}

/** Renders fields as a list, each with its type, its default and what it means. */
export const fieldList = (fields: readonly Field[], depth = 0): Markup => html`<ul class="fields">
${joined(fields.map((field) => fieldItem(field, depth)))}</ul>`;

function fieldItem(field: Field, depth: number): Markup {
  const { name, schema, isRequired, place, isJson, description, aliases } = field;
  const inner = depth < DEPTH_MAX ? innerFields(schema) : [];
  const notes = [
    description,
    notesOn(description === undefined ? schema : { ...schema, description: undefined }),
    aliases === undefined
      ? undefined
      : `also named ${aliases.map((alias) => `\`${alias}\``).join(', ')}`,
  ].filter((note) => note !== undefined && note !== '');
  return html`<li>
<div class="field"><code class="name">${name}</code>${presence(field)} ${typeOf(schema, inner.length > 0)}${place === undefined ? NOTHING : html` <span class="place">${place}${isJson ? ', JSON' : ''}</span>`}</div>
${notes.length === 0 ? NOTHING : html`<p class="note">${inline(sentence(notes.join('; ')))}</p>\n`}${
  inner.length === 0
    ? NOTHING
    : html`<details><summary>${String(inner.length)} ${inner.length === 1 ? 'field' : 'fields'} of <code>${name}</code></summary>${fieldList(inner, depth + 1)}</details>\n`
}</li>
`;

  function presence({ schema: { default: usual } }: Field): Markup {
    if (usual !== undefined) {
      return html` <span class="default">default <code>${JSON.stringify(usual)}</code></span>`;
    }
    if (place !== undefined) {
      return isRequired
        ? html` <span class="needed">required</span>`
        : html` <span class="optional">optional</span>`;
    }
    return isRequired ? NOTHING : html` <span class="optional">not always</span>`;
  }
}

/** A schema within more others than this is described in a line. */
const DEPTH_MAX = 3;

const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;

/** Renders a type; a long one can be unfolded. */
function typeOf(schema: JsonSchema, hasInner: boolean): Markup {
  const text = hasInner ? briefType(schema) : typeText(schema);
  const type = inline(text);
  if (text.length <= TYPE_LENGTH_MAX) return html`<span class="type">${type}</span>`;
  return html`<details class="type"><summary>${text.startsWith('list') ? 'list' : 'one of several'}</summary>${type}</details>`;
}

const TYPE_LENGTH_MAX = 180;

const briefType = (schema: JsonSchema): string =>
  schema['type'] === 'array' ? 'list of objects' : 'object';

/** Returns the fields of an object, or of the objects of a list, if they have no name elsewhere. */
function innerFields(schema: JsonSchema): readonly Field[] {
  const { properties, required, items, type } = schema as Known;
  if (type === 'array') return typeof items === 'object' ? innerFields(items) : [];
  return fieldsOf({ ...(properties && { properties }), ...(required && { required }) });
}

interface Known {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema | boolean;
}

/** Returns the fields of an object's schema. */
export const fieldsOf = ({ properties = {}, required = [] }: Omit<Known, 'items'>): Field[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name),
  }));
