import http from 'node:http';
import { proxied } from '../../../src/operations/files/external-content.ts';
import { startServer, type TestServer } from '../start-server.ts';
import { type Serve, startSite, type TestSite } from './site.ts';

interface Shown {
  readonly server: TestServer;
  readonly site: TestSite;
}

/** A site that answers so, and a server that may fetch from it. */
export async function showing(serve: Serve, env: Record<string, string> = {}): Promise<Shown> {
  const site = await startSite(serve);
  const server = await startServer({
    channels: ['general'],
    env: { CONFAB_PREVIEW_PRIVATE_ADDRESSES: '1', ...env },
  });
  return { server, site };
}

/** The path by which this server hands out a URL. */
export const pathOf = (server: TestServer, url: string) => server.perform((tx) => proxied(tx, url));

interface Options {
  readonly method?: string;
  readonly host?: string;
  readonly headers?: Record<string, string>;
}

/** As anybody's browser would, without an account. */
export function open({ app }: TestServer, path: string, options: Options = {}) {
  const { method = 'GET', host = 'test.localhost', headers } = options;
  const { port } = app;
  return new Promise<http.IncomingMessage>((resolve, reject) => {
    http
      .request({
        host: '127.0.0.1',
        port,
        path,
        method,
        headers: { host, ...headers },
        agent: false,
      })
      .on('error', reject)
      .on('response', resolve)
      .end();
  });
}

export async function fetched(server: TestServer, path: string, options: Options = {}) {
  const response = await open(server, path, options);
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return {
    status: response.statusCode,
    headers: response.headers,
    body: Buffer.concat(chunks),
  };
}

export const PNG = Buffer.from('\x89PNG\r\n\x1a\n and so on', 'latin1');
