import net, { type AddressInfo } from 'node:net';

/**
 * A proxy that holds packets back, for kernels without `netem`: it delays what goes through, stops
 * one direction or both, and ends connections.
 */
export interface Proxy {
  readonly port: number;
  /** Delays each direction by this. */
  delay(ms: number): void;
  /** Holds what goes to the server, or what comes from it; nothing of it is lost. */
  hold(direction: 'to' | 'from' | 'both'): void;
  /** Lets through what was held, and what comes. */
  heal(): void;
  /** Ends all connections, and takes new ones. */
  reset(): void;
  close(): void;
}

/** A direction stops to read once it holds so much, as the buffers of a network would. */
const HELD_BYTES_MAX = 8 * 1_048_576;

export function openProxy(target: { readonly host: string; readonly port: number }, host: string) {
  let delayMs = 0;
  const held = { to: false, from: false };
  const sockets = new Set<net.Socket>();
  const pumps = new Set<() => void>();

  function pump(direction: 'to' | 'from', source: net.Socket, sink: net.Socket): void {
    const waiting: { readonly at: number; readonly chunk: Buffer }[] = [];
    let bytes = 0;
    let timer: NodeJS.Timeout | undefined;
    const go = () => {
      clearTimeout(timer);
      while (!held[direction]) {
        const first = waiting[0];
        if (first === undefined) return;
        const wait = first.at - Date.now();
        if (wait > 0) {
          timer = setTimeout(go, wait);
          return;
        }
        waiting.shift();
        bytes -= first.chunk.length;
        if (!sink.destroyed) sink.write(first.chunk);
        if (bytes < HELD_BYTES_MAX) source.resume();
      }
    };
    pumps.add(go);
    source.on('data', (chunk: Buffer) => {
      waiting.push({ at: Date.now() + delayMs, chunk });
      bytes += chunk.length;
      if (bytes >= HELD_BYTES_MAX) source.pause();
      go();
    });
    source.on('close', () => {
      clearTimeout(timer);
      pumps.delete(go);
    });
  }

  const server = net.createServer((client) => {
    const upstream = net.connect(target.port, target.host);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => one.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    pump('to', client, upstream);
    pump('from', upstream, client);
  });

  return new Promise<Proxy>((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, host, () => {
      const { port } = server.address() as AddressInfo; // an address of a TCP server has a port
      const go = () => {
        for (const next of [...pumps]) next();
      };
      const reset = () => {
        for (const socket of [...sockets]) socket.destroy();
      };
      resolve({
        port,
        delay(ms) {
          delayMs = ms;
        },
        hold(direction) {
          if (direction !== 'from') held.to = true;
          if (direction !== 'to') held.from = true;
        },
        heal() {
          held.to = false;
          held.from = false;
          delayMs = 0;
          go();
        },
        reset,
        close() {
          reset();
          server.close();
        },
      });
    });
  });
}
