import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { diskFault } from '../../storage/files/disk-fault.ts';
import { type FileLock, lockFile } from '../../storage/files/file-lock.ts';
import { readRegularFile } from '../../storage/files/regular-file.ts';
import { replaceFile } from '../../storage/files/replace-file.ts';
import { makePrivate } from './private-files.ts';

/** An error of a data directory, with one line for the operator. */
export class DataDirectoryError extends Error {}

/**
 * The version of the layout of the directory. Realms have a version of their own
 * (`storage/schema.ts`).
 */
const LAYOUT_VERSION = 1;
/** The largest path of a socket in the kernel, less the terminating zero. */
const SOCKET_PATH_LENGTH_MAX = 107;

export interface DataDirectory {
  readonly path: string;
  release(): Promise<void>;
}

/**
 * Locks a data directory for this process. The lock is the kernel's (decision 0131): it ends with
 * the process, and the content of the lock file means nothing. The socket beside it takes commands
 * from the command line; only the owner of the directory can connect.
 */
export async function takeDataDirectory(
  path: string,
  onConnection: (socket: net.Socket) => void,
): Promise<DataDirectory> {
  const lock = locked(path);
  const open = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    onConnection(socket);
  });
  const release = () =>
    new Promise<void>((resolve) => {
      server.close(() => {
        lock.release();
        resolve();
      });
      // A client that connected and says nothing must not delay the end.
      for (const socket of open) socket.destroy();
    });
  try {
    await takeSocket(server, path);
    checkVersion(path);
    makePrivate(path);
  } catch (error) {
    await release();
    throw explained(error, (why) => `${path} cannot be used: ${why}`);
  }
  return { path, release };
}

function locked(path: string): FileLock {
  try {
    mkdirSync(join(path, 'realms'), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw explained(error, (why) => `${path} cannot be used: ${why}`);
  }
  let lock: FileLock | undefined;
  try {
    lock = lockFile(join(path, 'control.lock'));
  } catch (error) {
    throw explained(error, (why) => `${path} cannot be locked: ${why}`);
  }
  if (lock === undefined) throw isServed(path);
  return lock;
}

const isServed = (path: string) =>
  new DataDirectoryError(`${path} is locked by a running confab server`);

/** Turns any error of the system into one line for the operator. */
const explained = (error: unknown, sentence: (why: string) => string) =>
  error instanceof DataDirectoryError
    ? error
    : new DataDirectoryError(sentence(diskFault(error)), { cause: error });

/** Earlier versions locked by the socket only, so a socket that answers is respected. */
async function takeSocket(server: net.Server, path: string) {
  const socketPath = controlSocketPath(path);
  if (await isAnswered(socketPath)) throw isServed(path);
  rmSync(socketPath, { force: true, recursive: true }); // what a killed server left
  rmSync(join(path, 'control.turn'), { force: true, recursive: true }); // what earlier versions left
  await listen(server, socketPath);
}

/**
 * Returns the path of the control socket: beside the data, or in the temporary folder if that path
 * is too long.
 */
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

function listen(server: net.Server, socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(socketPath, () => {
      chmodSync(socketPath, 0o600);
      resolve();
    });
  });
}

function checkVersion(path: string) {
  const file = join(path, 'layout.json');
  if (!existsSync(file)) {
    replaceFile(file, `${JSON.stringify({ version: LAYOUT_VERSION })}\n`);
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
    return layout.parse(JSON.parse(readRegularFile(file))).version;
  } catch {
    throw new DataDirectoryError(
      `${file} is damaged: it should say {"version": ${LAYOUT_VERSION}}`,
    );
  }
}

const layout = z.object({ version: z.int() });
