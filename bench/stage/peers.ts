import { startLoadProcess } from '../load/load-process.ts';
import type { ProtocolName } from '../load/rooms/member.ts';
import { temporaryDirectory } from '../servers/belongings.ts';
import { ejabberdLibraries, INSTALL_EJABBERD, startEjabberd } from '../servers/ejabberd.ts';
import { forkServer } from '../servers/start.ts';
import { CONTENT_LENGTH, type Loaded, type Server } from './subject.ts';

/** What somebody could take instead of confab for a room of many people. */
export const PEERS = ['ws', 'socket.io', 'ejabberd'] as const;
type Peer = (typeof PEERS)[number];

interface Kind {
  readonly protocol: ProtocolName;
  /** How to get it, when it is not there. */
  readonly missing: () => string | undefined;
  readonly start: (data: string) => Promise<Server>;
}

const KINDS: Readonly<Record<Peer, Kind>> = {
  ws: { protocol: 'ws', missing: () => undefined, start: () => startRoom('ws', 'ws-room') },
  'socket.io': {
    protocol: 'socket.io',
    missing: () => undefined,
    start: () => startRoom('socket.io', 'socket-io-room'),
  },
  ejabberd: {
    protocol: 'xmpp',
    missing: () => (ejabberdLibraries() === undefined ? INSTALL_EJABBERD : undefined),
    start: startEjabberd,
  },
};

const startRoom = (name: string, file: string) => forkServer({ name, file, parameters: [] });

export const missingPeer = (peer: Peer): string | undefined => KINDS[peer].missing();

/** A server of the peer that has one room of listeners after the other, each under a load process of its own. */
export interface PeerServer {
  /** So many listeners come, and one more member who speaks; they go when this is stopped. */
  readonly admit: (listenerCount: number) => Promise<Loaded>;
  readonly stop: () => Promise<void>;
}

export async function startPeer(peer: Peer): Promise<PeerServer> {
  const { protocol, start } = KINDS[peer];
  const directory = temporaryDirectory();
  const server = await start(directory.path);
  return {
    admit: async (listenerCount) => {
      const load = startLoadProcess();
      await load.ask('target', server.address);
      const content = { length: CONTENT_LENGTH };
      await load.ask('join', { protocol, listenerCount, content });
      return {
        server,
        load,
        pids: { server: server.pid, generator: load.pid },
        stop: async () => {
          await load.ask('leave', null);
          load.stop();
        },
      };
    },
    stop: async () => {
      await server.stop();
      directory.remove();
    },
  };
}
