import net from 'node:net';

interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of a body is written in the test.
  readonly body: any;
}

/** A bare TCP connection, for what no HTTP client would send. */
interface RawSocket {
  write(bytes: string | Uint8Array): void;
  /** The next answer, taken apart by its Content-Length; the one to a HEAD has no body. */
  answer(options?: { isHead: boolean }): Promise<RawAnswer>;
  /** Resolves when the server has closed the connection. */
  closed(): Promise<void>;
  /** Goes away without a word. */
  destroy(): void;
}

/** From another address of this machine where one is given. */
export function openRawSocket(port: number, localAddress = '127.0.0.1'): Promise<RawSocket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: '127.0.0.1', port, localAddress, noDelay: true });
    let received: Buffer = Buffer.alloc(0);
    let look: () => void = () => undefined;
    const closing = new Promise<void>((ended) => socket.on('close', () => ended()));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      look();
    });
    // A reset is one way of closing; `closed` tells.
    socket.on('error', (error) => reject(error));
    socket.on('connect', () =>
      resolve({
        write: (bytes) => void socket.write(bytes),
        answer: ({ isHead } = { isHead: false }) =>
          new Promise((found, failed) => {
            look = () => {
              const taken = takeAnswer(received, isHead);
              if (taken === undefined) return;
              received = taken.rest;
              found(taken.answer);
            };
            look();
            void closing.then(() => failed(new Error(`closed after: ${received.toString()}`)));
          }),
        closed: () => closing,
        destroy: () => void socket.destroy(),
      }),
    );
  });
}

function takeAnswer(received: Buffer, isHead: boolean) {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = received.subarray(0, headEnd).toString().split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const bodyEnd = headEnd + 4 + (isHead ? 0 : Number(headers['content-length'] ?? 0));
  if (received.length < bodyEnd) return undefined;
  const text = received.subarray(headEnd + 4, bodyEnd).toString();
  const isJson = headers['content-type'] === 'application/json' && text !== '';
  const answer: RawAnswer = {
    status: Number(statusLine.split(' ')[1]),
    headers,
    text,
    body: isJson ? JSON.parse(text) : null,
  };
  return { answer, rest: received.subarray(bodyEnd) };
}
