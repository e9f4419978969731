import { type RawData, WebSocket as Socket } from 'ws';
import { SOCKET_FRAME_BYTES_MAX } from '../../domain/limits/sockets.ts';
import type { WebSocket } from '../../transport/library/sockets.ts';
import type { PassedRequest, PassedSocket } from '../../transport/passing.ts';
import type { HolderPlace } from './holder-links.ts';
import type { PassInput } from './pass-request.ts';
import { passedHeaders } from './passed-headers.ts';

/** What the client has not taken is held up to here; then no more is taken from the other node. */
const UNTAKEN_BYTES_MAX = 1_048_576;
/** What the other node has not taken: a client that sends more is sent away. */
const UNSENT_BYTES_MAX = 4 * SOCKET_FRAME_BYTES_MAX;
/** A frame of the other node may hold the largest answer of the API. */
const FRAME_BYTES_MAX = 64 * 1_048_576;
const HANDSHAKE_MS_MAX = 5_000;
/** Clients of a node that is gone come back after this time, to another one. */
const RETRY_MS = 300;

const Close = { normal: 1000, comeBack: 1001, notAuthenticated: 4001 } as const;
/** These say that a connection ended, and are never sent. */
const UNSENT_CODES: ReadonlySet<number> = new Set([1005, 1006]);
const CREDENTIALS = /^auth\.basic\.[\w-]+$/;
/** The headers of the handshake itself, which is another one between nodes. */
const OF_HANDSHAKE = /^sec-websocket-/;

interface SocketInput extends PassInput {
  readonly shard: number;
  readonly request: PassedRequest;
  /** The protocol that is spoken with the client; empty for none. */
  readonly protocol: string;
}

/** Passes the frames of a socket on to a node that has a copy of the shard, and back. */
export function passSocket(input: SocketInput): PassedSocket {
  let client: WebSocket<unknown> | null = null;
  let upstream: Socket | null = null;
  let early: (readonly [Buffer, boolean])[] = [];
  let earlyBytes = 0;

  /** Closes the socket; the client resumes its queue with another one. */
  function close(code: number, reason: string) {
    const former = client;
    client = null;
    former?.end(code, reason);
  }
  const comeBack = () => close(Close.comeBack, JSON.stringify({ retry_after_ms: RETRY_MS }));

  function hand(data: RawData, isBinary: boolean) {
    if (client === null) return;
    const sent = client.send(data as Buffer, isBinary);
    // The client would miss a frame that was dropped.
    if (sent === 2) return comeBack();
    if (client.getBufferedAmount() > UNTAKEN_BYTES_MAX) upstream?.pause();
  }

  function connect(holder: HolderPlace) {
    const socket = openSocket(holder, input);
    upstream = socket;
    const unwatch = input.links.watch(holder.node, () => socket.terminate());
    socket.on('open', () => {
      for (const [message, isBinary] of early) socket.send(message, { binary: isBinary });
      early = [];
    });
    socket.on('message', hand);
    socket.on('unexpected-response', (_, { statusCode }) => {
      if (statusCode === 403) close(Close.notAuthenticated, 'This origin may not connect');
      else comeBack();
      socket.terminate();
    });
    // It is closed after each error.
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => {
      unwatch();
      if (UNSENT_CODES.has(code)) comeBack();
      else close(code, reason.toString());
    });
  }

  return {
    begin(ws) {
      client = ws;
      const holder = input.links.holderOf(input.shard);
      if (holder === undefined) comeBack();
      else connect(holder);
    },
    receive(message, isBinary) {
      if (upstream === null) return;
      // The library takes the bytes back when this returns.
      const bytes = Buffer.from(new Uint8Array(message));
      if (upstream.readyState === Socket.CONNECTING) {
        earlyBytes += bytes.length;
        if (earlyBytes > UNSENT_BYTES_MAX) return comeBack();
        early.push([bytes, isBinary]);
      } else if (upstream.readyState === Socket.OPEN) {
        if (upstream.bufferedAmount > UNSENT_BYTES_MAX) return comeBack();
        upstream.send(bytes, { binary: isBinary });
      }
    },
    drained() {
      if (upstream?.isPaused && (client?.getBufferedAmount() ?? 0) === 0) upstream.resume();
    },
    gone() {
      client = null;
      early = [];
      if (upstream?.readyState === Socket.CONNECTING) upstream.terminate();
      else upstream?.close(Close.normal);
      // It would not read that the other side has closed.
      if (upstream?.isPaused) upstream.resume();
    },
  };
}

function openSocket({ host, port }: HolderPlace, { request, protocol, ...here }: SocketInput) {
  const { url, query } = request.head;
  const headers = passedHeaders(request, here);
  const offered = [headers['sec-websocket-protocol'] ?? []].flat().join(',');
  for (const name of Object.keys(headers)) if (OF_HANDSHAKE.test(name)) delete headers[name];
  const credentials = offered
    .split(',')
    .map((name) => name.trim())
    .filter((name) => CREDENTIALS.test(name));
  // With a known protocol the other node chooses it, as this one has.
  const protocols = protocol === '' ? [] : [...new Set([protocol, ...credentials])];
  if (protocol === '' && offered !== '') headers['sec-websocket-protocol'] = offered;
  const name = host.includes(':') ? `[${host}]` : host;
  return new Socket(`ws://${name}:${port}${url}${query === '' ? '' : `?${query}`}`, protocols, {
    headers: headers as Record<string, string>,
    perMessageDeflate: false,
    maxPayload: FRAME_BYTES_MAX,
    handshakeTimeout: HANDSHAKE_MS_MAX,
    skipUTF8Validation: true,
  });
}
