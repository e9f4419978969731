import { WebSocket } from 'ws';
import { type Chat, connect } from '../../client/src/index.ts';
import { basicAuthorization, type Credentials } from './api.ts';
import type { Address } from './stream.ts';

// A process whose only work is to listen, by the client library or by bare sockets of the same
// class, so that its CPU time is what listening costs.

export interface Listening {
  readonly address: Address;
  readonly by: 'library' | 'bare sockets';
  readonly people: readonly Credentials[];
}

export interface Heard {
  /** Messages that came, to all listeners together. */
  readonly messages: number;
  /** CPU time of the process, in microseconds. */
  readonly cpuUs: number;
}

const REGISTER = { event_types: ['message'], fetch_event_types: [] };

let messages = 0;

const taken = (event: { readonly type: string }) => {
  if (event.type === 'message') messages += 1;
};

/** Resolves when the socket of this account has its queue. */
function byLibrary(url: string, { email, api_key: key }: Credentials): Promise<void> {
  const chat: Chat = connect({ url, credentials: { email, key }, WebSocket, register: REGISTER });
  chat.on('event', taken);
  return new Promise((resolve, reject) => {
    chat.on('status', ({ state, error }) => {
      if (state === 'live') resolve();
      if (state === 'ended') reject(error);
    });
  });
}

/** Does the least that a program has to: it parses each frame, and looks at each event. */
function bySocket(url: string, person: Credentials): Promise<void> {
  const socket = new WebSocket(
    `${url.replace('http', 'ws')}/api/v1/events/socket`,
    ['chat.v1.json'],
    { headers: { authorization: basicAuthorization(person) }, perMessageDeflate: false },
  );
  return new Promise((resolve, reject) => {
    socket.on('open', () => socket.send(JSON.stringify({ type: 'register', params: REGISTER })));
    socket.on('error', reject);
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as Frame;
      if (frame.type === 'registered') resolve();
      if (frame.type === 'error') reject(new Error(frame.msg));
      for (const event of frame.events ?? []) taken(event);
    });
  });
}

interface Frame {
  readonly type: string;
  readonly msg?: string;
  readonly events?: readonly { readonly type: string }[];
}

async function listen({ address: { host, port }, by, people }: Listening) {
  const url = `http://${host}:${port}`;
  const open = by === 'library' ? byLibrary : bySocket;
  await Promise.all(people.map((person) => open(url, person)));
}

function heard(): Heard {
  const { user, system } = process.cpuUsage();
  return { messages, cpuUs: user + system };
}

process.on('message', (asked: Listening | 'heard') => {
  const answer = asked === 'heard' ? Promise.resolve() : listen(asked);
  answer.then(
    () => process.send?.(heard()),
    (error) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
