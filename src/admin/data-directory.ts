import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

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
  makeFolder(path);
  const socketPath = controlSocketPath(path);
  const open = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    onConnection(socket);
  });
  await alone(path, async () => {
    if (await isAnswered(socketPath)) {
      throw new DataDirectoryError(`${path} is locked by a running confab server`);
    }
    rmSync(socketPath, { force: true }); // what a killed server left
    await listen(server, socketPath, path);
  });
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
        // Someone who connected and says nothing must not hold up the end.
        for (const socket of open) socket.destroy();
      }),
  };
}

function makeFolder(path: string) {
  try {
    mkdirSync(join(path, 'realms'), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new DataDirectoryError(`${path} cannot be used: ${(error as Error).message}`);
  }
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

/** The folders that this process is about to take. */
const taking = new Set<string>();

/**
 * One at a time looks whether a directory is free and takes it: of two that start at once on what a killed server left,
 * the slower one would remove the new socket of the other. The file says whose turn it is; that of a process which is gone
 * means nothing.
 */
async function alone(path: string, take: () => Promise<void>) {
  const file = join(realpathSync(path), 'control.turn');
  const isOfNobody = !taking.has(file) && isOfGoneProcess(file);
  if (isOfNobody) rmSync(file, { force: true });
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch {
    throw new DataDirectoryError(`${path} is just being locked by another process (${file})`);
  }
  taking.add(file);
  try {
    await take();
  } finally {
    taking.delete(file);
    rmSync(file, { force: true });
  }
}

function isOfGoneProcess(file: string): boolean {
  if (!existsSync(file)) return false;
  const pid = Number(readFileSync(file, 'utf8'));
  if (pid === process.pid) return true; // in a container, numbers of processes are the same after each start
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
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
  const version = versionIn(file);
  if (version > LAYOUT_VERSION) {
    throw new DataDirectoryError(
      `${path} was written by a newer version of confab (layout ${version}; this one knows ${LAYOUT_VERSION})`,
    );
  }
}

function versionIn(file: string): number {
  try {
    return layout.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
  } catch {
    throw new DataDirectoryError(
      `${file} is damaged: it should say {"version": ${LAYOUT_VERSION}}`,
    );
  }
}

const layout = z.object({ version: z.int() });
