import type { Realms } from '../../admin/deployment.ts';
import { CONSOLE_ROWS_MAX } from '../../domain/limits.ts';
import type { OpenSocket } from '../../transport/event-socket.ts';
import type { ConnectionsView, SlowSocket } from '../wire.ts';

export interface ConnectionsInput {
  readonly realms: Realms | null;
  readonly sockets: Iterable<OpenSocket>;
  readonly polls: number;
}

/** Counts open sockets by the client program, and lists those that do not take what is sent. */
export function connectionsView({ realms, sockets, polls }: ConnectionsInput): ConnectionsView {
  const counts = new Map<string, number>();
  const behind: OpenSocket[] = [];
  let open = 0;
  for (const socket of sockets) {
    open += 1;
    counts.set(socket.userAgent, (counts.get(socket.userAgent) ?? 0) + 1);
    if (socket.bufferedBytes > 0) behind.push(socket);
  }
  const clients = new Map<string, ConnectionsView['clients'][number]>();
  for (const [userAgent, count] of counts) {
    const { client, version } = clientIn(userAgent);
    const name = `${client} ${version}`;
    clients.set(name, { client, version, sockets: (clients.get(name)?.sockets ?? 0) + count });
  }
  return {
    sockets: open,
    polls,
    clients: [...clients.values()]
      .sort((one, other) => other.sockets - one.sockets)
      .slice(0, CONSOLE_ROWS_MAX),
    slow: behind
      .sort((one, other) => other.bufferedBytes - one.bufferedBytes)
      .slice(0, CONSOLE_ROWS_MAX)
      .map((socket) => slow(realms, socket)),
  };
}

/** Browsers all begin with `Mozilla/5.0`; their own names come later, in the order of this list. */
const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'];

/** Returns the name and the version in a `User-Agent`. */
function clientIn(userAgent: string): { client: string; version: string } {
  const browser = BROWSERS.find((name) => userAgent.includes(`${name}/`));
  const isBrowser = userAgent.startsWith('Mozilla/') && browser !== undefined;
  const from = isBrowser ? userAgent.slice(userAgent.indexOf(`${browser}/`)) : userAgent;
  const [, client = '', version = ''] = /^([^/\s]+)(?:\/(\S+))?/.exec(from.trim()) ?? [];
  return {
    client: client.slice(0, TEXT_LENGTH_MAX) || 'unknown',
    version: version.slice(0, TEXT_LENGTH_MAX),
  };
}

/** A client may send any text. */
const TEXT_LENGTH_MAX = 60;

function slow(realms: Realms | null, socket: OpenSocket): SlowSocket {
  const realm = realms?.all().find(({ id }) => id === socket.realmId);
  const user = realm?.isOpen() ? realm.reader.users.get([socket.userId]) : undefined;
  return {
    realm: realm?.stringId ?? '',
    user: user?.email ?? `user ${socket.userId}`,
    client: clientIn(socket.userAgent).client,
    bufferedBytes: socket.bufferedBytes,
    stalledMs: socket.stalledMs,
  };
}
