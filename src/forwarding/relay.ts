import { timingSafeEqual } from 'node:crypto';
import { request as ask, type ClientRequest, type IncomingMessage } from 'node:http';
import type { ServerSettings } from '../config.ts';
import type { RequestHost } from '../domain/request-host.ts';
import { type ApiError, badRequest, serverStopping } from '../domain/wire/errors.ts';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { CHANGING_PAGES } from '../endpoints/pages/dispatch-pages.ts';
import { failure, statusLine } from '../transport/answers/reply.ts';
import { standingHeaders } from '../transport/answers/standing-headers.ts';
import { addressOf } from '../transport/connections/addresses.ts';
import {
  type Forwarded,
  openForwardedHosts,
  type TrustedProxies,
  trustedProxies,
} from '../transport/connections/forwarding.ts';
import type { HttpRequest, HttpResponse, TemplatedApp } from '../transport/library/sockets.ts';
import { API_PREFIX } from '../transport/requests/api.ts';

/** The listener of the writer, which only gateways know, or that of another node. */
export interface RelayTarget {
  /** By default this machine. */
  readonly host?: string;
  readonly port: number;
  readonly secret: string;
}

/** Names the client of a request that a gateway relays, and proves that it is a gateway. */
export const GATEWAY_HEADER = 'x-gateway';

interface Relayed {
  readonly secret: string;
  readonly address: string;
  readonly host: RequestHost;
  readonly isTls: boolean;
}

/** Headers about one connection (RFC 9110, 7.6.1), and those that are set again here. */
export const OWN_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  GATEWAY_HEADER,
]);

/** No answer that is relayed is larger: they are pages, and replies to uploads. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

interface RelayInput {
  /** Returns who writes the realm of a host: null for this process, undefined for nobody now. */
  readonly targetOf: (host: RequestHost, isRelayed: boolean) => RelayTarget | null | undefined;
  readonly proxies: TrustedProxies | null;
  /** True if clients of this listener speak TLS. */
  readonly isTls: boolean;
}

/**
 * Passes requests on to the writer as they arrive: uploads, and pages that change something. They
 * are seldom, and their bodies may be large.
 */
export function mountRelay(app: TemplatedApp, patterns: readonly string[], input: RelayInput) {
  for (const pattern of patterns) app.any(pattern, (res, req) => relay(res, req, input));
}

/** Returns the paths that are relayed, in the form of the library. */
export const relayPatterns = (
  endpoints: readonly Endpoint[],
  /** True if large bodies are relayed as well, because they do not fit into a message. */
  { withBodies = false } = {},
): readonly string[] =>
  [
    ...new Set([
      ...endpoints
        .filter(
          ({ streams, takesFile, takesMuch }) =>
            streams || (withBodies && (takesFile || takesMuch)),
        )
        .map(({ path }) => `${API_PREFIX}${path}`),
      ...CHANGING_PAGES.map(({ path }) => path),
      `${API_PREFIX}/tus`,
      `${API_PREFIX}/tus/*`,
    ]),
  ].map((path) => path.replaceAll(/\{([a-z_]+)\}/g, ':$1'));

function relay(res: HttpResponse, req: HttpRequest, input: RelayInput) {
  // `getMethod` would write it in small letters for the handler that comes after this one, too.
  const isHead = req.getCaseSensitiveMethod() === 'HEAD';
  const relayed = relayedOf(res, req, input);
  const target = input.targetOf(relayed.host, req.getHeader(GATEWAY_HEADER) !== '');
  // The next handler of the path serves it.
  if (target === null) return void req.setYield(true);
  const asked = target === undefined ? null : passedOn(req, target, relayed);
  let isOpen = true;
  const end = (write: () => void) => {
    if (!isOpen) return;
    isOpen = false;
    res.cork(write);
  };
  const refuse = (error: ApiError) => end(() => writeRefusal(res, error));
  /** The writer has ended, and nobody knows what it did: the client gets no answer. */
  const drop = () => {
    if (!isOpen) return;
    isOpen = false;
    res.close();
  };
  res.onAborted(() => {
    isOpen = false;
    asked?.destroy();
  });
  if (target === undefined) return refuse(serverStopping());
  if (asked === null) return refuse(badRequest('The request has a header that is not valid'));
  res.onData((chunk, isLast) => {
    // The library takes the bytes back when this returns.
    const bytes = Buffer.from(new Uint8Array(chunk));
    if (isLast) return void asked.end(bytes);
    if (asked.write(bytes)) return;
    res.pause();
    asked.once('drain', () => {
      if (isOpen) res.resume();
    });
  });
  asked.on('response', (answer) => {
    void whole(answer).then(
      (body) => end(() => writeAnswer(res, answer, isHead ? null : body)),
      drop,
    );
  });
  asked.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED') refuse(serverStopping());
    else drop();
  });
}

function relayedOf(
  res: HttpResponse,
  req: HttpRequest,
  { proxies, isTls }: RelayInput,
): Omit<Relayed, 'secret'> {
  const forwarded = proxies?.forwarding(res, req) ?? null;
  const name = req.getHeader('host');
  return {
    address: forwarded?.address || addressOf(res),
    host: forwarded === null ? name : forwarded.hostOf(name),
    isTls: forwarded?.isTls ?? isTls,
  };
}

/** Returns the header that names the client of a request that is passed on. */
export function nameClient(secret: string, from: Omit<Relayed, 'secret'>): string {
  const relayed: Relayed = { secret, ...from };
  return Buffer.from(JSON.stringify(relayed)).toString('base64');
}

/** Begins the request to the writer; returns null if Node does not send what the client sent. */
function passedOn(
  req: HttpRequest,
  target: RelayTarget,
  from: Omit<Relayed, 'secret'>,
): ClientRequest | null {
  const headers: Record<string, string | string[]> = {};
  req.forEach((name, value) => {
    if (OWN_HEADERS.has(name)) return;
    const former = headers[name];
    headers[name] = former === undefined ? value : [former, value].flat();
  });
  const length = req.getHeader('content-length');
  if (length !== '') headers['content-length'] = length;
  headers[GATEWAY_HEADER] = nameClient(target.secret, from);
  const query = req.getQuery() ?? '';
  const method = req.getMethod().toUpperCase();
  const path = `${req.getUrl()}${query === '' ? '' : `?${query}`}`;
  try {
    const { host = '127.0.0.1', port } = target;
    return ask({ host, port, method, path, headers });
  } catch {
    return null;
  }
}

async function whole(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error('the answer is too large to be relayed');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Written by the library itself, or about the connection to the writer. */
export const UNWRITTEN: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'date',
  'uwebsockets',
]);

/** Writes the answer of the writer; without its body, which is null, for a HEAD. */
function writeAnswer(res: HttpResponse, answer: IncomingMessage, body: Buffer | null) {
  const { statusCode = 502, statusMessage = '', headers } = answer;
  res.writeStatus(`${statusCode} ${statusMessage}`);
  for (const [name, value] of Object.entries(headers)) {
    if (UNWRITTEN.has(name) || value === undefined) continue;
    for (const one of [value].flat()) res.writeHeader(name, one);
  }
  if (body !== null) return void res.end(body);
  // With a length of its own the library would wait for a body (`transport/answers/writing.ts`).
  const length = headers['content-length'];
  if (length !== undefined) res.writeHeader('Content-Length', length);
  res.endWithoutBody();
}

export function writeRefusal(res: HttpResponse, error: ApiError) {
  const { status, body } = failure(error, () => '');
  res.writeStatus(statusLine(status));
  res.writeHeader('Content-Type', 'application/json');
  res.end(`${JSON.stringify(body)}\n`);
}

/** Reads what gateways say of the clients whose requests they relay; nobody else is believed. */
export function fromGateways(secret: string, allowedOrigins: readonly string[]): TrustedProxies {
  const right = Buffer.from(secret);
  const forwardedHost = openForwardedHosts();
  const isRight = (given: string) => {
    const bytes = Buffer.from(given);
    return bytes.length === right.length && timingSafeEqual(bytes, right);
  };
  return {
    standing: standingHeaders({ isTls: true, allowedOrigins }),
    forwarding(_, req): Forwarded | null {
      const header = req.getHeader(GATEWAY_HEADER);
      if (header === '') return null;
      try {
        const said = JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as Relayed;
        if (!isRight(said.secret)) return null;
        const { address, host, isTls } = said;
        const named =
          typeof host === 'string' ? host : forwardedHost(host.name, host.isVouched, host.isTls);
        return { address, isTls, hostOf: () => named };
      } catch {
        return null;
      }
    },
  };
}

/** Believes the other nodes of a cluster, and the proxies of the settings. */
export function orOfNodes(
  secret: string,
  { trustedProxies: trusted, allowedOrigins }: Pick<ServerSettings, RelaySettings>,
): TrustedProxies {
  const nodes = fromGateways(secret, allowedOrigins);
  const proxies = trustedProxies(trusted, allowedOrigins);
  return {
    ...nodes,
    forwarding: (res, req) => nodes.forwarding(res, req) ?? proxies?.forwarding(res, req) ?? null,
  };
}

type RelaySettings = 'trustedProxies' | 'allowedOrigins';
