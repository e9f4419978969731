import { randomInt } from 'node:crypto';
import net from 'node:net';

/**
 * Ports below those from which the kernel takes local ones. A client that connects to a port of
 * that range while nobody listens there can be given the same port and so meet itself; and a port
 * that the kernel gives away meanwhile is taken when a server comes back to it.
 */
const [FIRST, LAST] = [10_000, 32_767];

/**
 * Returns a port of this machine for a server that may stop and come back. No other call gets it,
 * in any process, until this process ends.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST + 1);
    if ((await isUnclaimed(port)) && (await isFree(port))) return port;
  }
}

/** Claims a port by a name that one process can have; Linux takes it back when that ends. */
function isUnclaimed(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return Promise.resolve(true);
  return new Promise((resolve) => {
    const holder = net.createServer((socket) => socket.destroy());
    holder.on('error', () => resolve(false));
    holder.listen(`\0a port of a test: ${port}`, () => {
      holder.unref();
      resolve(true);
    });
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.on('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
