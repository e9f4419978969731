import { type Endpoint, endpoint, type JsonDocument } from '../endpoint.ts';
import { openApiDocument } from './openapi.ts';

/** The document of all endpoints, itself among them; made when it is first asked for. */
export function getOpenApi(others: readonly Endpoint[]): Endpoint {
  let document: JsonDocument | undefined;
  const self = endpoint({
    summary: 'Get this document',
    description: 'OpenAPI 3.1, as it is: without the envelope of other answers.',
    method: 'GET',
    path: '/openapi.json',
    params: {},
    document: () => {
      document ??= asDocument(openApiDocument([...others, self]));
      return document;
    },
  });
  return self;
}

const asDocument = (value: JsonDocument['value']): JsonDocument => ({
  value,
  text: `${JSON.stringify(value)}\n`,
});
