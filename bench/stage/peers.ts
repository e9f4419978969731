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

/** A room of the peer with so many listeners, and one more member who speaks. */
export async function peerSubject(peer: Peer, listenerCount: number): Promise<Loaded> {
  const { protocol, start } = KINDS[peer];
  const directory = temporaryDirectory();
  const server = await start(directory.path);
  const load = startLoadProcess();
  await load.ask('target', server.address);
  const content = { length: CONTENT_LENGTH };
  await load.ask('join', { protocol, listenerCount, content });
  return {
    server,
    load,
    pids: { server: server.pid, generator: load.pid },
    stop: async () => {
      load.stop();
      await server.stop();
      directory.remove();
    },
  };
}
