import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, inject, test } from 'vitest';
import { ERROR_FIELDS } from '../src/domain/wire/error-fields.ts';
import { describedParams } from '../src/endpoints/described-params.ts';
import { apiPage } from '../src/endpoints/documents/api-page.ts';
import { readExamples } from '../src/endpoints/documents/examples.ts';
import { openApiBytes } from '../src/endpoints/documents/get-openapi.ts';
import { eventName, openApiDocument } from '../src/endpoints/documents/openapi.ts';
import type { Operation } from '../src/endpoints/documents/openapi-shapes.ts';
import { withExamples } from '../src/endpoints/documents/with-examples.ts';
import type { Endpoint } from '../src/endpoints/endpoint.ts';
import { ENDPOINTS } from '../src/endpoints/index.ts';
import { operationId } from '../src/endpoints/operation-id.ts';
import { OF_ANY, OF_THOSE_WHO_LOG_IN, refusalsOf } from '../src/endpoints/refusals.ts';
import { EVENT_KINDS, EVENTS } from '../src/events/events.ts';
import { requireDeclared, requireEvents } from './support/declared.ts';
import { startServer } from './support/start-server.ts';

const ROOT = join(import.meta.dirname, '..');
const examples = readExamples();
const document = withExamples(openApiDocument(ENDPOINTS), examples);
const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;

test('docs/api.md is what the endpoints declare; `npm run docs` writes it', () => {
  const written = readFileSync(join(ROOT, 'docs/api.md'), 'utf8');
  // The pages are compared as a whole, as their difference would be hundreds of lines.
  expect(written === apiPage(document), 'docs/api.md is stale: run `npm run docs`').toBe(true);
});

test('the build writes the document that is served, so that no request waits until it is made', () => {
  const built = readFileSync(join(inject('dist'), 'bundle', 'openapi.json'));
  expect(built.equals(openApiBytes(ENDPOINTS, examples))).toBe(true);
});

test('the page names every endpoint, parameter, refusal and event, and every link leads somewhere', () => {
  const page = apiPage(document);
  for (const endpoint of ENDPOINTS) {
    const title = `### ${endpoint.method} ${endpoint.path.replace('...}', '}')}\n`;
    const section = page.split(title)[1]?.split('\n### ')[0] ?? expect.fail(title);
    for (const { name } of describedParams(endpoint)) expect(section).toContain(`\`${name}\``);
    const general: readonly string[] =
      'allow' in endpoint ? [...OF_ANY, ...OF_THOSE_WHO_LOG_IN] : OF_ANY;
    for (const code of endpoint.refuses ?? []) {
      if (!general.includes(code)) expect(section).toContain(code);
    }
    for (const type of endpoint.emits ?? []) expect(section).toContain(type);
  }
  const anchors = new Set(Array.from(page.matchAll(/<a id="([^"]+)">/g), ([, anchor]) => anchor));
  const links = Array.from(page.matchAll(/\]\(#([^)]+)\)/g), ([, anchor]) => anchor);
  expect(links.length).toBeGreaterThan(200);
  expect(links.filter((anchor) => !anchors.has(anchor))).toEqual([]);
});

test.each([
  { name: 'digest_weekday', says: '0 is Monday', count: 1 },
  { name: 'email_notifications_batching_period_seconds', says: 'missed messages', count: 4 },
])('the numbers of a setting are explained wherever it is set: $name', ({ name, says, count }) => {
  const params = ENDPOINTS.flatMap(describedParams).filter((param) => param.name === name);
  expect(params.map(({ description = '' }) => description)).toEqual(
    Array.from({ length: count }, () => expect.stringContaining(says)),
  );
});

test('every answer that the operator may limit says by what headers it tells so', () => {
  const rate = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  expect(operations.length).toBe(ENDPOINTS.length);
  for (const { responses } of operations) {
    expect(Object.keys(responses['200']?.headers ?? {})).toEqual(rate);
    expect(Object.keys(responses['429']?.headers ?? {})).toEqual([...rate, 'Retry-After']);
  }
});

test('the document is valid OpenAPI 3.1, with every reference in it', async () => {
  const validator = new Validator();
  const copy = JSON.parse(JSON.stringify(document)) as Record<string, unknown>;
  expect(await validator.validate(copy)).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  const references = Array.from(
    JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g),
    ([, name]) => name ?? '',
  );
  const known = Object.keys(document.components.schemas);
  expect([...new Set(references)].filter((name) => !known.includes(name))).toEqual([]);
});

test('the document has the endpoints there are, and no others', () => {
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const declared = ENDPOINTS.map((endpoint) => nameOf(endpoint).replace('...}', '}'));
  expect(documented.sort()).toEqual(declared.sort());
  const ids = ENDPOINTS.map((endpoint) => operationOf(endpoint).operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each(ENDPOINTS.map((endpoint) => ({ name: nameOf(endpoint), endpoint })))(
  'the document says of $name what it declares',
  ({ endpoint }) => {
    const operation = operationOf(endpoint);
    const form = operation.requestBody?.content['application/x-www-form-urlencoded'];
    const parameters = operation.parameters ?? [];
    const params = describedParams(endpoint);
    expect([
      ...parameters.filter((one) => one.in !== 'header').map(({ name }) => name),
      ...Object.keys(form?.schema.properties ?? {}),
    ]).toEqual([
      ...params.filter(({ name }) => form?.schema.properties[name] === undefined).map(named),
      ...params.filter(({ name }) => form?.schema.properties[name] !== undefined).map(named),
    ]);
    for (const { name, isInPath } of params) {
      expect(parameters.some((one) => one.name === name && one.in === 'path')).toBe(isInPath);
    }
    expect([
      ...parameters.filter(({ required }) => required).map(({ name }) => name),
      ...(form?.schema.required ?? []),
    ]).toEqual(params.filter(({ isRequired }) => isRequired).map(named));
    expect(operation['x-errors']).toEqual(refusalsOf(endpoint));
    expect(operation['x-events']).toEqual(endpoint.emits ?? []);
    expect(Object.keys(operation.responses)).toContain('200');
    expect(operation['x-permission']).not.toBe('');
  },
);

test.each(
  ENDPOINTS.filter((endpoint) => !('document' in endpoint)).map((endpoint) => ({ endpoint })),
)(
  'the parameters in the path of $endpoint.method $endpoint.path are declared, and its reply',
  ({ endpoint }) => {
    const inPath = Array.from(
      endpoint.path.matchAll(/\{([^}.]+)(?:\.\.\.)?\}/g),
      ([, name]) => name,
    );
    expect(Object.keys(endpoint.params)).toEqual(expect.arrayContaining(inPath));
    const success = operationOf(endpoint).responses['200'];
    const whole = success?.content['application/json'].schema;
    // The success comes first among the answers with this status.
    const [first = whole] = (whole?.['oneOf'] ?? []) as (typeof whole)[];
    const schema = first as { properties: object };
    const ownFields = Object.keys(endpoint.reply ?? {}).filter((name) => name !== 'msg');
    expect(Object.keys(schema.properties)).toEqual([
      'result',
      'msg',
      ...ownFields,
      'ignored_parameters_unsupported',
    ]);
  },
);

test.each(ENDPOINTS.map((endpoint) => ({ name: nameOf(endpoint), endpoint })))(
  'the document has an example of $name, which its schemas allow',
  ({ endpoint }) => {
    const { params, answer, refusal } =
      examples.operations[operationId(endpoint)] ?? expect.fail('run `npm run docs`');
    const given = describedParams(endpoint).filter(({ name }) => name in params);
    for (const { name, value } of given) {
      expect(value.safeParse(params[name]), name).toMatchObject({ success: true });
    }
    expect(Object.keys(params).sort()).toEqual(given.map(named).sort());
    for (const { name, isRequired } of describedParams(endpoint)) {
      if (isRequired && answer.status === 200) expect(params).toHaveProperty(name);
    }
    const path = endpoint.path.replace(/\{(\w+)(?:\.\.\.)?\}/g, (_, name) =>
      encodeURIComponent(String(params[name])),
    );
    for (const one of refusal === undefined ? [answer] : [answer, refusal]) {
      requireDeclared({ method: endpoint.method, path }, one);
      const shown = operationOf(endpoint).responses[String(one.status)]?.content;
      expect(shown?.['application/json'].example).toEqual(one.body);
    }
    expect(answer.body['result'] ?? 'document').toBe(
      'document' in endpoint ? 'document' : isAlwaysRefused(endpoint) ? 'error' : 'success',
    );
  },
);

/** Tests for endpoints that say what this server is without (decision 0140), or needs for them. */
const isAlwaysRefused = ({ summary, path }: Endpoint): boolean =>
  summary.startsWith('Refused: ') ||
  /^\/mobile_push\/|^\/(?:messages\/summary|jwt\/fetch_api_key|password_reset|sessions\/demo)$/.test(
    path,
  );

test('events have examples, which their schemas allow', () => {
  const kinds = Object.keys(examples.events);
  expect(kinds.length).toBeGreaterThan(60);
  requireEvents(Object.values(examples.events));
  for (const kind of kinds) {
    expect(document.components.schemas[eventName(kind)]?.['examples']).toEqual([
      examples.events[kind],
    ]);
  }
});

test('no example has an address or a key of the machine that recorded it', () => {
  const text = JSON.stringify(examples);
  expect(text).not.toMatch(/localhost|127\.0\.0\.1/);
  expect(text.length).toBeLessThan(150_000);
});

test('the document has the webhook that bots are called by', () => {
  const { webhooks } = document as unknown as { webhooks: Record<string, { post: object }> };
  expect(webhooks['service-outgoing-webhook']?.post).toMatchObject({
    requestBody: {
      content: { 'application/json': { schema: { $ref: '#/components/schemas/WebhookCall' } } },
    },
  });
});

test('every event and every error is a component with the fields that it has', () => {
  const { schemas } = document.components;
  for (const kind of EVENT_KINDS) {
    const { properties } = schemas[eventName(kind)] as { properties: object };
    expect(Object.keys(properties).sort()).toEqual(Object.keys(EVENTS[kind].shape).sort());
  }
  for (const [code, { fields }] of Object.entries(ERROR_FIELDS)) {
    const { properties } = schemas[`error.${code}`] as { properties: object };
    expect(Object.keys(properties)).toEqual([
      'result',
      'msg',
      ...(code === 'METHOD_NOT_ALLOWED' ? [] : ['code']),
      ...Object.keys(fields),
    ]);
  }
  const events = Object.keys(schemas).filter((name) => name.startsWith('event.'));
  expect(events).toHaveLength(EVENT_KINDS.length);
});

test('parameters are documented as the values that their texts stand for', () => {
  const { paths } = document;
  const flags = paths['/messages/flags/narrow']?.['post'] ?? expect.fail();
  const form = flags.requestBody?.content['application/x-www-form-urlencoded'] ?? expect.fail();
  expect(form.schema.properties).toMatchObject({
    include_anchor: { type: 'boolean', default: true },
    num_before: { type: 'integer', minimum: 0 },
    narrow: { type: 'array' },
    op: { type: 'string' },
  });
  expect(form.encoding).toEqual({ narrow: { contentType: 'application/json' } });
  const list = paths['/messages']?.['get']?.parameters ?? expect.fail();
  const ofName = (name: string) => list.find((one) => one.name === name);
  expect(ofName('message_ids')).toMatchObject({
    in: 'query',
    content: { 'application/json': { schema: { type: 'array', items: { type: 'integer' } } } },
  });
  expect(ofName('client_gravatar')).toMatchObject({ schema: { type: 'boolean', default: true } });
  const send = paths['/messages']?.['post']?.requestBody;
  const { topic } = send?.content['application/x-www-form-urlencoded']?.schema.properties ?? {};
  expect(topic).toMatchObject({ type: 'string', 'x-aliases': ['subject'] });
  const upload = paths['/user_uploads']?.['post']?.requestBody;
  expect(upload?.content['multipart/form-data']?.schema.properties).toEqual({
    file: { type: 'string', format: 'binary', description: 'Under any name' },
  });
});

test('anyone gets the document as it is, over HTTP and over a socket', async () => {
  const server = await startServer();
  const { status, headers, body } = await server.get(null, '/openapi.json');
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/json');
  expect(body).toEqual(JSON.parse(JSON.stringify(document)));
  const elsewhere = await server.request('GET', '/openapi.json', {
    headers: { host: 'nowhere.example.com' },
  });
  expect(elsewhere.status).toBe(200);
  const head = await server.request('HEAD', '/openapi.json');
  expect(head).toMatchObject({ status: 200, body: null });
  expect(Number(head.headers['content-length'])).toBeGreaterThan(100_000);
  const socket = await server.socket(server.people.mel);
  socket.send({ type: 'request', id: 7, method: 'GET', path: '/openapi.json' });
  expect(await socket.frame('reply')).toMatchObject({
    id: 7,
    status: 200,
    body: { openapi: '3.1.0' },
  });
});

const named = ({ name }: { readonly name: string }) => name;

function operationOf(endpoint: Endpoint): Operation {
  const path = endpoint.path.replace('...}', '}');
  return document.paths[path]?.[endpoint.method.toLowerCase()] ?? expect.fail(nameOf(endpoint));
}
