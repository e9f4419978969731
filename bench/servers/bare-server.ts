import {
  type HttpRequest,
  type HttpResponse,
  socketLibrary,
  type us_listen_socket,
  type us_socket_context_t,
} from '../../src/transport/library/sockets.ts';

// The baselines share this: a server of bare uWebSockets.js, and what each of them needs to speak
// enough of the API for the load.

export const library = socketLibrary();
export const app = library.App();

/** The topic of a channel that everybody listens to. */
export const TOPIC = 'everyone';

/** How sockets are upgraded and kept; each gets its state from the request. */
export const socketsWith = <State>(stateOf: (request: HttpRequest) => State) => ({
  maxBackpressure: 64 * 1024 * 1024,
  idleTimeout: 120,
  upgrade: (response: HttpResponse, request: HttpRequest, context: us_socket_context_t) =>
    response.upgrade(
      stateOf(request),
      request.getHeader('sec-websocket-key'),
      request.getHeader('sec-websocket-protocol'),
      request.getHeader('sec-websocket-extensions'),
      context,
    ),
});

export const hello = (lastEventId: number): string =>
  `{"type":"hello","last_event_id":${lastEventId},"resumed":true}`;

/** Answers each registration with a queue that begins at the given event. */
export function serveRegistrations(lastEventId: () => number): void {
  let count = 0;
  app.post('/api/v1/register', (response) => {
    count += 1;
    const reply = { result: 'success', queue_id: `queue-${count}`, last_event_id: lastEventId() };
    response.end(JSON.stringify(reply));
  });
}

export const sentReply = (id: number): string => `{"result":"success","msg":"","id":${id}}`;

/** Hands on a whole body, and a function that answers unless the client has gone by then. */
export function whenWhole(
  response: HttpResponse,
  act: (body: string, answer: (json: string) => void) => void,
): void {
  const chunks: Buffer[] = [];
  let isGone = false;
  response.onAborted(() => {
    isGone = true;
  });
  response.onData((chunk, isLast) => {
    chunks.push(Buffer.from(chunk.slice(0)));
    if (!isLast) return;
    act(Buffer.concat(chunks).toString(), (json) => {
      if (!isGone) response.cork(() => response.end(json));
    });
  });
}

/**
 * Acts for each id once it has acted for all before it, from the first one on: LMDB does not
 * promise that the puts of one commit settle in the order they were made.
 */
export function inOrder(first: number): (id: number, act: () => void) => void {
  const waiting = new Map<number, () => void>();
  let next = first;
  return (id, act) => {
    waiting.set(id, act);
    for (let due = waiting.get(next); due !== undefined; due = waiting.get(next)) {
      waiting.delete(next);
      next += 1;
      due();
    }
  };
}

/** A message as it was sent; white space stands for what else confab tells of it. */
export function messageEvent(id: number, params: URLSearchParams, envelopeBytes: number): string {
  const content = JSON.stringify(params.get('content'));
  const place = `"display_recipient":"${params.get('to')}","subject":"${params.get('topic')}"`;
  const before = `{"id":${id},"type":"message","flags":[],"message":{"id":${id},${place},"content":`;
  const behind = '}}';
  const space = Math.max(0, envelopeBytes - before.length - behind.length);
  return `${before}${content}${' '.repeat(space)}${behind}`;
}

export const framed = (events: readonly string[]): string =>
  `{"type":"events","events":[${events.join(',')}]}`;

/** Listens, tells the parent process where, and ends with it. */
export function serve(port = 0, listeningSockets = 1): readonly us_listen_socket[] {
  const listening = Array.from({ length: listeningSockets }, () => {
    let listened: us_listen_socket | false = false;
    app.listen('127.0.0.1', port, (token) => {
      listened = token;
    });
    if (!listened) throw new Error('the baseline cannot listen');
    return listened;
  });
  const [first] = listening;
  process.send?.({ port: first && library.us_socket_local_port(first) });
  process.on('disconnect', () => process.exit());
  return listening;
}
