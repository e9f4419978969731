import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  type NatsConnection,
} from '@nats-io/transport-node';
import { OPEN_MS } from '../bounds.ts';
import { ClusterClosedError, LogSetupError, LogUnreachableError } from '../errors.ts';
import { addressOf } from './server-address.ts';

export interface NatsOptions {
  /** URLs of servers, `nats://host:4222` or `tls://host:4222`; all are of one kind. */
  readonly servers: readonly string[];
  /** The name of this node, which the servers show for its connection. */
  readonly node: string;
  /** The path of a file with credentials (`.creds`). */
  readonly credentials?: string | undefined;
  /** The path of a file with certificates of authorities, for servers by `tls://`. */
  readonly authorities?: string | undefined;
  /** URLs of the monitoring ports of the servers; otherwise port 8222 of each is asked. */
  readonly monitors?: readonly string[] | undefined;
  /** Allows servers and streams that may lose what was acknowledged: for tests. */
  readonly isUnsafe?: boolean | undefined;
  /** Is told what an operator should know: servers that are lost and found, and doubts. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** The connection of a node to the servers, which comes back by itself. */
export interface Link {
  readonly connection: NatsConnection;
  isConnected(): boolean;
  /** Resolves once the servers are reached; rejects if that takes too long. */
  reached(timeoutMs: number): Promise<void>;
  /** Calls back when the servers were lost or found. Returns what ends that. */
  watch(onChange: () => void): () => void;
  /** Tells the log of the node what an operator should know. */
  notice(notice: string): void;
  close(): Promise<void>;
}

/** Between two attempts at a server, so that nodes do not all come back at once. */
const AGAIN_MS = { least: 50, more: 250 };
/** A server that is silent for so long, twice, is given up for another one. */
const PING_MS = 1_500;
const CONNECT_MS = 2_000;

export async function openLink(
  options: NatsOptions,
  ofConnection: ConnectionOptions,
): Promise<Link> {
  const connection = await connectWithin(ofConnection);
  const watchers = new Set<() => void>();
  let isThere = true;
  let isClosed = false;
  const tell = () => {
    for (const onChange of [...watchers]) onChange();
  };

  async function follow(): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect' || status.type === 'reconnect') {
        isThere = status.type === 'reconnect';
        const what = isThere ? 'is connected to' : 'has lost';
        options.onNotice?.(`The node ${what} the NATS server ${status.server}.`);
        tell();
      } else if (status.type === 'error') options.onNotice?.(`NATS says: ${status.error.message}`);
    }
  }
  follow().catch((error: unknown) => options.onNotice?.(`NATS has failed: ${String(error)}`));

  const link: Link = {
    connection,
    isConnected: () => isThere && !isClosed && !connection.isClosed(),
    async reached(timeoutMs) {
      if (isClosed) throw new ClusterClosedError('The connection to NATS was closed');
      if (link.isConnected()) return;
      await new Promise<void>((resolve, reject) => {
        const end = (outcome: () => void) => {
          clearTimeout(timer);
          unwatch();
          outcome();
        };
        const timer = setTimeout(
          () => end(() => reject(new LogUnreachableError('No NATS server is reached'))),
          timeoutMs,
        );
        const unwatch = link.watch(() => {
          if (isClosed) end(() => reject(new ClusterClosedError('The connection was closed')));
          else if (isThere) end(resolve);
        });
      });
    },
    watch(onChange) {
      watchers.add(onChange);
      return () => watchers.delete(onChange);
    },
    notice: (notice) => options.onNotice?.(notice),
    async close() {
      if (isClosed) return;
      isClosed = true;
      tell();
      await connection.close();
    },
  };
  return link;
}

/** Returns how the client is told to connect, with the addresses of all servers. */
export async function connectionOptions(options: NatsOptions): Promise<ConnectionOptions> {
  const { servers, node, credentials, authorities } = options;
  const isTls = servers.every((url) => url.startsWith('tls://'));
  if (servers.length === 0 || !(isTls || servers.every((url) => url.startsWith('nats://')))) {
    throw new RangeError(
      'Give the URLs of the NATS servers as nats://host:4222, or all as tls://host:4222.',
    );
  }
  const trusted = {
    ...(authorities === undefined ? {} : { ca: await readFile(authorities, 'utf8') }),
    checkServerIdentity: identityAmong(servers),
  };
  const authenticator =
    credentials === undefined ? undefined : credsAuthenticator(await readFile(credentials));
  const addresses = servers.map(addressOf);
  // All servers know the same account.
  const account = addresses.find(({ user }) => user !== '');
  return {
    servers: addresses.map(({ hostInUrl, port }) => `${hostInUrl}:${port}`),
    ...(account === undefined ? {} : { user: account.user, pass: account.password }),
    name: `confab ${node}`,
    ...(authenticator === undefined ? {} : { authenticator }),
    ...(isTls ? { tls: trusted } : {}),
    maxReconnectAttempts: -1,
    reconnectDelayHandler: () => AGAIN_MS.least + Math.random() * AGAIN_MS.more,
    pingInterval: PING_MS,
    maxPingOut: 2,
    timeout: CONNECT_MS,
  };
}

/**
 * The client does not say which server it is that has an address and no name, and Node then takes
 * `localhost` for its name. Such a one is right if its certificate is for one of the addresses.
 */
function identityAmong(servers: readonly string[]) {
  const hosts = servers.map((server) => addressOf(server).host);
  const addresses = hosts.filter((host) => isIP(host) !== 0);
  return (name: string, certificate: PeerCertificate): Error | undefined => {
    const isUnnamed = name === 'localhost' && !hosts.includes(name) && addresses.length > 0;
    const names = isUnnamed ? addresses : [name];
    const faults = names.map((one) => checkServerIdentity(one, certificate));
    return faults.includes(undefined) ? undefined : faults[0];
  };
}

async function connectWithin(options: ConnectionOptions): Promise<NatsConnection> {
  const until = Date.now() + OPEN_MS;
  for (;;) {
    try {
      return await connect(options);
    } catch (error) {
      // A server that refuses us for what we are is not asked again.
      const isFinal = error instanceof Error && /authoriz|authentic|TLS|cert/i.test(error.message);
      if (isFinal || Date.now() > until) {
        const servers = String(options.servers);
        const why = error instanceof Error ? error.message : String(error);
        throw new LogSetupError(`None of the NATS servers ${servers} was reached: ${why}`, {
          cause: error,
        });
      }
      await pause(500);
    }
  }
}
