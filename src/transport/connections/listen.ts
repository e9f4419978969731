import { readFileSync } from 'node:fs';
import net from 'node:net';
import { createServer } from 'node:tls';
import { socketLibrary, type TemplatedApp, type us_listen_socket } from '../library/sockets.ts';
import { refuseAll, watchDescriptors } from './descriptors.ts';

const PROBE_MS_MAX = 1_000;
/**
 * The library lets 512 connections wait to be accepted, and the kernel drops what comes beyond: a client then tries again
 * after one, two and four seconds. Sockets that share the port have a queue each, so that ten thousand clients can come
 * back at once.
 */
const LISTENING_SOCKETS = 16;

export class ListenError extends Error {}

export interface Listener {
  readonly port: number;
  /** No new connections; open ones stay. */
  close(): void;
}

interface ListenInput {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly tls: { readonly key: string; readonly cert: string } | null;
  /** File descriptors ran out, or are there again. */
  readonly onShort?: (isShort: boolean) => void;
}

/** Opens the port, after `mount` has set up what is served. Rejects when the port cannot be had. */
export async function listen(
  input: ListenInput,
  mount: (app: TemplatedApp) => void,
): Promise<Listener> {
  const { host, port, tls, onShort = () => undefined } = input;
  if (port !== 0) await requireFree(host, port);
  const { App, SSLApp, us_socket_local_port } = socketLibrary();
  const app = tls === null ? App() : SSLApp(tlsOptions(tls));
  mount(app);
  let sockets = await (port === 0 ? onAnyPort(app, host) : listeningSockets(app, { host, port }));
  const [first] = sockets;
  if (first === undefined) throw new ListenError(`nothing listens on ${host}:${port}`);
  const place = { host, port: us_socket_local_port(first) };
  const shut = () => {
    closeAll(sockets);
    sockets = [];
  };
  const stopWatching = watchDescriptors({
    shut,
    async open() {
      sockets = await listeningSockets(app, place);
    },
    substitute: substituteAt(place, tls),
    onShort,
  });
  return {
    port: place.port,
    close() {
      stopWatching();
      shut();
    },
  };
}

/** Makes a server of Node's own that turns everybody away. */
function substituteAt(place: Pick<ListenInput, 'host' | 'port'>, tls: ListenInput['tls']) {
  // Now, while files can be read.
  const options =
    tls === null ? null : { key: readFileSync(tls.key), cert: readFileSync(tls.cert) };
  return () =>
    new Promise<net.Server>((resolve, reject) => {
      const server =
        options === null
          ? refuseAll(net.createServer(), 'connection')
          : refuseAll(createServer(options), 'secureConnection');
      server.on('error', reject);
      server.listen(place, () => resolve(server));
    });
}

/**
 * Of TLS 1.2 the suites that RFC 9325 (4.2) recommends: a fresh key for each connection, and nothing in CBC, whose padding
 * was attacked again and again. Those of TLS 1.3 are all such, and this names none of them.
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

/** Between the moment when a port was free and that when it is listened on, somebody's connection may have been given it. */
const ANY_PORT_ATTEMPTS = 5;

async function onAnyPort(app: TemplatedApp, host: string): Promise<us_listen_socket[]> {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort(host);
    try {
      return await listeningSockets(app, { host, port });
    } catch (error) {
      if (attempt === ANY_PORT_ATTEMPTS) throw error;
    }
  }
}

/** All of them or none. */
async function listeningSockets(
  app: TemplatedApp,
  place: Pick<ListenInput, 'host' | 'port'>,
): Promise<us_listen_socket[]> {
  const sockets: us_listen_socket[] = [];
  try {
    while (sockets.length < LISTENING_SOCKETS) sockets.push(await listeningSocket(app, place));
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

function listeningSocket(
  app: TemplatedApp,
  { host, port }: Pick<ListenInput, 'host' | 'port'>,
): Promise<us_listen_socket> {
  return new Promise((resolve, reject) => {
    app.listen(host, port, (socket: us_listen_socket | false) => {
      if (socket !== false) return resolve(socket);
      reject(new ListenError(`cannot listen on ${host}:${port}: in use, not allowed or not ours`));
    });
  });
}

/**
 * The library marks a port as its own to take again only when it is given by number; one that the kernel picks for it
 * could not be listened on again for a minute after a restart.
 */
function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.on('error', (error) =>
      reject(new ListenError(`cannot listen on ${host}: ${error.message}`)),
    );
    probe.listen({ host, port: 0 }, () => {
      const { port } = probe.address() as net.AddressInfo; // an address of a TCP server has a port
      probe.close(() => resolve(port));
    });
  });
}

/**
 * The socket library shares a port that another process listens on, and its exclusive mode refuses a port for a minute
 * after a restart. So somebody who answers there is looked for first.
 */
function requireFree(host: string, port: number): Promise<void> {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return new Promise((resolve, reject) => {
    const probe = net.connect({ host: reached, port });
    probe.on('connect', () => {
      probe.destroy();
      reject(new ListenError(`cannot listen on ${host}:${port}: the port is in use`));
    });
    const isFree = () => {
      probe.destroy();
      resolve();
    };
    probe.on('error', isFree);
    // An address that answers nothing at all has nobody who listens.
    probe.setTimeout(PROBE_MS_MAX, isFree);
  });
}
