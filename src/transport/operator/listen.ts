import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Health } from '../../metrics/health.ts';
import type { Exposition } from '../../metrics/registry.ts';
import type { OperatorAddress } from '../../settings/operator-listener.ts';
import { ListenError } from '../connections/ports.ts';

/** The listener for the operator of the server, apart from the one for clients. */
export interface OperatorListener {
  /** `http://host:port`, or the path of the socket. */
  readonly url: string;
  close(): void;
}

export interface OperatorInput {
  readonly exposition: Exposition;
  readonly health: () => Health;
  /** The token that is asked for; null: only this machine reaches the address. */
  readonly token: string | null;
  /** Answers what is below `/console`, and decides itself who may see it. */
  readonly serveConsole: (req: IncomingMessage, res: ServerResponse) => void;
  /** Called when a scrape met a bug. */
  readonly onBug: (error: unknown) => void;
}

/** Only the operator's programs and browsers ask here, and the console bounds its bodies. */
const REQUEST_MS_MAX = 10_000;
const CONNECTIONS_MAX = 64;
const HEAD_BYTES_MAX = 8 * 1024;

/**
 * Opens the listener. It is Node's own server: it takes the path of a socket as well, and what is
 * asked here must not share bounds with clients. Rejects if the address is not available.
 */
export async function listenForOperator(
  address: OperatorAddress,
  input: OperatorInput,
): Promise<OperatorListener> {
  const wanted = input.token === null ? null : digestOf(input.token);
  const server = createServer({ maxHeaderSize: HEAD_BYTES_MAX }, (req, res) => {
    if (CONSOLE.test(req.url ?? '')) return input.serveConsole(req, res);
    if (wanted !== null && !isBearer(req.headers.authorization, wanted)) {
      return answer(res, 401, { body: 'A bearer token is needed\n', challenge: 'Bearer' });
    }
    serve(req, res, input);
  });
  server.requestTimeout = REQUEST_MS_MAX;
  server.headersTimeout = REQUEST_MS_MAX;
  server.maxConnections = CONNECTIONS_MAX;
  await listening(server, address);
  return {
    url: urlOf(server, address),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const CONSOLE = /^\/console(?=[/?]|$)/;

function listening(server: Server, { path, host, port }: OperatorAddress): Promise<void> {
  // A socket that a killed server has left could not be listened on again.
  if (path !== null) rmSync(path, { force: true });
  return new Promise((resolve, reject) => {
    server.once('error', ({ message }) =>
      reject(new ListenError(`cannot listen for the operator: ${message}`)),
    );
    server.listen(path === null ? { host, port } : { path }, resolve);
  });
}

function urlOf(server: Server, { path, host }: OperatorAddress): string {
  if (path !== null) return path;
  const { port } = server.address() as AddressInfo; // a server on a port has one
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Returns the token of the listener; null: none is asked for. */
export const operatorToken = ({ tokenFile }: OperatorAddress): string | null =>
  tokenFile === null ? null : tokenIn(tokenFile);

/** Returns the token of the file without the end of its line. */
function tokenIn(file: string): string {
  let token: string;
  try {
    token = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new ListenError(`CONFAB_OPERATOR_TOKEN_FILE cannot be read: ${(error as Error).message}`);
  }
  if (token === '') throw new ListenError('CONFAB_OPERATOR_TOKEN_FILE is empty');
  return token;
}

/** Hashes make both sides equally long, so that the comparison takes the same time for any. */
const digestOf = (token: string) => createHash('sha256').update(token).digest();

function isBearer(header: string | undefined, wanted: Buffer): boolean {
  const [, token = ''] = /^Bearer +(\S+)$/i.exec(header ?? '') ?? [];
  return timingSafeEqual(digestOf(token), wanted);
}

const TEXT = 'text/plain; charset=utf-8';

function serve(req: IncomingMessage, res: ServerResponse, input: OperatorInput) {
  const [path, query = ''] = (req.url ?? '').split('?', 2);
  if (req.method !== 'GET' && req.method !== 'HEAD') return answer(res, 405, { body: '' });
  if (path === '/livez') return answer(res, 200, { body: 'ok\n' });
  if (path === '/readyz') return answerReadiness(res, input, query);
  if (path !== '/metrics') return answer(res, 404, { body: 'There is nothing here\n' });
  input.exposition.text().then(
    (body) => answer(res, 200, { body, type: input.exposition.contentType }),
    (error) => {
      input.onBug(error);
      answer(res, 500, { body: 'Internal server error\n' });
    },
  );
}

function answerReadiness(res: ServerResponse, { health }: OperatorInput, query: string) {
  const judged = health();
  const status = judged.isReady ? 200 : 503;
  if (!new URLSearchParams(query).has('verbose')) {
    return answer(res, status, { body: readyText(judged) });
  }
  answer(res, status, { body: `${JSON.stringify(judged)}\n`, type: 'application/json' });
}

/** The answer of `/readyz` to strangers, which says nothing about why. */
const readyText = ({ isReady }: Health) => (isReady ? 'ok\n' : 'not ready\n');

interface Reply {
  readonly body: string;
  readonly type?: string;
  readonly challenge?: string;
}

function answer(res: ServerResponse, status: number, { body, type = TEXT, challenge }: Reply) {
  res.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...(challenge !== undefined && { 'WWW-Authenticate': challenge }),
  });
  res.end(body);
}
