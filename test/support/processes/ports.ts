import { randomInt } from 'node:crypto';
import net from 'node:net';

/** The kernel gives higher ones to connections, and to who asks for any port. */
const [FIRST, LAST] = [10_000, 32_767];

/**
 * Returns a port of this machine for a program that cannot choose, or that comes back to its port
 * after a kill. Nobody else takes it meanwhile: other tests see its name until this process ends.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST + 1);
    if ((await isNew(`\0a port of a test: ${port}`)) && (await isFree(port))) return port;
  }
}

/** Takes a name that one process can have at a time, which Linux takes back when that ends. */
function isNew(name: string): Promise<boolean> {
  if (process.platform !== 'linux') return Promise.resolve(true);
  return new Promise((resolve) => {
    const holder = net.createServer((socket) => socket.destroy());
    holder.on('error', () => resolve(false));
    holder.listen(name, () => {
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

/** Tests whether somebody listens at a port of this machine. */
export const isUp = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = net.connect(port, '127.0.0.1', () => {
      probe.destroy();
      resolve(true);
    });
    probe.on('error', () => resolve(false));
  });
