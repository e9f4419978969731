import type { Endpoint } from './endpoint.ts';

/** Returns a name such as getMessagesByMessageId, for `GET /messages/{message_id}`. */
export const operationId = ({ method, path }: Pick<Endpoint, 'method' | 'path'>): string =>
  [method.toLowerCase(), ...path.replace(/\{/g, 'by_').split(/[^a-zA-Z0-9]+/)]
    .filter((word) => word !== '')
    .map((word, index) => (index === 0 ? word : `${word[0]?.toUpperCase()}${word.slice(1)}`))
    .join('');
