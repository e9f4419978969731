import http from 'node:http';
import type { Params } from './client.ts';

export interface PageView {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** Opens a page of the server as a browser would, or sends its form. */
export function openPage(
  url: string,
  { method = 'GET', form, host }: { method?: string; form?: Params; host?: string } = {},
): Promise<PageView> {
  const { hostname, port, pathname } = new URL(url);
  const body =
    form === undefined
      ? undefined
      : new URLSearchParams(
          Object.entries(form).map(([name, value]): [string, string] => [name, String(value)]),
        ).toString();
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        host: '127.0.0.1',
        port,
        method,
        path: pathname,
        agent: false,
        headers: {
          host: host ?? `${hostname}:${port}`,
          ...(body === undefined
            ? {}
            : {
                'content-type': 'application/x-www-form-urlencoded',
                'content-length': Buffer.byteLength(body),
              }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
