import http from 'node:http';
import { basic } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';

/** An answer as it came, before anything is unpacked. */
export interface Fetched {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Fetching {
  readonly method?: string;
  readonly as?: Person;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly form?: Readonly<Record<string, string>>;
}

/** Fetches a path from the root of a server; no header is sent but those that are given. */
export function fetched(
  { app, addressed = 'test.localhost' }: Pick<TestServer, 'app'> & { readonly addressed?: string },
  path: string,
  { method = 'GET', as, headers = {}, form }: Fetching = {},
): Promise<Fetched> {
  const { port } = app;
  const body = form === undefined ? undefined : new URLSearchParams(form).toString();
  const sent = {
    host: `${addressed}:${port}`,
    ...(as === undefined ? {} : { authorization: basic(as) }),
    ...(body === undefined
      ? {}
      : {
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(body),
        }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const request = http.request(
      { host: '127.0.0.1', port, path, method, headers: sent, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode: status = 0 } = response;
          resolve({ status, headers: response.headers, body: Buffer.concat(chunks) });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
