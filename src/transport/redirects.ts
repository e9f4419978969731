import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ListenError } from './connections/ports.ts';

interface RedirectsInput {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Returns the HTTPS origin of one of the server's own hosts; undefined for any other host. */
  readonly originOf: (hostname: string) => string | undefined;
  /** Returns the answer to a challenge of a certificate authority (RFC 8555, 8.3). */
  readonly challengeOf: (token: string) => string | undefined;
}

export interface Redirects {
  readonly port: number;
  close(): void;
}

const CHALLENGES = '/.well-known/acme-challenge/';
/** A request here has no body that is read, so its head has to come soon. */
const HEAD_MS_MAX = 10_000;
const HEAD_BYTES_MAX = 16 * 1024;
/** Each is answered at once and closed; beyond, connections are closed without an answer. */
const CONNECTIONS_MAX = 256;

/**
 * Opens the port for plain HTTP. It sends clients to the same path by HTTPS, and only to own hosts:
 * otherwise anybody could make links that seem to lead here and lead elsewhere.
 */
export function listenForRedirects(input: RedirectsInput): Promise<Redirects> {
  const { host, port } = input;
  const server = createServer({ maxHeaderSize: HEAD_BYTES_MAX }, (request, reply) =>
    answer(request, reply, input),
  );
  server.headersTimeout = HEAD_MS_MAX;
  server.requestTimeout = HEAD_MS_MAX;
  server.maxConnections = CONNECTIONS_MAX;
  return new Promise((resolve, reject) => {
    server.on('error', ({ message }) =>
      reject(new ListenError(`cannot listen on ${host}:${port} for redirects: ${message}`)),
    );
    server.listen({ host, port }, () =>
      resolve({
        port: (server.address() as AddressInfo).port, // the address of a TCP server has a port
        close() {
          server.close();
          server.closeAllConnections();
        },
      }),
    );
  });
}

function answer(request: IncomingMessage, reply: ServerResponse, input: RedirectsInput) {
  reply.setHeader('Connection', 'close');
  reply.setHeader('Content-Type', 'text/plain; charset=utf-8');
  reply.setHeader('X-Content-Type-Options', 'nosniff');
  const { url = '', headers } = request;
  if (url.startsWith(CHALLENGES)) {
    const text = input.challengeOf(url.slice(CHALLENGES.length));
    return text === undefined ? refuse(reply) : void reply.end(text);
  }
  const origin = url.startsWith('/') ? originOf(headers.host, input) : undefined;
  if (origin === undefined) return refuse(reply);
  reply.writeHead(308, { Location: `${origin}${url}` });
  reply.end(`This is at ${origin}\n`);
}

function originOf(host: string | undefined, input: RedirectsInput): string | undefined {
  if (host === undefined || !URL.canParse(`http://${host}`)) return undefined;
  return input.originOf(new URL(`http://${host}`).hostname);
}

function refuse(reply: ServerResponse) {
  reply.statusCode = 404;
  reply.end('This server has no such address\n');
}
