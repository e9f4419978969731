// biome-ignore lint/correctness/useImportExtensions: its types are beside it, in a file of another name.
import { comment, propertyName, typeName, typeText } from './type-text.mjs';

/** Fields that every success has: the library's own type `Success` declares them. */
const OF_ALL = new Set(['result', 'msg', 'ignored_parameters_unsupported']);

const SCHEMAS = '#/components/schemas/';
const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';

/**
 * Returns the text of a module with the types of the API: objects, events by kind, errors by code,
 * and for each operation its parameters and the fields of its reply.
 */
export function apiText({ paths, components }) {
  const names = Object.keys(components.schemas);
  const events = names.filter((name) => name.startsWith('event.'));
  const errors = names.filter((name) => name.startsWith('error.') && name !== 'error.fault');
  const objects = names.filter((name) => !/^(?:event|error)\.|^Event$/.test(name));
  return [
    '// The build writes this file from the description of the API: see client/types/.\n',
    ...objects.map((name) => declaration(name, components.schemas[name])),
    ...events.map((name) => declaration(name, components.schemas[name])),
    table('Events', 'Every event, by type or by type and operation.', events, kindOf),
    '/** Any event; `type`, and `op` where there is one, tell which. */\n' +
      'export type Event = Events[keyof Events];\n',
    errorsText(errors, components.schemas),
    callsText(paths),
  ].join('\n');

  function kindOf(name) {
    const { type, op } = components.schemas[name].properties;
    return op === undefined ? type.const : `${type.const} ${op.const}`;
  }
}

function declaration(name, schema) {
  const text = typeText(schema);
  const doc = comment(schema.description, '');
  if (text.startsWith('{')) return `${doc}export interface ${typeName(name)} ${text}\n`;
  return `${doc}export type ${typeName(name)} = ${text};\n`;
}

function table(title, about, names, keyOf) {
  const rows = names.map((name) => `  ${propertyName(keyOf(name))}: ${typeName(name)};\n`);
  return `/** ${about} */\nexport interface ${title} {\n${rows.join('')}}\n`;
}

/** Fields that errors have besides their code and message. */
function errorsText(names, schemas) {
  const rows = names.map((name) => {
    const { description, ...schema } = schemas[name];
    const properties = without(schema.properties, ['result', 'msg', 'code']);
    const text = typeText({ ...schema, properties }, { indent: '  ' });
    return `${comment(description, '  ')}  ${propertyName(name.replace('error.', ''))}: ${text};\n`;
  });
  return `/** Further fields of an error, by its code. */\nexport interface ErrorFields {\n${rows.join('')}}\n`;
}

function callsText(paths) {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => isCall(operation))
      .map(([method, operation]) => {
        const doc = comment(operation.summary, '  ');
        const name = propertyName(`${method.toUpperCase()} ${path}`);
        const params = paramsText(operation);
        return `${doc}  ${name}: {\n    params: ${params};\n    reply: ${replyText(operation)};\n  };\n`;
      }),
  );
  return `/** Every call: its parameters, also those in the path, and the fields of its reply. */\nexport interface Calls {\n${rows.join('')}}\n`;
}

/** A file needs a body of another kind, and a document has no envelope: neither is a call. */
const isCall = ({ requestBody, responses }) =>
  (requestBody === undefined || requestBody.content[FORM] !== undefined) &&
  successOf(responses).properties?.result !== undefined;

function paramsText({ parameters = [], requestBody }) {
  const given = parameters.filter(({ in: place }) => place !== 'header');
  const form = requestBody?.content[FORM]?.schema ?? { properties: {}, required: [] };
  const properties = Object.fromEntries(
    given.map(({ name, schema, content, description }) => [
      name,
      { ...(schema ?? content[JSON_TYPE].schema), ...(description && { description }) },
    ]),
  );
  const required = given.filter((one) => one.required).map(({ name }) => name);
  return typeText(
    {
      type: 'object',
      properties: { ...properties, ...form.properties },
      required: [...required, ...(form.required ?? [])],
      additionalProperties: false,
    },
    { isSent: true, indent: '    ' },
  );
}

function replyText({ responses }) {
  const { properties, required = [], ...rest } = successOf(responses);
  const fields = without(properties, OF_ALL);
  return typeText({ ...rest, properties: fields, required }, { indent: '    ' });
}

/** A refusal with the status 200 is an error as well, and so no part of the reply. */
function successOf(responses) {
  const { schema } = responses['200'].content[JSON_TYPE];
  const isError = ({ $ref: reference = '' }) => reference.startsWith(`${SCHEMAS}error.`);
  return (schema.oneOf ?? [schema]).find((choice) => !isError(choice));
}

const without = (properties, names) =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => ![...names].includes(name)));
