import { readFileSync } from 'node:fs';
import net from 'node:net';
import { createServer } from 'node:tls';
import { socketLibrary, type TemplatedApp, type us_listen_socket } from '../library/sockets.ts';
import { refuseAll, watchDescriptors } from './descriptors.ts';
import { type Front, lone, openFront } from './front.ts';
import { claimPort, ListenError, type Place } from './ports.ts';

/**
 * The library lets 512 connections wait to be accepted, and the kernel drops further ones: such a
 * client tries again after one, two and four seconds. Sockets that share the port have a queue
 * each, so that ten thousand clients can come back at once.
 */
const LISTENING_SOCKETS = 16;

/** Returns how many sockets each of so many processes opens that share a port. */
export const listeningSocketsOf = (processes: number): number =>
  Math.max(1, Math.round(LISTENING_SOCKETS / processes));

export interface Listener {
  readonly port: number;
  /**
   * Serves new connections with the key and the certificate that the files hold now; open ones go
   * on with the former. Rejects if the library does not take them, and changes nothing then.
   */
  readTlsAgain(): Promise<void>;
  /** Accepts no new connections; open ones stay. */
  close(): void;
}

interface ListenInput extends Place {
  readonly tls: { readonly key: string; readonly cert: string } | null;
  /** The sockets to open where other processes listen on the port, too; by default none does. */
  readonly shares?: number;
  /** Called when file descriptors ran out, and when they are free again. */
  readonly onShort?: (isShort: boolean) => void;
}

/** Opens the port after `mount` has set up the routes. Rejects if the port is not available. */
export async function listen(
  input: ListenInput,
  mount: (app: TemplatedApp) => void,
): Promise<Listener> {
  const { host, port, tls, shares, onShort = () => undefined } = input;
  let front = frontWith(tls, mount);
  const claimed = shares === undefined ? await claimedSockets(front.app, { host, port }) : null;
  let sockets = claimed?.sockets ?? (await listeningSockets(front.app, { host, port }, shares));
  const [first] = sockets;
  if (first === undefined) throw new ListenError(`nothing listens on ${host}:${port}`);
  const place = { host, port: socketLibrary().us_socket_local_port(first) };
  let pair = readPair(tls);
  let isShut = false;
  const shut = () => {
    isShut = true;
    closeAll(sockets);
    sockets = [];
  };
  const open = async (from: TemplatedApp) => {
    const opened = await listeningSockets(from, place, shares);
    // The new sockets listen before the former are closed, so that no client is refused in between.
    closeAll(sockets);
    sockets = opened;
    isShut = false;
  };
  const stopWatching = watchDescriptors({
    shut,
    open: () => open(front.app),
    substitute: () => substituteAt(place, pair),
    onShort,
  });
  let isClosed = false;
  return {
    port: place.port,
    async readTlsAgain() {
      if (tls === null || isClosed) return;
      const newPair = readPair(tls);
      const next = appWith(tls, mount);
      if (!front.handTo(next)) {
        // Without descriptors nothing listens now; the watch then opens the sockets of the new app.
        if (!isShut) await open(next);
        front = lone(next);
      }
      pair = newPair;
      if (isClosed) shut();
    },
    close() {
      isClosed = true;
      stopWatching();
      shut();
      claimed?.release();
    },
  };
}

function frontWith(tls: ListenInput['tls'], mount: (app: TemplatedApp) => void): Front {
  const first = appWith(tls, mount);
  return tls === null
    ? lone(first)
    : openFront(
        appWith(tls, () => undefined),
        first,
      );
}

function appWith(tls: ListenInput['tls'], mount: (app: TemplatedApp) => void): TemplatedApp {
  const { App, SSLApp } = socketLibrary();
  const app = tls === null ? App() : SSLApp(tlsOptions(tls));
  mount(app);
  return app;
}

interface Pair {
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** Reads the files ahead, since no descriptor is left for them when they are needed. */
const readPair = (tls: ListenInput['tls']): Pair | null =>
  tls === null ? null : { key: readFileSync(tls.key), cert: readFileSync(tls.cert) };

/** Makes a server of Node that turns all clients away. */
function substituteAt(place: Place, pair: Pair | null) {
  return new Promise<net.Server>((resolve, reject) => {
    const server =
      pair === null
        ? refuseAll(net.createServer(), 'connection')
        : refuseAll(createServer(pair), 'secureConnection');
    server.on('error', reject);
    server.listen(place, () => resolve(server));
  });
}

/**
 * The suites of TLS 1.2 that RFC 9325 (4.2) recommends: a fresh key for each connection, and
 * nothing in CBC, whose padding was attacked again and again. All suites of TLS 1.3 are such, so
 * the list has none of them.
 */
const TLS_1_2_SUITES = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

const tlsOptions = ({ key, cert }: NonNullable<ListenInput['tls']>) => ({
  key_file_name: key,
  cert_file_name: cert,
  ssl_ciphers: TLS_1_2_SUITES,
});

/**
 * Attempts at a port of the kernel's choice: another server may have claimed it and not listen yet,
 * and the kernel may give it to a connection meanwhile.
 */
const ANY_PORT_ATTEMPTS = 5;

/** Opens sockets at a port that this process has for itself. */
async function claimedSockets(app: TemplatedApp, place: Place) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await claimAndOpen(app, place);
    } catch (error) {
      if (place.port !== 0 || attempt === ANY_PORT_ATTEMPTS) throw error;
    }
  }
}

async function claimAndOpen(app: TemplatedApp, place: Place) {
  const { port, release } = await claimPort(place);
  try {
    return { sockets: await listeningSockets(app, { host: place.host, port }), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Opens all of the sockets or none. */
async function listeningSockets(
  app: TemplatedApp,
  place: Place,
  count = LISTENING_SOCKETS,
): Promise<us_listen_socket[]> {
  const sockets: us_listen_socket[] = [];
  try {
    while (sockets.length < count) sockets.push(await listeningSocket(app, place));
    return sockets;
  } catch (error) {
    closeAll(sockets);
    throw error;
  }
}

function closeAll(sockets: readonly us_listen_socket[]) {
  const { us_listen_socket_close } = socketLibrary();
  for (const socket of sockets) us_listen_socket_close(socket);
}

function listeningSocket(app: TemplatedApp, { host, port }: Place): Promise<us_listen_socket> {
  return new Promise((resolve, reject) => {
    app.listen(host, port, (socket: us_listen_socket | false) => {
      if (socket !== false) return resolve(socket);
      reject(new ListenError(`cannot listen on ${host}:${port}: in use, not allowed or not ours`));
    });
  });
}
