/**
 * Writes JSON Schemas of the API's document as TypeScript types. It knows the keywords that the
 * document has, and throws for others, so that no type is wider than the schema by accident.
 */

/** Keywords that bound a value more closely than a type can, or only tell of it. */
const WITHOUT_TYPE = new Set([
  'default',
  'description',
  'examples',
  'format',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'pattern',
  'propertyNames',
  'readOnly',
  'required',
  'title',
  'uniqueItems',
  'x-aliases',
]);

const WITH_TYPE = new Set([
  '$ref',
  'additionalProperties',
  'anyOf',
  'const',
  'enum',
  'items',
  'oneOf',
  'prefixItems',
  'properties',
  'type',
]);

const PRIMITIVES = { boolean: 'boolean', integer: 'number', number: 'number', string: 'string' };

/**
 * Returns the text of a schema's type. What a program sends may be read-only, and a field of it may
 * be undefined; what it receives is neither.
 */
export function typeText(schema, { isSent = false, indent = '' } = {}) {
  for (const keyword of Object.keys(schema)) {
    if (!WITH_TYPE.has(keyword) && !WITHOUT_TYPE.has(keyword)) {
      throw new Error(`there is no type for the keyword ${keyword}: ${JSON.stringify(schema)}`);
    }
  }
  const options = { isSent, indent };
  if (schema.$ref !== undefined) return referredName(schema.$ref);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map(literal));
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return union(choices.map((choice) => typeText(choice, options)));
  if (Array.isArray(schema.type)) {
    return union(schema.type.map((type) => typeText({ ...schema, type }, options)));
  }
  if (schema.type === 'null') return 'null';
  if (schema.type === 'array') return arrayText(schema, options);
  if (schema.type === 'object') return objectText(schema, options);
  if (schema.type !== undefined) return PRIMITIVES[schema.type] ?? unknownType(schema);
  return 'unknown';
}

/** Returns the name of a component in TypeScript: `event.stream.update` is `StreamUpdateEvent`. */
export function typeName(name) {
  const [first, ...rest] = name.split('.');
  if (first === 'event') return `${rest.map(capitalized).join('')}Event`;
  if (first === 'error')
    return `${rest.map((word) => capitalized(word.toLowerCase())).join('')}Error`;
  return name;
}

/** Returns the text of a doc comment, or nothing. */
export function comment(text, indent) {
  if (text === undefined || text === '') return '';
  const lines = text
    .replaceAll('*/', '*')
    .split('\n')
    .filter((line) => line !== '');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

export const propertyName = (name) => (/^[a-z_$][\w$]*$/i.test(name) ? name : `'${name}'`);

const referredName = (reference) => typeName(reference.replace('#/components/schemas/', ''));

const capitalized = (words) =>
  words
    .split('_')
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
    .join('');

const literal = (value) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);

const union = (types) => [...new Set(types)].join(' | ');

function arrayText({ items, prefixItems }, options) {
  const readonly = options.isSent ? 'readonly ' : '';
  if (prefixItems !== undefined) {
    return `${readonly}[${prefixItems.map((item) => typeText(item, options)).join(', ')}]`;
  }
  if (items === undefined || items === false) return `${readonly}unknown[]`;
  const item = typeText(items, options);
  return `${readonly}${item.includes(' | ') || item.startsWith('readonly ') ? `(${item})` : item}[]`;
}

function objectText({ properties = {}, required = [], ...schema }, options) {
  const { indent, isSent } = options;
  const within = { isSent, indent: `${indent}  ` };
  const fields = Object.entries(properties).map(([name, field]) => {
    const isRequired = required.includes(name);
    const type = typeText(field, within);
    return `${comment(field.description, within.indent)}${within.indent}${propertyName(name)}${
      isRequired ? '' : '?'
    }: ${type}${isSent && !isRequired ? ' | undefined' : ''};\n`;
  });
  const others = recordField(schema, within);
  if (fields.length === 0 && others === '') {
    return `Record<string, ${schema.additionalProperties === undefined ? 'unknown' : 'never'}>`;
  }
  return `{\n${fields.join('')}${others}${indent}}`;
}

/** Fields whose names are values: ids are numbers, as JavaScript takes these for names, too. */
function recordField({ additionalProperties: values, propertyNames }, within) {
  if (values === false || values === undefined) return '';
  const type = Object.keys(values).length === 0 ? 'unknown' : typeText(values, within);
  const isById = /\\d|\[0-9\]|\[1-9\]/.test(propertyNames?.pattern ?? '');
  return `${within.indent}[key: ${isById ? 'number' : 'string'}]: ${type};\n`;
}

function unknownType(schema) {
  throw new Error(`there is no type for ${JSON.stringify(schema)}`);
}
