import { SERVICE_VERSION } from '../../domain/version.ts';
import { ERROR_FIELDS } from '../../domain/wire/error-fields.ts';
import { type ErrorCode, STATUS_OF } from '../../domain/wire/errors.ts';
import * as messageObjects from '../../domain/wire/message-objects.ts';
import { EVENT_KINDS, EVENTS } from '../../events/events.ts';
import { type DescribedParam, describedParams } from '../described-params.ts';
import type { Endpoint } from '../endpoint.ts';
import { operationId } from '../operation-id.ts';
import { refusalsOf } from '../refusals.ts';
import { GENERAL } from './general.ts';
import { type JsonSchema, type JsonSchemas, openJsonSchemas, reference } from './json-schemas.ts';
import {
  FORM,
  type Form,
  type Header,
  JSON_TYPE,
  MULTIPART,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  type Response,
} from './openapi-shapes.ts';

/** Builds the OpenAPI 3.1 document of these endpoints from nothing but their declarations. */
export function openApiDocument(endpoints: readonly Endpoint[]): OpenApiDocument {
  const schemas = openJsonSchemas();
  const paths: Record<string, Record<string, Operation>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace('...}', '}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(schemas, endpoint) };
  }
  addErrors(schemas);
  addEvents(schemas);
  const webhooks = { [WEBHOOK_PATH]: { post: webhook(schemas) } };
  return {
    openapi: '3.1.0',
    info: {
      title: 'confab',
      version: SERVICE_VERSION,
      description: GENERAL,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: { description: 'All operations, to read and to try', url: '/api' },
    servers: [{ url: '/api/v1', description: "At the host of the organization's realm" }],
    security: [{ basic: [] }, { session: [] }],
    paths,
    webhooks,
    components: {
      securitySchemes: {
        basic: {
          type: 'http',
          scheme: 'basic',
          description: 'API email address and API key',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-confab',
          description:
            'The session of a browser (`POST /sessions`), for pages of this server. Over plain HTTP the cookie has another name',
        },
        urlKey: {
          type: 'apiKey',
          in: 'query',
          name: 'api_key',
          description: 'The API key of a bot, in a URL that another service is given',
        },
      },
      headers: RATE_HEADERS,
      schemas: Object.fromEntries(
        Object.entries(schemas.named).sort(([one], [other]) => (one < other ? -1 : 1)),
      ),
    },
  };
}

function operation(schemas: JsonSchemas, endpoint: Endpoint): Operation {
  const params = describedParams(endpoint);
  // Bodies have no defined meaning with these methods; the server takes parameters from either.
  const isInQuery =
    endpoint.method === 'GET' || endpoint.method === 'DELETE' || endpoint.streams === true;
  const inForm = isInQuery
    ? []
    : params.filter(({ name, isInPath }) => (endpoint.byUrlKey ? name === PAYLOAD : !isInPath));
  const parameters = [
    ...params.filter((param) => !inForm.includes(param)).map((param) => parameter(schemas, param)),
    ...Object.entries(endpoint.headers ?? {}).map(header),
  ];
  return {
    operationId: operationId(endpoint),
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    tags: [tagOf(endpoint)],
    ...securityOf(endpoint),
    'x-permission': permissionOf(endpoint),
    'x-events': endpoint.emits ?? [],
    'x-errors': refusalsOf(endpoint),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(inForm.length === 0 ? {} : { requestBody: requestBody(schemas, inForm) }),
    ...(endpoint.streams ? { requestBody: ONE_FILE } : {}),
    ...(endpoint.byUrlKey ? { requestBody: payloadBody(schemas, inForm) } : {}),
    responses: responses(schemas, endpoint),
  };
}

/** Returns nothing if the endpoint has the document's security. */
function securityOf(endpoint: Endpoint): Pick<Operation, 'security'> {
  if (endpoint.byUrlKey) return { security: [{ urlKey: [] }] };
  if (!('allow' in endpoint)) return { security: [] };
  return endpoint.spectators ? { security: [{ basic: [] }, { session: [] }, {}] } : {};
}

function permissionOf(endpoint: Endpoint): string {
  if (!('allow' in endpoint)) return 'anyone, logged in or not';
  const { who } = endpoint.allow;
  return endpoint.spectators ? `${who}, and for anyone where the realm shows itself` : who;
}

/** Tags of paths that begin with another noun than their own. */
const TAGS: readonly (readonly [path: string, tag: string])[] = [
  ['/users/me/subscriptions/muted_topics', 'topics'],
  ['/users/me/subscriptions', 'channels'],
  ['/users/me/{stream_id}/topics', 'topics'],
  ['/users/me/muted_topics', 'topics'],
  ['/streams/{stream_id}/delete_topic', 'topics'],
  ['/user_topics', 'topics'],
  ['/streams', 'channels'],
  ['/mark_', 'messages'],
  ['/get_stream_id', 'channels'],
  ['/register', 'events'],
  ['/fetch_api_key', 'server'],
  ['/server_settings', 'server'],
  ['/openapi.json', 'server'],
  ['/realm/presence', 'users'],
  ['/submessage', 'messages'],
  ['/typing', 'messages'],
  ['/zcommand', 'messages'],
  ['/user_uploads', 'files'],
  ['/attachments', 'files'],
  ['/default_stream', 'channels'],
  ['/channel_folders', 'channels'],
  ['/mobile_push', 'push notifications'],
  ['/bot_storage', 'bots'],
  ['/external', 'incoming webhooks'],
  ['/dev_', 'server'],
  ['/jwt', 'server'],
];

const tagOf = ({ path }: { readonly path: string }): string =>
  TAGS.find(([start]) => path.startsWith(start))?.[1] ??
  (path.split('/')[1] ?? '').replaceAll('_', ' ');

function parameter(schemas: JsonSchemas, param: DescribedParam): Parameter {
  const schema = valueSchema(schemas, param);
  return {
    name: param.name,
    in: param.isInPath ? 'path' : 'query',
    required: param.isRequired,
    ...(param.description === undefined ? {} : { description: param.description }),
    ...(param.isJson ? { content: { [JSON_TYPE]: { schema } } } : { schema }),
    ...(param.aliases.length === 0 ? {} : { 'x-aliases': param.aliases }),
  };
}

const header = ([name, description]: [string, string]): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
});

/**
 * The body of an endpoint that takes a file as it arrives; the name of the field has no meaning.
 */
const ONE_FILE: NonNullable<Operation['requestBody']> = {
  required: true,
  content: {
    [MULTIPART]: {
      schema: {
        type: 'object',
        properties: { file: { type: 'string', format: 'binary', description: 'Under any name' } },
        required: ['file'],
      },
    },
  },
};

function requestBody(schemas: JsonSchemas, params: readonly DescribedParam[]) {
  const required = params.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const asJson = params.filter(({ isJson }) => isJson);
  const properties = params.map((param) => [
    param.name,
    {
      ...valueSchema(schemas, param),
      ...(param.description === undefined ? {} : { description: param.description }),
      ...(param.aliases.length === 0 ? {} : { 'x-aliases': param.aliases }),
    },
  ]);
  const form: Form = {
    schema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length === 0 ? {} : { required }),
    },
    ...(asJson.length === 0
      ? {}
      : {
          encoding: Object.fromEntries(
            asJson.map(({ name }) => [name, { contentType: JSON_TYPE }]),
          ),
        }),
  };
  return { required: required.length > 0, content: { [FORM]: form } };
}

/**
 * The parameter with the body of another service; all others are in the URL that the service was
 * given.
 */
const PAYLOAD = 'payload';

const payloadBody = (schemas: JsonSchemas, params: readonly DescribedParam[]) => ({
  required: true,
  content: { [JSON_TYPE]: { schema: {} }, ...requestBody(schemas, params).content },
});

const valueSchema = (schemas: JsonSchemas, param: DescribedParam): JsonSchema => ({
  ...schemas.of(param.value, 'input'),
  ...(param.default === undefined ? {} : { default: param.default }),
});

function responses(schemas: JsonSchemas, endpoint: Endpoint): Record<string, Response> {
  const refused = refusalsOf(endpoint);
  // Other statuses of a code are documented with the code.
  const statuses = [...new Set(refused.map((code) => STATUS_OF[code]))].sort();
  const ignoring = refused.filter((code) => STATUS_OF[code] === 200);
  return {
    '200': {
      ...response(
        ['Success', ...ignoring.map(meaningOfCode)].join('\n\n'),
        either([successSchema(schemas, endpoint), ...ignoring.map(errorName).map(reference)]),
      ),
      headers: WHEN_LIMITED,
    },
    ...Object.fromEntries(
      statuses
        .filter((status) => status !== 200)
        .map((status) => {
          const codes = refused.filter((code) => STATUS_OF[code] === status);
          const refusal = response(
            codes.map(meaningOfCode).join('\n\n'),
            oneOf(codes.map(errorName)),
          );
          return [String(status), status === 429 ? { ...refusal, headers: WHEN_REFUSED } : refusal];
        }),
    ),
    default: response('No such method (405), or a fault of the server (500)', {
      oneOf: [reference(errorName('METHOD_NOT_ALLOWED')), reference(FAULT)],
    }),
  };
}

/** The headers of answers if the operator limits requests (reference/endpoints.md section 3). */
const RATE_HEADERS: Readonly<Record<string, Header>> = {
  'X-RateLimit-Limit': {
    description: 'Requests in a minute; absent where there is no limit, as are those that follow',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests that are left at this moment',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Reset': {
    description: 'UNIX seconds when the whole limit is there again',
    schema: { type: 'integer' },
  },
  'Retry-After': {
    description: 'Seconds to wait: `retry-after` of the body, rounded up',
    schema: { type: 'integer' },
  },
};

const headersNamed = (names: readonly string[]): NonNullable<Response['headers']> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const WHEN_REFUSED = headersNamed(Object.keys(RATE_HEADERS));
const WHEN_LIMITED = headersNamed(
  Object.keys(RATE_HEADERS).filter((name) => name.startsWith('X-')),
);

const meaningOfCode = (code: ErrorCode) => `\`${code}\`: ${ERROR_FIELDS[code].when}`;

const either = (schemas: readonly JsonSchema[]): JsonSchema =>
  schemas.length === 1 ? (schemas[0] ?? {}) : { oneOf: schemas };

const response = (description: string, schema: JsonSchema): Response => ({
  description,
  content: { [JSON_TYPE]: { schema } },
});

/** Builds the envelope and the fields of a success (specification, "Conventions" 2). */
function successSchema(schemas: JsonSchemas, endpoint: Endpoint): JsonSchema {
  if ('document' in endpoint) return { type: 'object' };
  const fields = Object.entries(endpoint.reply ?? {});
  const required = fields.filter(([, schema]) => !schema.safeParse(undefined).success);
  return {
    type: 'object',
    properties: {
      result: { type: 'string', const: 'success' },
      msg: { type: 'string', const: '' },
      ...Object.fromEntries(fields.map(([name, schema]) => [name, schemas.of(schema)])),
      ignored_parameters_unsupported: IGNORED,
    },
    required: ['result', 'msg', ...required.map(([name]) => name)],
    additionalProperties: false,
  };
}

const IGNORED: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'Parameters of the request that mean nothing here',
};

const FAULT = 'error.fault';
const errorName = (code: ErrorCode) => `error.${code}`;

function addErrors(schemas: JsonSchemas) {
  for (const [code, { when, fields }] of Object.entries(ERROR_FIELDS)) {
    // A 405 carries no code (reference/endpoints.md section 3).
    const named = code === 'METHOD_NOT_ALLOWED' ? {} : { code: { type: 'string', const: code } };
    const required = Object.entries(fields).filter(
      ([, schema]) => !schema.safeParse(undefined).success,
    );
    schemas.add(`error.${code}`, {
      type: 'object',
      description: when,
      properties: {
        // The code is a key of the record.
        result: { type: 'string', const: STATUS_OF[code as ErrorCode] < 400 ? 'success' : 'error' },
        msg: { type: 'string', description: 'For a person' },
        ...named,
        ...Object.fromEntries(
          Object.entries(fields).map(([name, schema]) => [name, schemas.of(schema)]),
        ),
      },
      required: ['result', 'msg', ...Object.keys(named), ...required.map(([name]) => name)],
      additionalProperties: false,
    });
  }
  schemas.add(FAULT, {
    type: 'object',
    description: 'A fault of the server; the request may have had no effect',
    properties: { result: { type: 'string', const: 'error' }, msg: { type: 'string' } },
    required: ['result', 'msg'],
    additionalProperties: false,
  });
}

/**
 * Returns the name of an event's component: event.message for `message`, event.stream.update for
 * `stream update`.
 */
export const eventName = (kind: string) => `event.${kind.replace(' ', '.')}`;

function addEvents(schemas: JsonSchemas) {
  for (const kind of EVENT_KINDS) {
    const { properties, ...rest } = schemas.of(EVENTS[kind]) as { properties: JsonSchema };
    const { id, type, op, ...fields } = properties;
    const ordered = { id, type, ...(op === undefined ? {} : { op }), ...fields };
    schemas.add(eventName(kind), { ...rest, properties: ordered });
  }
  schemas.add('Event', oneOf(EVENT_KINDS.map(eventName)));
}

/** The path is not below `/api/v1`: the bot has an address of its own. */
const WEBHOOK_PATH = 'service-outgoing-webhook';

/** Describes the request that the service sends to the servers of bots. */
const webhook = (schemas: JsonSchemas) => ({
  operationId: 'serviceOutgoingWebhook',
  summary: 'Calls the server of an outgoing-webhook bot',
  security: [],
  requestBody: { content: { [JSON_TYPE]: { schema: schemas.of(messageObjects.webhookCall) } } },
  responses: {
    '200': response('What the bot is to say', schemas.of(messageObjects.webhookAnswer)),
  },
});

const oneOf = (names: readonly string[]): JsonSchema =>
  names.length === 1 ? reference(names[0] ?? '') : { oneOf: names.map(reference) };
