import http from 'node:http';
import WebSocket from 'ws';
import { requireDeclared, requireEvents, type SentRequest } from './declared.ts';
import type { Person } from './users.ts';

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of a body is written in the test.
  readonly body: any;
}

export type Params = Readonly<Record<string, unknown>>;

export type WireEvent = { readonly id: number; readonly type: string } & Readonly<
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  Record<string, any>
>;

/** Speaks the API as a client would. Values that are not text are sent as JSON. */
export interface Client {
  request(method: string, path: string, options?: RequestOptions): Promise<Reply>;
  get(as: Person | null, path: string, params?: Params): Promise<Reply>;
  post(as: Person | null, path: string, params?: Params): Promise<Reply>;
  put(as: Person | null, path: string, params?: Params): Promise<Reply>;
  patch(as: Person | null, path: string, params?: Params): Promise<Reply>;
  delete(as: Person | null, path: string, params?: Params): Promise<Reply>;
  /** By whatever method an endpoint has. */
  ask(as: Person | null, request: ClientRequest): Promise<Reply>;
  /** Registers a queue; throws when that is refused. */
  register(as: Person, params?: Params): Promise<TestQueue>;
  /** A queue that was registered before. */
  queue(as: Person, queueId: string, lastEventId: number): TestQueue;
  socket(as: Person | null, options?: SocketOptions): Promise<TestSocket>;
}

interface ClientRequest {
  readonly method: string;
  readonly path: string;
  readonly params: Params;
  readonly headers?: Record<string, string> | undefined;
}

interface RequestOptions {
  readonly as?: Person | null;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly signal?: AbortSignal;
  /** The address that the request comes from; all of 127.0.0.0/8 is this machine. */
  readonly localAddress?: string;
}

export interface TestQueue {
  readonly id: string;
  readonly as: Person;
  /** The register reply. */
  readonly state: Reply['body'];
  /** The last event that the client has; `next` moves it on. */
  lastEventId: number;
  /** Waits for the next events and acknowledges them with the call after. */
  next(): Promise<WireEvent[]>;
  /** Returns the events that are there now, without waiting. */
  now(): Promise<WireEvent[]>;
  poll(params?: Params): Promise<Reply>;
}

interface SocketOptions {
  readonly protocols?: readonly string[];
  readonly query?: string;
  readonly headers?: Record<string, string>;
}

export interface TestSocket {
  readonly ws: WebSocket;
  /** Frames that came and were not taken by `frame`. */
  readonly frames: WireEvent[];
  send(frame: unknown): void;
  /** The next frame, or the next one of a type. */
  frame(type?: string): Promise<WireEvent>;
  /** Close code and reason. */
  closed(): Promise<{ code: number; reason: string }>;
  close(): void;
}

/** The realm is chosen by the name; the server itself listens at an address of this machine. */
export function openClient(port: () => number, host: string, address = '127.0.0.1'): Client {
  const request = (method: string, path: string, options: RequestOptions = {}) =>
    send({ address, port: port(), host, method, path }, options);
  const form =
    (method: string) =>
    (
      as: Person | null,
      path: string,
      params: Params = {},
      headers: RequestOptions['headers'] = {},
    ) =>
      request(method, path, {
        as,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: encoded(params),
      });
  const get = (
    as: Person | null,
    path: string,
    params: Params = {},
    headers: RequestOptions['headers'] = {},
  ) => {
    const query = encoded(params);
    return request('GET', query === '' ? path : `${path}?${query}`, { as, headers });
  };
  const client: Client = {
    request,
    get,
    post: form('POST'),
    put: form('PUT'),
    patch: form('PATCH'),
    delete: form('DELETE'),
    ask: (as, { method, path, params, headers }) =>
      method === 'GET' ? get(as, path, params, headers) : form(method)(as, path, params, headers),
    async register(as, params = {}) {
      const { status, body } = await client.post(as, '/register', params);
      if (status !== 200) throw new Error(JSON.stringify(body));
      return { ...openQueue(client, as, body.queue_id, body.last_event_id), state: body };
    },
    queue: (as, queueId, lastEventId) => openQueue(client, as, queueId, lastEventId),
    socket: (as, options = {}) => openSocket({ address, port: port(), host }, as, options),
  };
  return client;
}

function openQueue(client: Client, as: Person, id: string, lastEventId: number): TestQueue {
  const take = async (queue: TestQueue, params: Params) => {
    const { status, body } = await queue.poll(params);
    if (status !== 200) throw new Error(JSON.stringify(body));
    const events = body.events as WireEvent[];
    queue.lastEventId = Math.max(queue.lastEventId, ...events.map((event) => event.id));
    return events;
  };
  return {
    id,
    as,
    state: {},
    lastEventId,
    next() {
      return take(this, {});
    },
    now() {
      return take(this, { dont_block: true });
    },
    poll(params = {}) {
      const position = { queue_id: id, last_event_id: this.lastEventId };
      return client.get(as, '/events', { ...position, ...params });
    },
  };
}

const encoded = (params: Params) =>
  new URLSearchParams(
    Object.entries(params)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]): [string, string] => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
  ).toString();

export const basic = (person: Person) =>
  `Basic ${Buffer.from(`${person.email}:${person.apiKey}`).toString('base64')}`;

interface Target {
  readonly address: string;
  readonly port: number;
  readonly host: string;
  readonly method: string;
  readonly path: string;
}

function send(
  { address, port, host, method, path }: Target,
  options: RequestOptions,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        port,
        host: address,
        method,
        path: path.startsWith('http') ? path : `/api/v1${path}`,
        headers: {
          host: `${host}:${port}`,
          ...(options.as ? { authorization: basic(options.as) } : {}),
          // Node leaves it out for the methods that seldom have a body.
          ...(options.body === undefined
            ? {}
            : { 'content-length': Buffer.byteLength(options.body) }),
          ...options.headers,
        },
        agent: false,
        ...(options.signal ? { signal: options.signal } : {}),
        ...(options.localAddress ? { localAddress: options.localAddress } : {}),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const { statusCode = 0, headers } = response;
          const body = text === '' ? null : JSON.parse(text);
          try {
            requireDeclared({ method, path }, { status: statusCode, body, text });
            resolve({ status: statusCode, headers, body });
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    request.on('error', reject);
    request.end(options.body);
  });
}

function openSocket(
  { address, port, host }: Pick<Target, 'address' | 'port' | 'host'>,
  as: Person | null,
  { protocols = ['chat.v1.json'], query = '', headers = {} }: SocketOptions,
): Promise<TestSocket> {
  const ws = new WebSocket(`ws://${address}:${port}/api/v1/events/socket${query}`, [...protocols], {
    headers: {
      host: `${host}:${port}`,
      ...(as ? { authorization: basic(as) } : {}),
      ...headers,
    },
  });
  const frames: WireEvent[] = [];
  const sent = new Map<unknown, SentRequest>();
  const waiting: { type: string | undefined; resolve: (frame: WireEvent) => void }[] = [];
  const closing = new Promise<{ code: number; reason: string }>((resolve) => {
    ws.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  ws.on('message', (data, isBinary) => {
    if (isBinary) return;
    const frame = JSON.parse(data.toString()) as WireEvent;
    // Thrown from here it fails the run, whatever the test waits for.
    requireFrame(frame, sent);
    const index = waiting.findIndex(({ type }) => type === undefined || type === frame.type);
    const [found] = index < 0 ? [] : waiting.splice(index, 1);
    if (found === undefined) frames.push(frame);
    else found.resolve(frame);
  });
  const socket: TestSocket = {
    ws,
    frames,
    send(frame) {
      const { type, id, method, path } = (frame ?? {}) as Partial<Record<string, string>>;
      if (type === 'request') sent.set(id, { method: String(method), path: String(path) });
      ws.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
    },
    frame(type) {
      const index = frames.findIndex((frame) => type === undefined || type === frame.type);
      const [found] = index < 0 ? [] : frames.splice(index, 1);
      if (found !== undefined) return Promise.resolve(found);
      return new Promise((resolve) => waiting.push({ type, resolve }));
    },
    closed: () => closing,
    close: () => ws.close(),
  };
  return new Promise((resolve, reject) => {
    ws.on('open', () => resolve(socket));
    ws.on('error', reject);
  });
}

function requireFrame(frame: WireEvent, sent: ReadonlyMap<unknown, SentRequest>) {
  const { type, ...body } = frame;
  if (type === 'events') requireEvents(body['events']);
  const request = sent.get(frame.id);
  if (type === 'reply' && request !== undefined) {
    requireDeclared(request, { status: body['status'], body: body['body'] });
  }
  if (type === 'registered') {
    requireDeclared({ method: 'POST', path: '/register' }, { status: 200, body });
  }
}
