import net, { type AddressInfo } from 'node:net';

/** Returns a port of this machine that nobody listens at now, for a program that cannot choose. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo; // an address of a TCP server has a port
      probe.close(() => resolve(port));
    });
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
