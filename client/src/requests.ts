import type { Connection } from './connection/connection.ts';
import type { Http, Reply, Request } from './connection/http.ts';
import { ApiError, type Fields, NetworkError } from './errors.ts';
import { Gate } from './gate.ts';
import { HTTP_REQUESTS_MAX, PATIENCE_MS, SOCKET_REQUESTS_MAX, type Timing } from './limits.ts';
import { backoff, pause } from './pause.ts';

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** How long the call may wait, all in all, for a server that is busy or away. */
  readonly patienceMs?: number;
  /**
   * Tells that carrying the request out twice is the same as once, so that it is repeated when its
   * answer was lost. That holds for GET by itself.
   */
  readonly isRepeatable?: boolean;
  /** A key by which the server knows a repeated `POST /messages` again. */
  readonly idempotencyKey?: string;
}

export interface RequestsInput {
  readonly http: Http;
  readonly connection: Pick<Connection, 'ask'>;
  readonly timing: Timing;
  readonly random: () => number;
  readonly now: () => number;
  readonly isUp: () => boolean;
  /** Resolves when the connection is up. */
  readonly whenUp: (signal: AbortSignal) => Promise<void>;
}

/**
 * Makes requests over the socket or by HTTP, waits for a server that asks for it, and repeats what
 * may be repeated.
 */
export class Requests {
  private readonly input: RequestsInput;
  private readonly overSocket = new Gate(SOCKET_REQUESTS_MAX);
  private readonly overHttp = new Gate(HTTP_REQUESTS_MAX);

  constructor(input: RequestsInput) {
    this.input = input;
  }

  /** Returns the fields of the answer, or throws an `ApiError` or a `NetworkError`. */
  async call(request: Request, options: CallOptions = {}): Promise<Fields> {
    const { now } = this.input;
    const { signal, patienceMs = PATIENCE_MS } = options;
    const until = now() + patienceMs;
    for (let failures = 0; ; failures += 1) {
      signal?.throwIfAborted();
      try {
        return await this.once(request, signal);
      } catch (error) {
        signal?.throwIfAborted();
        const ms = this.pauseAfter(error, { failures, isRepeatable: mayRepeat(request, options) });
        if (ms === undefined || now() + ms > until) throw error;
        await this.wait(ms, { isForNetwork: error instanceof NetworkError, signal });
      }
    }
  }

  /** Makes one attempt. */
  async once(request: Request, signal?: AbortSignal): Promise<Fields> {
    const { status, body, retryAfterMs } = await this.reply(request, signal);
    if (body['result'] === 'success') return body;
    const seconds = body['retry-after'];
    throw new ApiError(status, body, typeof seconds === 'number' ? seconds * 1000 : retryAfterMs);
  }

  private reply(request: Request, signal?: AbortSignal): Promise<Reply> {
    const { connection, http, timing } = this.input;
    const byHttp = () =>
      this.overHttp.pass(() => http(request, { timeoutMs: timing.requestMs, signal }), signal);
    return this.overSocket.pass(async () => {
      const asked = connection.ask(request, signal);
      return asked ?? byHttp();
    }, signal);
  }

  /** Returns the milliseconds before the next attempt, or undefined if there is none. */
  private pauseAfter(
    error: unknown,
    { failures, isRepeatable }: { failures: number; isRepeatable: boolean },
  ): number | undefined {
    const { random, timing } = this.input;
    const own = backoff(failures, {
      firstMs: timing.retryMs,
      maxMs: timing.retryMaxMs,
      random,
    });
    if (error instanceof ApiError && isBusy(error)) {
      return error.retryAfterMs === undefined ? own : error.retryAfterMs + own / 4;
    }
    const isLost = error instanceof NetworkError && (isRepeatable || error.outcome === 'not-sent');
    return isLost ? own : undefined;
  }

  private async wait(
    ms: number,
    { isForNetwork, signal }: { isForNetwork: boolean; signal: AbortSignal | undefined },
  ) {
    // A request that fails while the connection is up will not succeed because it is.
    if (!isForNetwork || this.input.isUp()) return pause(ms, signal);
    const done = new AbortController();
    const over = pause(ms, signal).finally(() => done.abort());
    await Promise.race([over, this.input.whenUp(done.signal)]);
    done.abort();
  }
}

/** Tells whether the server refused because of its load, or because it restarts. */
export const isBusy = ({ status, code }: ApiError): boolean =>
  status === 429 || (status === 503 && code !== 'REALM_NOT_SERVED');

const mayRepeat = ({ method, path, idempotencyKey }: Request, { isRepeatable }: CallOptions) =>
  method === 'GET' ||
  isRepeatable === true ||
  (idempotencyKey !== undefined && method === 'POST' && path === '/messages');

/** Puts parameters into the braces of a path; the others stay. */
export function filled(path: string, params: Request['params']): Pick<Request, 'path' | 'params'> {
  if (params instanceof FormData || !path.includes('{')) return { path, params };
  const rest = { ...params };
  const whole = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (rest[name] === undefined) throw new TypeError(`${path} needs ${name}`);
    const value = encodeURIComponent(String(rest[name]));
    delete rest[name];
    return value;
  });
  return { path: whole, params: rest };
}
