import { ERROR_FIELDS, statusesOf } from '../../domain/wire/error-fields.ts';
import { EVENT_KINDS } from '../../events/events.ts';
import { OF_ANY, OF_THOSE_WHO_LOG_IN } from '../refusals.ts';
import { GENERAL } from './general.ts';
import type { JsonSchema } from './json-schemas.ts';
import { eventName } from './openapi.ts';
import type { OpenApiDocument, Operation } from './openapi-shapes.ts';
import { anchorOf, code, linkTo, nameOf, notesOn, typeText } from './schema-text.ts';

/** Renders the OpenAPI document as a page of Markdown, for people. */
export function apiPage(document: OpenApiDocument): string {
  const endpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => {
      return { title: `${method.toUpperCase()} ${path}`, operation };
    }),
  );
  const tags = [...new Set(endpoints.map(({ operation }) => operation.tags[0] ?? ''))];
  const { schemas } = document.components;
  const parts = [
    '# API',
    'Written by `npm run docs` from the declarations of the endpoints; the same as OpenAPI 3.1 is at\n`/api/v1/openapi.json`. A change here is lost: change the declarations.',
    GENERAL,
    '## Contents',
    contents(endpoints, tags),
    ...tags.flatMap((tag) => [
      heading(2, tag, `tag-${tag}`),
      ...endpoints.filter(({ operation }) => operation.tags[0] === tag).flatMap(endpointText),
    ]),
    heading(2, 'Outgoing webhooks', 'webhooks'),
    `The service posts a ${linkTo('WebhookCall')} as JSON to the server of a bot that is mentioned or written to, and posts\nwhat the ${linkTo('WebhookAnswer')} says. Bots that were made with the interface of Slack get a form of its names.`,
    heading(2, 'Events', anchorOf('Event')),
    'An event has the fields of its type and operation, and no others. Those that are not always there belong to some\nforms of it, which clients ask for by `client_capabilities`.',
    ...EVENT_KINDS.flatMap((kind) => objectSection(eventName(kind), schemas)),
    heading(2, 'Objects', 'objects'),
    ...Object.keys(schemas)
      .filter((name) => !name.includes('.') && name !== 'Event')
      .flatMap((name) => objectSection(name, schemas)),
    heading(2, 'Errors', 'errors'),
    `Any request may be refused with ${errorLinks(OF_ANY)}, and where one has to log in with ${errorLinks(OF_THOSE_WHO_LOG_IN)}. These are not listed above.`,
    errorsText(schemas),
  ];
  return `${parts.join('\n\n')}\n`;
}

interface Entry {
  readonly title: string;
  readonly operation: Operation;
}

const errorLinks = (codes: readonly string[]) =>
  codes.map((name) => linkTo(`error.${name}`)).join(', ');

function contents(endpoints: readonly Entry[], tags: readonly string[]): string {
  const lines = tags.flatMap((tag) => [
    `- [${tag}](#${anchorOfTag(tag)})`,
    ...endpoints
      .filter(({ operation }) => operation.tags[0] === tag)
      .map(
        ({ title, operation }) => `  - [${title}](#${operation.operationId}): ${operation.summary}`,
      ),
  ]);
  const ends = [
    '[Outgoing webhooks](#webhooks)',
    '[Events](#event)',
    '[Objects](#objects)',
    '[Errors](#errors)',
  ];
  return [...lines, ...ends.map((link) => `- ${link}`)].join('\n');
}

const anchorOfTag = (tag: string) => `tag-${tag.replaceAll(' ', '-')}`;

/**
 * Makes a heading with an anchor of its own: anchors that pages derive from headings differ, and
 * are not unique.
 */
const heading = (level: number, text: string, anchor: string) =>
  `<a id="${anchor.replaceAll(' ', '-')}"></a>\n\n${'#'.repeat(level)} ${text}`;

function endpointText({ title, operation }: Entry): string[] {
  // Without `security` of its own it has the document's, which requires credentials.
  const general: readonly string[] =
    operation.security?.length !== 0 ? [...OF_ANY, ...OF_THOSE_WHO_LOG_IN] : OF_ANY;
  const own = operation['x-errors'].filter((name) => !general.includes(name));
  const events = operation['x-events'];
  return [
    heading(3, title, operation.operationId),
    `${operation.summary}. For ${operation['x-permission']}.`,
    ...(operation.description === undefined ? [] : [operation.description]),
    ...parametersText(operation),
    ...replyText(operation),
    ...(own.length === 0 ? [] : [`Refused with ${errorLinks(own)}.`]),
    ...(events.length === 0 ? [] : [`May be followed by ${events.map(eventLinks).join(', ')}.`]),
  ];
}

const eventLinks = (type: string) => {
  const kinds = EVENT_KINDS.filter((kind) => kind === type || kind.startsWith(`${type} `));
  if (kinds.length === 1) return linkTo(eventName(kinds[0] ?? ''));
  const ops = kinds.map(
    (kind) => `[${kind.slice(type.length + 1)}](#${anchorOf(eventName(kind))})`,
  );
  return `${type} (${ops.join(', ')})`;
};

interface Row {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  readonly notes: readonly (string | undefined)[];
}

function parametersText(operation: Operation): string[] {
  const content = operation.requestBody?.content;
  const form = content?.['application/x-www-form-urlencoded'] ?? content?.['multipart/form-data'];
  const rows: Row[] = [
    ...(operation.parameters ?? []).map((parameter) => ({
      name: parameter.name,
      schema: parameter.schema ?? parameter.content?.['application/json'].schema ?? {},
      isRequired: parameter.required,
      notes: [
        parameter.in === 'query' ? undefined : `in the ${parameter.in}`,
        parameter.content === undefined ? undefined : 'JSON',
        parameter.description,
        aliasesText(parameter['x-aliases']),
      ],
    })),
    ...Object.entries(form?.schema.properties ?? {}).map(([name, schema]) => ({
      name,
      schema,
      isRequired: form?.schema.required?.includes(name) === true,
      notes: [
        form?.encoding?.[name] === undefined ? undefined : 'JSON',
        // `openapi.ts` has put it there.
        aliasesText(schema['x-aliases'] as readonly string[] | undefined),
      ],
    })),
  ];
  return rows.length === 0 ? ['No parameters.'] : ['Parameters:', table(rows)];
}

const aliasesText = (aliases: readonly string[] | undefined) =>
  aliases === undefined ? undefined : `also named ${aliases.map(code).join(', ')}`;

function replyText({ responses }: Operation): string[] {
  const success = responses['200']?.content['application/json'].schema;
  // `openapi.ts` made this list: the success first, then the refusals with status 200.
  const [done = success] = (success?.['oneOf'] ?? []) as readonly JsonSchema[];
  const schema = done as Partial<ObjectSchema>;
  if (schema.properties === undefined) return ['Answers with the document.'];
  const { result, msg, ignored_parameters_unsupported, ...fields } = schema.properties;
  const rows = rowsOf({ properties: fields, required: schema.required ?? [] });
  return rows.length === 0 ? ['Answers with no fields.'] : ['Answers with:', table(rows)];
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

const rowsOf = ({ properties, required = [] }: ObjectSchema): Row[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name),
    notes: [],
  }));

function objectSection(name: string, schemas: Readonly<Record<string, JsonSchema>>): string[] {
  const schema: JsonSchema = schemas[name] ?? {};
  const { properties, required } = schema as Partial<ObjectSchema>;
  return [
    heading(3, nameOf(name), anchorOf(name)),
    ...(typeof schema['description'] === 'string' ? [`${schema['description']}.`] : []),
    properties === undefined
      ? typeText(schema)
      : table(rowsOf({ properties, ...(required === undefined ? {} : { required }) })),
  ];
}

function errorsText(schemas: Readonly<Record<string, JsonSchema>>): string {
  const rows = Object.entries(ERROR_FIELDS).map(([name, { when }]) => {
    // Every error is a component of this document.
    const { properties, required = [] } = schemas[`error.${name}`] as unknown as ObjectSchema;
    const { result, msg, code: _code, ...fields } = properties;
    const texts = Object.entries(fields).map(
      ([field, schema]) =>
        `${code(required.includes(field) ? field : `${field}?`)}: ${typeText(schema)}`,
    );
    // The keys of this table are its codes.
    const statuses = statusesOf(name as Parameters<typeof statusesOf>[0]);
    return [
      `<a id="${anchorOf(`error.${name}`)}"></a>${code(name)}`,
      statuses.join(', '),
      when,
      texts.join(', '),
    ];
  });
  return tableOf(['code', 'status', 'when', 'fields'], rows);
}

function table(rows: readonly Row[]): string {
  return tableOf(
    ['name', 'type', '', 'notes'],
    rows.map(({ name, schema, isRequired, notes }) => [
      code(name),
      typeText(schema),
      presence(schema, isRequired),
      [...notes, notesOn(schema)].filter((note) => note !== undefined && note !== '').join('; '),
    ]),
  );
}

function presence(schema: JsonSchema, isRequired: boolean): string {
  if ('default' in schema) return `default ${code(JSON.stringify(schema['default']))}`;
  return isRequired ? '' : 'optional';
}

const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
