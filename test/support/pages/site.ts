import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Somebody else's site on this machine; what it serves is written in the test. */
export interface TestSite {
  readonly url: string;
  readonly port: number;
  /** The paths of the requests, in order. */
  readonly requests: readonly string[];
  /** The headers of the last request. */
  readonly headers: () => http.IncomingHttpHeaders;
}

export type Serve = (
  path: string,
  response: http.ServerResponse,
  request: http.IncomingMessage,
) => void;

export async function startSite(serve: Serve): Promise<TestSite> {
  const requests: string[] = [];
  let headers: http.IncomingHttpHeaders = {};
  const server = http.createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    headers = request.headers;
    serve(path, response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // of a server that listens on a port
  return { url: `http://127.0.0.1:${port}`, port, requests, headers: () => headers };
}
