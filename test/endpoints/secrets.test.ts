import { expect, test } from 'vitest';
import { openApiDocument } from '../../src/endpoints/documents/openapi.ts';
import { ENDPOINTS } from '../../src/endpoints/index.ts';
import { openSecrets } from '../../src/endpoints/secrets.ts';

/** Names that may be those of secrets. */
const SUSPECT = /key|token|secret|password|link|credential|cookie|code$/i;

/** Names that are suspect, of fields that anybody may know who may read the rest of the reply. */
const KNOWN = new Set([
  'topic_links',
  'realm_linkifiers',
  'linkifiers',
  'emoji_code',
  'error_code',
  'key', // of an option of settings, and of an emoji set
  'service_password_reset_enabled', // whether there is a mail server
  'giphy_api_key', // a public one, for pages of browsers
  'passkeys', // their names and times
  'asks_password', // whether a change asks for one
  'application_server_key', // the public half of the key for web push
  'api_keys', // ids and times of keys, without the keys
  'has_zoom_token',
  'password_min_length',
  'password_max_length',
  'password_min_guesses',
  'realm_password_auth_enabled',
  'code', // of a refusal that is a success
]);

/** Endpoints whose suspect field is empty, or something else. */
const HARMLESS = new Set([
  'GET /bots', // `api_key` is empty: only a hash of it is stored
]);

type Json = Readonly<Record<string, unknown>>;

const document = openApiDocument(ENDPOINTS) as unknown as Json;

const at = (path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Json | undefined)?.[name], document);

/** Returns the names of the fields of a schema, at any depth. */
function fieldsOf(schema: unknown, found = new Set<string>(), seen = new Set<string>()) {
  if (typeof schema !== 'object' || schema === null) return found;
  const { $ref: reference } = schema as { $ref?: string };
  if (reference !== undefined && !seen.has(reference)) {
    seen.add(reference);
    fieldsOf(at(reference.split('/').slice(1)), found, seen);
  }
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'properties') for (const field of Object.keys(value as Json)) found.add(field);
    fieldsOf(value, found, seen);
  }
  return found;
}

test('each endpoint whose reply has a field like a secret says that it holds one', () => {
  const silent = ENDPOINTS.flatMap(({ method, path, holdsSecret }) => {
    const name = `${method} ${path}`;
    const operation = ['paths', path, method.toLowerCase(), 'responses', '200'];
    const suspects = [...fieldsOf(at(operation))].filter(
      (field) => SUSPECT.test(field) && !KNOWN.has(field),
    );
    if (holdsSecret !== undefined || suspects.length === 0 || HARMLESS.has(name)) return [];
    return [`${name}: ${suspects.join(', ')}`];
  });
  expect(silent).toEqual([]);
  expect(fieldsOf(at(['paths', '/register', 'post', 'responses', '200']))).toContain('token');
});

test('a temporary address of a file is a secret as well, and so are events', () => {
  const secret = ENDPOINTS.filter(({ holdsSecret }) => holdsSecret !== undefined);
  expect(secret.map(({ method, path }) => `${method} ${path}`)).toEqual(
    expect.arrayContaining(['GET /user_uploads/{realm_id}/{path...}', 'GET /events']),
  );
});

test('a snapshot holds a secret if a bot has a service', () => {
  const holds = openSecrets(ENDPOINTS);
  const register = ENDPOINTS.findIndex(({ path }) => path === '/register');
  const bot = (services: readonly object[]) => ({ user_id: 1, services });
  expect(holds(register, {})).toBe(false);
  expect(holds(register, { realm_bots: [] })).toBe(false);
  expect(holds(register, { realm_bots: [bot([])] })).toBe(false);
  expect(holds(register, { realm_bots: [bot([]), bot([{ token: 'x' }])] })).toBe(true);
  expect(holds(-1, { realm_bots: [bot([{ token: 'x' }])] })).toBe(false);
});
