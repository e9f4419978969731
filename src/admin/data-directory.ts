import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why a data directory cannot be used, in one line for the operator. */
export class DataDirectoryError extends Error {}

/** Raised when the layout of the directory changes; that of a realm has its own version (`storage/schema.ts`). */
const LAYOUT_VERSION = 1;
/** The kernel's bound on the path of a socket, less the terminating zero. */
const SOCKET_PATH_LENGTH_MAX = 107;

export interface DataDirectory {
  readonly path: string;
  release(): Promise<void>;
}

/**
 * Takes a data directory for this process alone. The lock is a Unix socket that is listened on: it answers as long as
 * its process lives and no longer, so a kill leaves nothing to clean up. The same socket takes commands from the command
 * line; only the owner of the directory can connect.
 */
export async function takeDataDirectory(
  path: string,
  onConnection: (socket: net.Socket) => void,
): Promise<DataDirectory> {
  mkdirSync(join(path, 'realms'), { recursive: true, mode: 0o700 });
  const socketPath = controlSocketPath(path);
  if (await isAnswered(socketPath)) {
    throw new DataDirectoryError(`${path} is locked by a running confab server`);
  }
  clearStale(socketPath);
  const server = net.createServer(onConnection);
  await listen(server, socketPath, path);
  try {
    checkVersion(path);
  } catch (error) {
    server.close();
    throw error;
  }
  return {
    path,
    release: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
      }),
  };
}

/** Where the server of a directory takes commands. Beside the data, or in the temporary folder when the path is too long. */
export function controlSocketPath(path: string): string {
  const own = join(realpathSync(path), 'control.sock');
  if (Buffer.byteLength(own) <= SOCKET_PATH_LENGTH_MAX) return own;
  const hash = createHash('sha256').update(own).digest('hex').slice(0, 32);
  return join(tmpdir(), `confab-${hash}.sock`);
}

export function isAnswered(socketPath: string): Promise<boolean> {
  if (!existsSync(socketPath)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = net.connect(socketPath);
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** Moved away before it is removed, so that of two servers that start at once only one finds the name free. */
function clearStale(socketPath: string) {
  if (!existsSync(socketPath)) return;
  const stale = `${socketPath}.${process.pid}`;
  renameSync(socketPath, stale);
  rmSync(stale, { force: true });
}

function listen(server: net.Server, socketPath: string, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', (error) =>
      reject(new DataDirectoryError(`${path} cannot be locked: ${error.message}`)),
    );
    server.listen(socketPath, () => {
      chmodSync(socketPath, 0o600);
      resolve();
    });
  });
}

function checkVersion(path: string) {
  const file = join(path, 'layout.json');
  if (!existsSync(file)) {
    writeFileSync(file, `${JSON.stringify({ version: LAYOUT_VERSION })}\n`);
    return;
  }
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: number };
  if (version > LAYOUT_VERSION) {
    throw new DataDirectoryError(
      `${path} was written by a newer version of confab (layout ${version}; this one knows ${LAYOUT_VERSION})`,
    );
  }
}
