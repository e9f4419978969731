import type { Method } from '../calls.ts';
import { type Fields, NetworkError } from '../errors.ts';
import { scoped } from '../scope.ts';

/** Lets the client in: an API key, or the cookie that the browser keeps for the server. */
export type Credentials = { readonly email: string; readonly key: string } | 'cookie';

/** Fields of a request; a value that is no text is sent as JSON, and `undefined` is left out. */
export type Params = Readonly<Record<string, unknown>>;

export interface Request {
  readonly method: Method;
  /** Begins behind `/api/v1`. */
  readonly path: string;
  /** A form with files goes over HTTP in any case. */
  readonly params: Params | FormData;
  readonly idempotencyKey?: string | undefined;
}

export interface Reply {
  readonly status: number;
  readonly body: Fields;
  /** The header `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;
}

export interface HttpInput {
  readonly url: string;
  readonly credentials: Credentials;
  readonly fetch: typeof fetch;
}

export interface RequestLimits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export const API_PREFIX = '/api/v1';

/** Returns a function for HTTP requests. It throws a `NetworkError` if no answer comes. */
export function openHttp({ url, credentials, fetch }: HttpInput) {
  const base = `${url.replace(/\/+$/, '')}${API_PREFIX}`;
  const authorization =
    credentials === 'cookie' ? {} : { authorization: `Basic ${base64(credentials)}` };

  return async (request: Request, limits: RequestLimits): Promise<Reply> => {
    const { method, path, params, idempotencyKey } = request;
    const isQuery = method === 'GET' && !(params instanceof FormData);
    const body = params instanceof FormData ? params : formOf(params);
    const query = isQuery && `${body}` !== '' ? `?${body}` : '';
    const { signal, timeoutMs: ms } = limits;
    try {
      return await scoped({ signal, ms }, async (own) =>
        replyOf(
          await fetch(`${base}${path}${query}`, {
            method,
            headers: {
              ...authorization,
              ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
            },
            credentials: credentials === 'cookie' ? 'same-origin' : 'omit',
            signal: own,
            ...(isQuery ? {} : { body }),
          }),
        ),
      );
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof NetworkError) throw error;
      throw new NetworkError(textOf(error), outcomeOf(error), error);
    }
  };
}

export type Http = ReturnType<typeof openHttp>;

async function replyOf(response: Response): Promise<Reply> {
  const { status } = response;
  const body: unknown = await response.json().catch((error: unknown) => {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  });
  const isOfServer = typeof body === 'object' && body !== null && 'result' in body;
  // A proxy that has lost its server, or a page that asks for a log-in to the network.
  if (!isOfServer && status !== 429 && status !== 503) {
    throw new NetworkError(`Something else than the server answered, with ${status}`, 'unknown');
  }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return {
    status,
    body: isOfServer ? (body as Fields) : {},
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined,
  };
}

function formOf(params: Params): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined)
      form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return form;
}

/** Returns `email:key` in base64. */
export function base64({ email, key }: Exclude<Credentials, 'cookie'>): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(`${email}:${key}`)));
}

const textOf = (error: unknown) =>
  `The server was not reached: ${error instanceof Error ? error.message : String(error)}`;

/** Tells by the codes of Node that no connection was made. Browsers say nothing of that. */
function outcomeOf(error: unknown): NetworkError['outcome'] {
  const code = (error as { cause?: { code?: unknown } } | null)?.cause?.code;
  return NOT_CONNECTED.includes(String(code)) ? 'not-sent' : 'unknown';
}

const NOT_CONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];
