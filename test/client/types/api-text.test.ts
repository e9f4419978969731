import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
// biome-ignore lint/correctness/useImportExtensions: its types are beside it, in a file of another name.
import { apiText } from '../../../client/types/api-text.mjs';
import { ERROR_FIELDS } from '../../../src/domain/wire/error-fields.ts';
import { openApiDocument } from '../../../src/endpoints/documents/openapi.ts';
import { ENDPOINTS } from '../../../src/endpoints/index.ts';
import { EVENT_KINDS } from '../../../src/events/events.ts';

const text = apiText(openApiDocument(ENDPOINTS));

/** Returns the names of the fields of an interface. */
function fieldsOf(name: string): string[] {
  const [, body = ''] =
    new RegExp(`export interface ${name} \\{\\n(.*?)\\n\\}`, 's').exec(text) ?? [];
  return Array.from(
    body.matchAll(/^ {2}(?:'([^']+)'|(\w+))\??: /gm),
    ([, inQuotes, plain = '']) => inQuotes ?? plain,
  );
}

test('every kind of event has a type', () => {
  expect(fieldsOf('Events').toSorted()).toEqual(EVENT_KINDS.toSorted());
});

test('every error has a type', () => {
  expect(fieldsOf('ErrorFields').toSorted()).toEqual(Object.keys(ERROR_FIELDS).toSorted());
});

test('every call has a type, except those that take files, and the document itself', () => {
  const expected = ENDPOINTS.filter(
    (endpoint) => endpoint.streams !== true && !('document' in endpoint),
  ).map(({ method, path }) => `${method} ${path.replace('...}', '}')}`);
  expect(fieldsOf('Calls').toSorted()).toEqual(expected.toSorted());
});

test('the type of every parameter is known, except of what only widgets understand', () => {
  const calls = text.slice(text.indexOf('export interface Calls'));
  const sent = Array.from(calls.matchAll(/^ {4}params: \{\n(.*?)^ {4}\};/gms), ([all]) => all);
  expect(sent.length).toBeGreaterThan(100);
  const unknown = sent.flatMap((params) => params.match(/^ {6}\w.*\bunknown\b.*$/gm) ?? []);
  expect(unknown.map((line) => line.trim())).toEqual(['widget_content?: unknown | undefined;']);
});

test('the types are those of the document of the build, and no larger than they need be', () => {
  const built = JSON.parse(readFileSync(join(inject('dist'), 'bundle', 'openapi.json'), 'utf8'));
  expect(apiText(built)).toBe(text);
  // 200 KB were 203 KB on 2026-11-26; openapi-typescript writes 1.1 MB.
  expect(text.length).toBeLessThan(250_000);
});
