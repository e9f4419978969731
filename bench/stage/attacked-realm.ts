import { connect } from 'node:net';
import { basicAuthorization, type Credentials, callOnce, requestText } from '../load/api.ts';
import { openPool } from '../load/http.ts';
import type { Address } from '../load/stream.ts';
import { confabCommand } from '../servers/start.ts';
import type { Place } from './audience.ts';

/** A second realm of a server, and somebody in it who means no good. */
export interface AttackedRealm {
  /** Where requests to it go. */
  readonly address: Address;
  /** The same as its requests name it: a realm is chosen by the first label of the host. */
  readonly host: Address;
  readonly owner: Credentials;
  /** A bot that other services send through. */
  readonly hook: Credentials;
}

const NAME = 'attacked';
const CHANNEL = 'attacked';

/** Makes the realm by the command line of the running server. */
export async function openAttackedRealm({ address, data }: Place): Promise<AttackedRealm> {
  if (data === undefined) throw new Error('a realm is made where the data directory is');
  const there = ['--realm', NAME];
  const email = `owner@${NAME}.example.com`;
  await confabCommand(data, ['realm', 'create', NAME]);
  const [owner] = await confabCommand(data, [
    ...['user', 'create', '--email', email, '--name', 'Owner', '--role', 'owner', ...there],
  ]);
  const [hook] = await confabCommand(data, [
    ...['bot', 'create', '--email', `hook@${NAME}.example.com`, '--name', 'Hook'],
    ...['--owner', email, '--type', 'incoming-webhook', ...there],
  ]);
  const realm: AttackedRealm = {
    address,
    host: { ...address, host: `${NAME}.localhost` },
    owner: credentialsIn(owner),
    hook: credentialsIn(hook),
  };
  await callOnce(address, {
    ...{ method: 'POST', path: '/users/me/subscriptions', host: realm.host },
    authorization: basicAuthorization(realm.owner),
    params: { subscriptions: JSON.stringify([{ name: CHANNEL }]) },
  });
  return realm;
}

function credentialsIn(line: Readonly<Record<string, unknown>> | undefined): Credentials {
  return { email: String(line?.['email']), api_key: String(line?.['api_key']) };
}

/** The bytes of a request of its owner. */
export const ownersRequest = (
  { host, owner }: AttackedRealm,
  method: 'GET' | 'POST',
  path: string,
  params?: Readonly<Record<string, string>>,
): string =>
  requestText(host, {
    method,
    path,
    authorization: basicAuthorization(owner),
    ...(params === undefined ? {} : { params }),
  });

/** The bytes of a message of its owner. */
export const messageRequest = (realm: AttackedRealm, content: string): string =>
  ownersRequest(realm, 'POST', '/messages', {
    type: 'stream',
    to: CHANNEL,
    topic: 'attack',
    content,
  });

/** Asks all of it, so many at a time; resolves when each has been answered or its connection has ended. */
export async function askAll(
  { address }: AttackedRealm,
  requests: readonly string[],
  inFlight: number,
): Promise<void> {
  const pool = openPool(address, inFlight);
  await Promise.all(
    requests.map((request) => new Promise<void>((resolve) => pool.send(request, () => resolve()))),
  );
  pool.close();
}

/** Sends bytes on connections of their own, and leaves them there unread; `hangUp` closes all. */
export function sendUnread({ address }: AttackedRealm, requests: readonly string[]) {
  const sockets = requests.map((request) => {
    const socket = connect(address.port, address.host);
    // Servers may well end them.
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(request);
    return socket;
  });
  return {
    hangUp: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
