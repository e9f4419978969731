import net from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy that does to connections what networks do. */
export interface CuttingProxy {
  readonly url: string;
  /** Connections that were made through it. */
  readonly connections: number;
  /** Upgrades that it refused. */
  readonly refusedUpgrades: number;
  /** Upgrades that it left without an answer. */
  readonly hungUpgrades: number;
  /** Ends all connections at once, without a word. */
  cut(): void;
  /** Passes nothing on any more, in both directions, and ends nothing; new connections hang. */
  hold(isHeld: boolean): void;
  /** Drops all that is held, without an end of the connections. */
  forget(): void;
  /** Refuses new connections. */
  close(isClosed: boolean): void;
  /** Answers every request for a WebSocket with 403. */
  blockSockets(isBlocked: boolean): void;
  /**
   * Leaves each request for a WebSocket without an answer: it is not passed on, or what the server
   * says to it is not.
   */
  hangSockets(what: 'requests' | 'answers' | null): void;
  /** Passes each piece on after so many milliseconds. */
  delay(ms: number): void;
  /** Calls `see` with each piece that the server sends, and cuts the connection if it is true. */
  watchAnswers(see: (bytes: Buffer) => boolean): void;
}

export async function openProxy(port: () => number): Promise<CuttingProxy> {
  const sockets = new Set<net.Socket>();
  const held: (() => void)[] = [];
  let isHeld = false;
  let isClosed = false;
  let areSocketsBlocked = false;
  let delayMs = 0;
  let connections = 0;
  let refusedUpgrades = 0;
  let hungUpgrades = 0;
  let hanging: 'requests' | 'answers' | null = null;
  let sees = (_: Buffer) => false;

  const whenPassed = (pass: () => void) => {
    if (isHeld) held.push(pass);
    else if (delayMs > 0) setTimeout(pass, delayMs);
    else pass();
  };
  const keep = (socket: net.Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  };

  const server = net.createServer((client) => {
    keep(client);
    if (isClosed) return client.resetAndDestroy();
    connections += 1;
    const upstream = net.connect(port(), '127.0.0.1');
    keep(upstream);
    let isHung = false;
    client.on('data', (bytes) => {
      const isUpgrade = /^upgrade: *websocket/im.test(bytes.toString('latin1'));
      if (isUpgrade && hanging !== null) {
        hungUpgrades += 1;
        isHung = true;
        if (hanging === 'requests') return;
      }
      if (areSocketsBlocked && isUpgrade) {
        refusedUpgrades += 1;
        client.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
        return upstream.destroy();
      }
      whenPassed(() => upstream.writable && upstream.write(bytes));
    });
    upstream.on('data', (bytes) => {
      if (isHung) return;
      if (sees(bytes)) {
        client.destroy();
        return upstream.destroy();
      }
      whenPassed(() => client.writable && client.write(bytes));
    });
    client.on('close', () => whenPassed(() => upstream.destroy()));
    upstream.on('close', () => whenPassed(() => client.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port: own } = server.address() as net.AddressInfo;

  return {
    url: `http://127.0.0.1:${own}`,
    get connections() {
      return connections;
    },
    get refusedUpgrades() {
      return refusedUpgrades;
    },
    get hungUpgrades() {
      return hungUpgrades;
    },
    cut() {
      for (const socket of sockets) socket.destroy();
    },
    hold(value) {
      isHeld = value;
      if (!isHeld) for (const pass of held.splice(0)) pass();
    },
    forget() {
      held.length = 0;
    },
    close(value) {
      isClosed = value;
    },
    blockSockets(value) {
      areSocketsBlocked = value;
    },
    hangSockets(what) {
      hanging = what;
    },
    delay(ms) {
      delayMs = ms;
    },
    watchAnswers(see) {
      sees = see;
    },
  };
}
