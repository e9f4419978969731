import { existsSync, readFileSync } from 'node:fs';
import { type Endpoint, endpoint, type JsonDocument } from '../endpoint.ts';
import { type Examples, readExamples } from './examples.ts';
import { openApiDocument } from './openapi.ts';
import { withExamples } from './with-examples.ts';

/**
 * The build writes the document beside the bundle, because making it takes most of a second of the
 * only thread. Beside the sources, which tests and tools run, there is no such file.
 */
const BUILT = new URL('openapi.json', import.meta.url);

/** Declares the endpoint for the document of all endpoints, itself included. */
export function getOpenApi(others: readonly Endpoint[]): Endpoint {
  let document: JsonDocument | undefined;
  const self = endpoint({
    summary: 'Get this document',
    description: 'OpenAPI 3.1, as it is: without the envelope of other answers.',
    method: 'GET',
    path: '/openapi.json',
    params: {},
    document: () => {
      document ??= documentOf(
        existsSync(BUILT) ? readFileSync(BUILT) : openApiBytes([...others, self], readExamples()),
      );
      return document;
    },
  });
  return self;
}

/** Encodes the document as it is served, and as the build writes it. */
export const openApiBytes = (endpoints: readonly Endpoint[], examples: Examples): Buffer =>
  Buffer.from(`${JSON.stringify(withExamples(openApiDocument(endpoints), examples))}\n`);

function documentOf(bytes: Buffer): JsonDocument {
  let value: JsonDocument['value'] | undefined;
  return {
    bytes,
    // Only sockets need the value, which they send within a frame.
    get value() {
      value ??= JSON.parse(bytes.toString()) as JsonDocument['value'];
      return value;
    },
  };
}
