import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const PROBE_MS_MAX = 1_000;
/** A gateway that has lost its writer takes half a second; on a busy machine it takes more. */
const FORMER_MS_MAX = 5_000;
const FORMER_LOOK_MS = 50;

export class ListenError extends Error {}

export interface Place {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
}

/** A port that no other server of this program listens on until it is released. */
export interface ClaimedPort {
  readonly port: number;
  release(): void;
}

/**
 * Claims the port for this process alone; rejects if another program has it. One that the kernel
 * picks can be taken by another connection before it is listened on.
 */
export async function claimPort({ host, port }: Place): Promise<ClaimedPort> {
  if (port === 0) return await claim(host, await freePort(host));
  const claimed = await claim(host, port);
  try {
    await requireFree(host, port);
    return claimed;
  } catch (error) {
    claimed.release();
    throw error;
  }
}

/**
 * Claims the port for processes that share it. Waits for the gateways of a run before this one:
 * where that was killed, they end after it.
 */
export async function claimSharedPort(place: Place): Promise<ClaimedPort> {
  const until = performance.now() + FORMER_MS_MAX;
  for (;;) {
    try {
      return await claimPort(place);
    } catch (error) {
      if (performance.now() >= until) throw error;
    }
    await pause(FORMER_LOOK_MS);
  }
}

/**
 * Takes a name that one process can have at a time, and that the kernel takes back however the
 * process ends: a socket in Linux' abstract namespace, which belongs to a network namespace as
 * ports do. Without it, two servers that start at once would both find the port free and share it,
 * since the socket library has the kernel give each of them every other connection.
 */
function claim(host: string, port: number): Promise<ClaimedPort> {
  const holder = net.createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    const claimed = { port, release: () => void holder.close() };
    if (process.platform !== 'linux') return resolve({ port, release: () => undefined });
    holder.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      const reason = code === 'EADDRINUSE' ? 'the port is in use' : message;
      reject(new ListenError(`cannot listen on ${host}:${port}: ${reason}`));
    });
    holder.listen(`\0confab ${host}:${port}`, () => {
      holder.unref();
      resolve(claimed);
    });
  });
}

/**
 * Finds a free port. The library marks a port as reusable only when it is given by number; a port
 * that the kernel picks for it could not be listened on again for a minute after a restart.
 */
function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.on('error', (error) =>
      reject(new ListenError(`cannot listen on ${host}: ${error.message}`)),
    );
    probe.listen({ host, port: 0 }, () => {
      const { port } = probe.address() as net.AddressInfo; // the address of a TCP server has a port
      probe.close(() => resolve(port));
    });
  });
}

/**
 * Tries to connect first, because the socket library shares a port that another process listens on,
 * and its exclusive mode refuses a port for a minute after a restart.
 */
function requireFree(host: string, port: number): Promise<void> {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return new Promise((resolve, reject) => {
    const probe = net.connect({ host: reached, port });
    probe.on('connect', () => {
      probe.destroy();
      reject(new ListenError(`cannot listen on ${host}:${port}: the port is in use`));
    });
    const isFree = () => {
      probe.destroy();
      resolve();
    };
    probe.on('error', isFree);
    // If the address does not answer at all, no process listens on it.
    probe.setTimeout(PROBE_MS_MAX, isFree);
  });
}
