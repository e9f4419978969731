import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { open } from 'lmdb';
import { app, serve } from './bare-server.ts';

// The least that a server on uWebSockets.js and LMDB can do to answer the same bytes: it compares
// the credentials, and gives an answer as it is, or reads its rows, makes JSON of them and gives
// that.

const { values } = parseArgs({
  options: { data: { type: 'string', default: '' }, answers: { type: 'string', default: '' } },
});

/** It gives these answers, as confab gave them. */
export interface Answers {
  readonly authorization: string;
  readonly fixed: readonly { readonly path: string; readonly body: string }[];
  /** An answer that is read from rows, each time. */
  readonly rows: {
    readonly path: string;
    readonly envelope: Readonly<Record<string, unknown>>;
    /** The field that has them. */
    readonly name: string;
    readonly rows: readonly unknown[];
  };
}

const answers = JSON.parse(readFileSync(values.answers, 'utf8')) as Answers;
const bodies = new Map(answers.fixed.map(({ path, body }) => [path, body]));
const rows = open<unknown, number[]>({ path: values.data });
await Promise.all(answers.rows.rows.map((row, index) => rows.put([1, index], row)));

app.get('/*', (response, request) => {
  // Without a query it is undefined, whatever its type says.
  const query = request.getQuery() || undefined;
  const path = query === undefined ? request.getUrl() : `${request.getUrl()}?${query}`;
  const isAllowed = request.getHeader('authorization') === answers.authorization;
  const body = path === answers.rows.path ? rowsBody() : bodies.get(path);
  response.cork(() => {
    if (!isAllowed || body === undefined) return response.writeStatus('404 Not Found').end();
    response.writeHeader('content-type', 'application/json').end(body);
  });
});

function rowsBody(): string {
  const { name, envelope } = answers.rows;
  const list = Array.from(rows.getRange({ start: [1, 0], end: [2, 0] }), ({ value }) => value);
  return JSON.stringify({ ...envelope, [name]: list });
}

serve();
