import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface HeardRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

export interface Answer {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Nothing is answered at all. */
  readonly isSilent?: true;
}

/** Somebody else's server on this machine: hears what is sent to it and answers as it is told. */
export interface TestListener {
  readonly url: string;
  /** Everything heard so far. */
  readonly heard: readonly HeardRequest[];
  /** Waits for the next request that was not taken yet. */
  next(): Promise<HeardRequest>;
}

export async function startListener(
  answer: (request: HeardRequest, count: number) => Answer,
): Promise<TestListener> {
  const heard: HeardRequest[] = [];
  const waiting: ((request: HeardRequest) => void)[] = [];
  let taken = 0;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const body = Buffer.concat(chunks).toString('utf8');
      const one = { method, path: url, headers, body };
      heard.push(one);
      const given = answer(one, heard.length);
      if (!given.isSilent) {
        response.writeHead(given.status ?? 200, given.headers).end(given.body ?? '');
      }
      const next = waiting.shift();
      if (next === undefined) return;
      taken += 1;
      next(one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // of a server that listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    next() {
      const one = heard[taken];
      if (one === undefined) return new Promise((resolve) => waiting.push(resolve));
      taken += 1;
      return Promise.resolve(one);
    },
  };
}
