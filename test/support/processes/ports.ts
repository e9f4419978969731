import net from 'node:net';

/** Tests whether somebody listens at a port of this machine. */
export const isUp = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = net.connect(port, '127.0.0.1', () => {
      probe.destroy();
      resolve(true);
    });
    probe.on('error', () => resolve(false));
  });
