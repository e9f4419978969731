import http from 'node:http';
import { basic } from '../client.ts';
import type { Person } from '../users.ts';

/** An answer as it came, before anything is unpacked. */
export interface Fetched {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  /** The port of the client, by which its connection is told. */
  readonly clientPort: number | undefined;
}

interface Addressed {
  readonly app: { readonly port: number };
}

interface Fetching {
  readonly method?: string;
  readonly as?: Person;
  readonly headers?: http.OutgoingHttpHeaders;
  readonly form?: Readonly<Record<string, string>>;
  /** By default each request has a connection of its own. */
  readonly agent?: http.Agent;
}

/** Fetches a path from the root of a server; no header is sent but those that are given. */
export function fetched(
  { app }: Addressed,
  path: string,
  { method = 'GET', as, headers = {}, form, agent }: Fetching = {},
): Promise<Fetched> {
  const { port } = app;
  const body = form === undefined ? undefined : new URLSearchParams(form).toString();
  const sent = {
    host: `test.localhost:${port}`,
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
      { host: '127.0.0.1', port, path, method, headers: sent, agent: agent ?? false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        const { statusCode: status = 0, headers, socket } = response;
        const { localPort: clientPort } = socket;
        response.on('end', () => {
          resolve({ status, headers, body: Buffer.concat(chunks), clientPort });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
