import { jsonOf } from '../../../src/domain/wire/encoded-list.ts';
import type { Answer, ApiRequest } from '../../../src/endpoints/dispatch/request.ts';
import { openDispatch } from '../../../src/endpoints/dispatch.ts';
import type { Endpoint } from '../../../src/endpoints/endpoint.ts';
import { openSession } from '../../../src/endpoints/events/socket-session.ts';
import { ENDPOINTS } from '../../../src/endpoints/index.ts';
import { openRoutes } from '../../../src/endpoints/routes.ts';
import { openTracing } from '../../../src/endpoints/tracing.ts';
import type { Turns } from '../../../src/endpoints/turns.ts';
import type { EncodedBatch } from '../../../src/events/delivery.ts';
import { openSocketRecord } from '../../../src/metrics/recorders.ts';
import { failure, successBody } from '../../../src/transport/answers/reply.ts';
import { basic, type Params, type Reply, type WireEvent } from '../client.ts';
import type { TestServer } from '../start-server.ts';
import type { Person } from '../users.ts';

/**
 * Calls the endpoints of a server with no connection in between: calls made in one turn of the
 * event loop share a commit, in this order.
 */
export interface AtOnce {
  post(as: Person, path: string, params?: Params): Promise<Reply>;
  delete(as: Person, path: string, params?: Params): Promise<Reply>;
  /** A socket that registers: the queue is its own as soon as the registration is durable. */
  listen(as: Person, params?: Params): TestListener;
}

/** Collects a socket's session as if all of it were written to the client at once. */
export interface TestListener {
  readonly registered: Promise<Reply['body']>;
  readonly events: WireEvent[];
  close(): void;
}

export function atOnce(server: TestServer, endpoints: readonly Endpoint[] = ENDPOINTS): AtOnce {
  const { realms, port } = server.app;
  const host = `test.localhost:${port}`;
  // Nothing waits for its turn, however busy the machine is.
  const turns: Turns = {
    run(_, work) {
      work();
      return true;
    },
  };
  const dispatch = openDispatch(realms, openRoutes(endpoints), turns);
  const ask =
    (method: string) =>
    (as: Person, path: string, params: Params = {}) =>
      new Promise<Reply>((resolve) => {
        const request: ApiRequest = {
          method,
          path,
          raw: rawOf(params),
          host,
          address: () => '127.0.0.1',
          authorization: basic(as),
          userAgent: '',
          idempotencyKey: '',
        };
        dispatch(request, answerOf(resolve));
      });
  return {
    post: ask('POST'),
    delete: ask('DELETE'),
    listen(as, params = {}) {
      const events: WireEvent[] = [];
      let resolve: (body: Reply['body']) => void;
      const registered = new Promise<Reply['body']>((found) => {
        resolve = found;
      });
      const session = openSession(
        {
          server: {
            deployment: realms,
            dispatch,
            limitRequest: null,
            socketRecord: openSocketRecord(),
            tracing: openTracing(null),
          },
          address: '',
          host,
          authorization: basic(as),
          userAgent: '',
        },
        {
          send: (frame) => resolve(frame),
          isFull: () => false,
          tooSlow: () => undefined,
          success: (body) => body as Record<string, unknown>,
          failure: (error) => failure(error, () => 'one'),
          consumer: {
            takesOne: false,
            deliver(batch: EncodedBatch) {
              events.push(...(JSON.parse(`[${batch.json()}]`) as WireEvent[]));
              return 'taken';
            },
            replaced: () => undefined,
            ended: () => undefined,
            stopping: () => undefined,
          },
        },
      );
      session.receive({ type: 'register', params }, 0);
      return { registered, events, close: () => session.gone() };
    },
  };
}

const answerOf = (resolve: (reply: Reply) => void): Answer => ({
  isOf: () => undefined,
  show: () => undefined,
  pass: () => undefined,
  succeed: (body, ignored) =>
    resolve({ status: 200, headers: {}, body: JSON.parse(jsonOf(successBody(body, ignored))) }),
  fail(error) {
    const { status, body } = failure(error, () => 'one');
    resolve({ status, headers: {}, body });
  },
  options: () => resolve({ status: 204, headers: {}, body: null }),
  canPark: false,
  park: () => {
    throw new Error('nothing is parked here');
  },
  isGone: () => false,
  holdsBack: () => false,
  body: null,
});

const rawOf = (params: Params): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
