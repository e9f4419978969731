import http from 'node:http';
import { basic, type Params } from '../client.ts';
import type { Person } from '../users.ts';

interface PageView {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  readonly body: Buffer;
}

interface Opening {
  readonly method?: string;
  readonly form?: Params;
  readonly host?: string;
  /** The person whose credentials are sent; browsers send none. */
  readonly as?: Person;
  /** Further headers; browsers send more than are needed for most pages. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Opens a page of the server as a browser would, or sends its form. The path is sent as it is. */
export function openPage(
  url: string,
  { method = 'GET', form, host, as, headers = {} }: Opening = {},
): Promise<PageView> {
  const { hostname, port, origin } = new URL(url);
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
        path: url.slice(origin.length),
        agent: false,
        headers: {
          host: host ?? `${hostname}:${port}`,
          accept: 'text/html',
          ...headers,
          ...(as === undefined ? {} : { authorization: basic(as) }),
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
          const body = Buffer.concat(chunks);
          const { statusCode: status = 0, headers } = response;
          resolve({ status, headers, body, text: body.toString('utf8') });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
