import type { Attachment } from '../../../actors/event-queue/cursor.ts';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { SOCKET_REQUESTS_MAX } from '../../domain/limits/sockets.ts';
import type { RequestHost } from '../../domain/request-host.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Fields } from '../../domain/wire/events/event.ts';
import { FIRST_ENDPOINT, OTHER, type SocketRecord } from '../../metrics/recorders.ts';
import { credentialsOf } from '../authenticate.ts';
import type { Deployment } from '../dispatch/deployment.ts';
import type { Answer, ApiRequest } from '../dispatch/request.ts';
import type { Dispatch } from '../dispatch.ts';
import { type LimitRequest, refuseTooMany } from '../rate-limiter.ts';
import type { Trace, Tracing } from '../tracing.ts';
import { attachmentError } from './attachment.ts';
import { type Frame, faultIn, frameShape, type RequestFrame, rawOf } from './client-frames.ts';
import type { FrameWriter } from './frame-writer.ts';
import { type Said, SocketRequests } from './socket-requests.ts';

/** The parts of the server that all sockets share. */
export interface SocketServer {
  readonly deployment: Deployment;
  readonly dispatch: Dispatch;
  readonly limitRequest: LimitRequest | null;
  readonly socketRecord: SocketRecord;
  readonly tracing: Tracing;
}

export interface SocketInput {
  readonly server: SocketServer;
  /** The client's address. */
  readonly address: string;
  readonly host: RequestHost;
  readonly authorization: string;
  readonly userAgent: string;
}

/** The session of one socket: its queue, and the client's frames. */
export interface SocketSession {
  /** Attaches to the queue of the query string. */
  resume(queueId: string, lastEventId: string): void;
  /** Handles a frame of the client; `bytes` is its length. */
  receive(frame: unknown, bytes: number): void;
  /** Answers data that is not a frame. */
  refuse(msg: string): void;
  /** Says whose socket it is, and by what program. */
  describe(): SocketOwner;
  /** Called when the socket can take more events. */
  drained(): void;
  gone(): void;
}

export interface SocketOwner {
  readonly realmId: number;
  readonly userId: number;
  readonly userAgent: string;
}

/**
 * Opens a session. Refuses invalid credentials before anything is exchanged, and clients that come
 * while the realm is closed.
 */
export function openSession(input: SocketInput, writer: FrameWriter): SocketSession {
  const { server, address, host, userAgent } = input;
  const { realm, site } = server.deployment.at(host);
  if (realm?.isOpen() === false) throw realm.closedBecause();
  // All clients with the same header share this text.
  const { header: authorization, user } = credentialsOf(realm, input.authorization, site, {
    raw: {},
    userAgent,
    address: () => address,
  });
  if (realm === undefined) throw errors.nonexistentSubdomain();
  const kept = { server, address, host, authorization, userAgent };
  return new Session(kept, writer, new QueueBinding(realm, user.id, writer));
}

/**
 * It is a class, as are those it uses: there is one for every open socket, and closures would
 * double its memory.
 */
class Session implements SocketSession {
  /** Null for most sockets, which send no requests. */
  private requests: SocketRequests | null = null;
  private isGone = false;
  private readonly input: SocketInput;
  private readonly writer: FrameWriter;
  private readonly binding: QueueBinding;

  constructor(input: SocketInput, writer: FrameWriter, binding: QueueBinding) {
    this.input = input;
    this.writer = writer;
    this.binding = binding;
  }

  resume(queueId: string, lastEventId: string) {
    const position = /^-?\d{1,16}$/.test(lastEventId) ? Number(lastEventId) : null;
    const { socketRecord } = this.input.server;
    if (this.binding.resume(queueId, position)) socketRecord.resumed += 1;
    else socketRecord.notResumed += 1;
  }

  receive(frame: unknown, bytes: number) {
    const parsed = frameShape.safeParse(frame);
    if (!parsed.success) return this.say(faultIn(frame));
    const known = parsed.data;
    if (known.type === 'ping') this.say({ type: 'pong' });
    else if (known.type === 'ack') this.acknowledge(known.last_event_id);
    else if (known.type === 'register') this.register(known, bytes);
    else this.request(known, bytes);
  }

  refuse(msg: string) {
    this.say({ type: 'error', code: 'BAD_REQUEST', msg });
  }

  describe(): SocketOwner {
    return { ...this.binding.owner(), userAgent: this.input.userAgent };
  }

  drained() {
    this.requests?.drained();
    this.binding.drained();
  }

  gone() {
    this.isGone = true;
    this.requests?.gone();
    this.binding.gone();
  }

  private acknowledge(lastEventId: number) {
    const error = this.binding.acknowledge(lastEventId);
    if (error !== undefined) this.say({ type: 'error', code: error.code, msg: error.message });
  }

  private say(frame: Fields) {
    if (this.requests === null && !this.writer.isFull()) this.writer.send(frame);
    else this.opened().say({ frame });
  }

  private opened(): SocketRequests {
    this.requests ??= new SocketRequests(this.writer);
    return this.requests;
  }

  private register({ params }: Frame & { type: 'register' }, bytes: number) {
    this.ask({ method: 'POST', path: '/register', params }, bytes, (status, body) => {
      if (status !== 200) return { frame: { ...body, type: 'error' } };
      return {
        frame: { ...body, type: 'registered' },
        after: () => this.binding.bind(String(body['queue_id']), Number(body['last_event_id'])),
      };
    });
  }

  private request(frame: Frame & { type: 'request' }, bytes: number) {
    const { id } = frame;
    this.ask(frame, bytes, (status, body) => ({ frame: { type: 'reply', id, status, body } }));
  }

  private ask(frame: RequestFrame, bytes: number, said: (status: number, body: Fields) => Said) {
    const requests = this.opened();
    const trace = this.traceOf(frame);
    const request = { ...requestOf(this.input, frame), trace };
    const isTaken = requests.add(bytes, () =>
      this.dispatch(frame, request, (status, body) => {
        requests.say(said(status, body));
        requests.answered();
      }),
    );
    if (isTaken) return;
    const refusal = errors.badRequest(`More than ${SOCKET_REQUESTS_MAX} requests are unanswered`);
    const { status, body } = this.writer.failure(refusal, request);
    requests.say(said(status, body));
  }

  /** Returns the trace of a frame, if requests are logged. */
  private traceOf({ method }: RequestFrame): Trace | null {
    const { server, host, authorization } = this.input;
    if (!server.tracing.isLogging) return null;
    const begun = { method: method.toUpperCase(), host, authorization, isFrame: true } as const;
    return server.tracing.begin({ ...begun, proxyId: '', asksId: false, traceparent: '' });
  }

  private dispatch(
    frame: RequestFrame,
    request: ApiRequest & { readonly trace: Trace | null },
    said: (status: number, body: Fields) => void,
  ) {
    const { writer } = this;
    const { trace } = request;
    let endpoint = OTHER;
    const reply = (status: number, body: Fields) => {
      if (trace !== null) {
        trace.status = String(status);
        trace.end(endpoint, false);
      }
      said(status, body);
    };
    const { limitRequest, dispatch } = this.input.server;
    const answer: Answer = {
      isOf(index) {
        endpoint = FIRST_ENDPOINT + index;
      },
      succeed: (body, ignored) => reply(200, writer.success(body, ignored)),
      // A frame has it as a value, in the encoding that the client has chosen.
      pass: ({ bytes }) => reply(200, JSON.parse(Buffer.from(bytes).toString()) as Fields),
      show: ({ value }) => reply(200, value),
      fail(error, request) {
        const { status, body } = writer.failure(error, request);
        reply(status, body);
      },
      options: (allowed) => reply(204, { allowed_methods: allowed }),
      canPark: false,
      park: () => {
        throw new Error('a socket parks no request');
      },
      isGone: () => this.isGone,
      holdsBack: (retry) => this.opened().holdsBack(retry),
      body: null,
    };
    try {
      if (limitRequest !== null) this.count(limitRequest, request, frame);
      dispatch({ ...request, raw: rawOf(frame.params) }, answer);
    } catch (error) {
      answer.fail(error, request);
    }
  }

  /** Counts a frame against the rate limits like the request that it contains. */
  private count(limitRequest: LimitRequest, request: ApiRequest, { params }: RequestFrame) {
    const { api_key: key } = params;
    const urlKey = () => (typeof key === 'string' ? key : undefined);
    refuseTooMany(limitRequest({ ...request, urlKey }));
  }
}

/** The binding of a socket to a queue. */
class QueueBinding {
  private queueId: string | null = null;
  private isGone = false;
  private readonly realm: Realm;
  private readonly userId: number;
  private readonly writer: FrameWriter;

  constructor(realm: Realm, userId: number, writer: FrameWriter) {
    this.realm = realm;
    this.userId = userId;
    this.writer = writer;
  }

  owner() {
    return { realmId: this.realm.id, userId: this.userId };
  }

  bind(id: string, lastEventId: number) {
    const { realm, writer } = this;
    const found = realm.queues.find(id, this.userId);
    // A socket that closed while it registered would hold the queue for ever.
    if (found === undefined || this.isGone) return;
    if (id !== this.queueId) this.release();
    // It is the queue's own text: one that was cut out of a frame or a query would keep all of that
    // in memory.
    this.queueId = found.id;
    realm.queues.attach(found, lastEventId, writer.consumer);
  }

  release() {
    const left = this.queue();
    this.queueId = null;
    if (left !== undefined) this.realm.queues.consumerGone(left.id, this.writer.consumer);
  }

  gone() {
    this.isGone = true;
    this.release();
  }

  /** Returns false if the queue, or what it missed, is gone. */
  resume(id: string, lastEventId: number | null): boolean {
    const { realm, writer } = this;
    const found = realm.queues.find(id, this.userId);
    const position = lastEventId ?? found?.acknowledged ?? 0;
    const fault = found === undefined ? 'unknown' : realm.queues.cursors.judge(found, position);
    const isResumed = found !== undefined && fault === 'attached';
    const greeting = { type: 'hello', queue_id: id, last_event_id: position, resumed: isResumed };
    if (!isResumed) {
      writer.send({ ...greeting, code: 'BAD_EVENT_QUEUE_ID', reason: reasonOf(fault) });
      return false;
    }
    writer.send(greeting);
    this.bind(id, position);
    return true;
  }

  /** Acknowledges events; returns the refusal of an invalid acknowledgement. */
  acknowledge(lastEventId: number): errors.ApiError | undefined {
    const found = this.queue();
    const attachment = found && this.realm.queues.cursors.acknowledge(found, lastEventId);
    if (attachment === 'attached') return undefined;
    // A repeated acknowledgement is allowed: sockets may send them late.
    if (attachment === 'pruned') return undefined;
    return attachmentError(attachment ?? 'unknown', this.queueId ?? '', lastEventId);
  }

  drained() {
    const found = this.queue();
    if (found !== undefined) this.realm.queues.resume(found.id, this.writer.consumer);
  }

  private queue() {
    return this.queueId === null ? undefined : this.realm.queues.find(this.queueId, this.userId);
  }
}

const reasonOf = (fault: Attachment) =>
  fault === 'not in queue'
    ? 'last_event_id is ahead of the log; register again'
    : 'the queue or its events are gone; register again';

function requestOf(
  input: SocketInput,
  { method, path, idempotency_key }: RequestFrame,
): ApiRequest {
  return {
    method: method.toUpperCase(),
    path,
    raw: {},
    host: input.host,
    address: () => input.address,
    authorization: input.authorization,
    userAgent: input.userAgent,
    idempotencyKey: idempotency_key ?? '',
  };
}
