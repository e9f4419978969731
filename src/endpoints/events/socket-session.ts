import { z } from 'zod';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import * as errors from '../../domain/errors.ts';
import { SOCKET_REQUESTS_MAX } from '../../domain/limits.ts';
import type { Consumer } from '../../events/delivery.ts';
import { authenticate } from '../authenticate.ts';
import type { Answer, Call, Deployment, Dispatch } from '../dispatch.ts';
import { attachmentError } from './attachment.ts';

/** What the transport does for a session. */
export interface SocketLine {
  send(frame: Readonly<Record<string, unknown>>): void;
  /** The answer of an endpoint, as a `reply` frame or part of another. */
  success(body: object, ignored: readonly string[]): Readonly<Record<string, unknown>>;
  failure(error: unknown, call: Call): { status: number; body: Readonly<Record<string, unknown>> };
  readonly consumer: Consumer;
}

export interface SocketInput {
  readonly deployment: Deployment;
  readonly dispatch: Dispatch;
  readonly host: string;
  readonly authorization: string;
  readonly userAgent: string;
}

/** One socket: which queue it serves, and the client's frames (design, section 6). */
export interface SocketSession {
  /** Takes up the queue of the query string. */
  resume(queueId: string, lastEventId: string): void;
  receive(frame: unknown): void;
  /** The socket can take more events. */
  drained(): void;
  gone(): void;
}

const frameShape = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('register'),
    params: z.record(z.string(), z.unknown()).default({}),
  }),
  z.object({ type: z.literal('ack'), last_event_id: z.int() }),
  z.object({
    type: z.literal('request'),
    id: z.union([z.number(), z.string()]),
    method: z.string(),
    path: z.string().startsWith('/'),
    params: z.record(z.string(), z.unknown()).default({}),
    idempotency_key: z.string().optional(),
  }),
  z.object({ type: z.literal('ping') }),
]);

type Frame = z.output<typeof frameShape>;

/** Refuses credentials that are not right, before anything is exchanged. */
export function openSession(input: SocketInput, line: SocketLine): SocketSession {
  const { deployment, host, authorization } = input;
  const { realm, place } = deployment.at(host);
  const user = authenticate(realm, authorization, place);
  if (realm === undefined) throw errors.nonexistentSubdomain();
  const seat = openSeat(realm, user.id, line);
  let requests = 0;

  function receive(frame: unknown) {
    const parsed = frameShape.safeParse(frame);
    if (!parsed.success) return refuseFrame(line, frame);
    const known = parsed.data;
    if (known.type === 'ping') line.send({ type: 'pong' });
    else if (known.type === 'ack') seat.acknowledge(known.last_event_id);
    else if (known.type === 'register') register(known);
    else request(known);
  }

  function register({ params }: Frame & { type: 'register' }) {
    const call = callOf(input, { method: 'POST', path: '/register', params });
    input.dispatch(
      call,
      answerWith((status, body) => {
        if (status !== 200) return line.send({ ...body, type: 'error' });
        line.send({ ...body, type: 'registered' });
        seat.take(String(body['queue_id']), Number(body['last_event_id']));
      }),
    );
  }

  function request(frame: Frame & { type: 'request' }) {
    if (requests >= SOCKET_REQUESTS_MAX) {
      const { status, body } = line.failure(
        errors.badRequest(`More than ${SOCKET_REQUESTS_MAX} requests are unanswered`),
        callOf(input, frame),
      );
      return line.send({ type: 'reply', id: frame.id, status, body });
    }
    requests += 1;
    const reply = (status: number, body: object) => {
      requests -= 1;
      line.send({ type: 'reply', id: frame.id, status, body });
    };
    input.dispatch(callOf(input, frame), answerWith(reply));
  }

  const answerWith = (
    reply: (status: number, body: Readonly<Record<string, unknown>>) => void,
  ): Answer => ({
    succeed: (body, ignored) => reply(200, line.success(body, ignored)),
    fail: (error, call) => {
      const { status, body } = line.failure(error, call);
      reply(status, body);
    },
    options: (allowed) => reply(204, { allowed_methods: allowed }),
    canPark: false,
    park: () => {
      throw new Error('a socket parks no request');
    },
    onGone: () => undefined,
  });

  return {
    receive,
    resume(queueId, lastEventId) {
      seat.resume(queueId, /^-?\d{1,16}$/.test(lastEventId) ? Number(lastEventId) : null);
    },
    drained: seat.drained,
    gone: seat.leave,
  };
}

/** The place of a socket at a queue. */
function openSeat(realm: Realm, userId: number, line: SocketLine) {
  let queueId: string | null = null;
  const queue = () => (queueId === null ? undefined : realm.queues.find(queueId, userId));

  function take(id: string, lastEventId: number): string | null {
    const found = realm.queues.find(id, userId);
    if (found === undefined) return 'BAD_EVENT_QUEUE_ID';
    if (id !== queueId) leave();
    queueId = id;
    const attachment = realm.queues.attach(found, lastEventId, line.consumer);
    return attachment === 'attached' ? null : attachment;
  }

  function leave() {
    const left = queue();
    queueId = null;
    if (left !== undefined) realm.queues.consumerGone(left, line.consumer);
  }

  return {
    take,
    leave,
    resume(id: string, lastEventId: number | null) {
      const found = realm.queues.find(id, userId);
      const position = lastEventId ?? found?.acknowledged ?? 0;
      const fault =
        found === undefined ? 'BAD_EVENT_QUEUE_ID' : realm.queues.acknowledge(found, position);
      const isResumed = found !== undefined && fault === 'attached';
      const greeting = { type: 'hello', queue_id: id, last_event_id: position, resumed: isResumed };
      if (!isResumed) {
        return line.send({ ...greeting, code: 'BAD_EVENT_QUEUE_ID', reason: reasonOf(fault) });
      }
      line.send(greeting);
      take(id, position);
    },
    acknowledge(lastEventId: number) {
      const found = queue();
      const attachment = found && realm.queues.acknowledge(found, lastEventId);
      if (attachment === 'attached') return;
      // A repeated acknowledgement is no fault: sockets may send them late.
      if (attachment === 'pruned') return;
      const error = attachmentError(attachment ?? 'unknown', queueId ?? '', lastEventId);
      line.send({ type: 'error', code: error.code, msg: error.message });
    },
    drained() {
      const found = queue();
      if (found !== undefined && found.consumer === line.consumer) realm.queues.resume(found);
    },
  };
}

const reasonOf = (fault: string) =>
  fault === 'not in queue'
    ? 'last_event_id is ahead of the log; register again'
    : 'the queue or its events are gone; register again';

function refuseFrame(line: SocketLine, frame: unknown) {
  const type = (frame as { type?: unknown } | null)?.type;
  const known = ['register', 'ack', 'request', 'ping'].includes(String(type));
  const msg = known
    ? `The ${String(type)} frame is malformed`
    : `Unknown frame type: ${JSON.stringify(type) ?? 'none'}`;
  line.send({ type: 'error', code: 'BAD_REQUEST', msg });
}

interface Asking {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly idempotency_key?: string | undefined;
}

/** Parameters arrive as values; the endpoints read text, as from a form, so that there is one validation. */
function callOf(input: SocketInput, { method, path, params, idempotency_key }: Asking): Call {
  const raw: Record<string, string> = {};
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) raw[name] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  return {
    method: method.toUpperCase(),
    path,
    raw,
    host: input.host,
    authorization: input.authorization,
    userAgent: input.userAgent,
    idempotencyKey: idempotency_key ?? '',
  };
}
