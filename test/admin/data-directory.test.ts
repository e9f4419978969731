import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  controlSocketPath,
  type DataDirectory,
  DataDirectoryError,
  isAnswered,
  takeDataDirectory,
} from '../../src/admin/data-directory.ts';
import { canMount, mountSmallDisk } from '../support/files/small-disk.ts';
import { run } from '../support/processes/run.ts';
import { temporaryFolder } from '../support/scratch.ts';

test('a directory is created with its layout, a folder of realms and a socket, for its owner only', async () => {
  const path = join(temporaryFolder(), 'some/where');
  await take(path);
  expect(JSON.parse(readFileSync(join(path, 'layout.json'), 'utf8'))).toEqual({ version: 1 });
  expect(statSync(path).mode & 0o077).toBe(0);
  expect(statSync(join(path, 'realms')).mode & 0o077).toBe(0);
  expect(statSync(controlSocketPath(path)).mode & 0o777).toBe(0o600);
});

test('a directory is locked by one process at a time, and free again when it is released', async () => {
  const path = temporaryFolder();
  const first = await take(path);
  await expect(take(path)).rejects.toThrow(/is locked by a running confab server/);
  await first.release();
  expect(existsSync(controlSocketPath(path))).toBe(false);
  await take(path);
});

test('files of a killed server do not lock the directory', async () => {
  const path = temporaryFolder();
  const socketPath = controlSocketPath(path);
  const listening = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
  await run(process.execPath, ['-e', listening, socketPath]);
  expect(existsSync(socketPath)).toBe(true);
  expect(await isAnswered(socketPath)).toBe(false);
  await take(path);
  expect(await isAnswered(socketPath)).toBe(true);
  expect(readdirSync(path).filter((name) => name.startsWith('control.sock'))).toHaveLength(1);
});

test('of several servers that start at once after a kill, one gets the directory', async () => {
  const path = temporaryFolder();
  writeFileSync(controlSocketPath(path), '');
  const taken = await Promise.allSettled(Array.from({ length: 6 }, () => take(path)));
  expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await isAnswered(controlSocketPath(path))).toBe(true);
});

test.each([
  ['nothing', ''],
  ['the number of a process that runs', '1'],
  ['something else', 'x'],
])('a control.turn of an earlier version that holds %s stops no start', async (_, content) => {
  const path = temporaryFolder();
  writeFileSync(join(path, 'control.turn'), content);
  await take(path);
  expect(existsSync(join(path, 'control.turn'))).toBe(false);
});

test('the lock is held while its process lives, and gone the moment it is killed', async () => {
  const path = temporaryFolder();
  writeFileSync(join(path, 'control.lock'), String(process.pid));
  const holding = `
    const { openSync } = require('node:fs');
    const { tryLock } = require('fs-native-extensions');
    console.log(tryLock(openSync(process.argv[1], 'a')));
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['-e', holding, join(path, 'control.lock')]);
  const [said] = (await once(holder.stdout, 'data')) as [Buffer];
  expect(said.toString()).toBe('true\n');
  await expect(take(path)).rejects.toThrow(/is locked by a running confab server/);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  await take(path);
});

test('a server of an earlier version, which locks by its socket only, is respected', async () => {
  const path = temporaryFolder();
  const server = net.createServer((socket) => socket.destroy()).listen(controlSocketPath(path));
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  await expect(take(path)).rejects.toThrow(/is locked by a running confab server/);
  expect(await isAnswered(controlSocketPath(path))).toBe(true);
});

test('a directory is free again after a failed start', async () => {
  const path = temporaryFolder();
  writeFileSync(join(path, 'layout.json'), '{"version":99}');
  await expect(take(path)).rejects.toThrow(/newer version/);
  writeFileSync(join(path, 'layout.json'), '{"version":1}');
  await take(path);
});

test.each(['control.lock', 'layout.json'])(
  'a named pipe as %s is refused, not waited for',
  async (name) => {
    const path = temporaryFolder();
    await run('mkfifo', [join(path, name)]);
    await expect(take(path)).rejects.toThrow(DataDirectoryError);
  },
);

/** This test needs the right to mount a file system, which most containers do not give. */
test.runIf(canMount)(
  'a full disk is called by its name, and leaves nothing in the way',
  async () => {
    const disk = mountSmallDisk(1);
    const path = join(disk.path, 'data');
    disk.fill(0);
    const refused = take(path);
    await expect(refused).rejects.toThrow(DataDirectoryError);
    await expect(refused).rejects.toThrow(/cannot be .*: no space is left on the disk \(ENOSPC/);
    disk.empty();
    await take(path);
    expect(readFileSync(join(path, 'layout.json'), 'utf8')).toBe('{"version":1}\n');
  },
);

test.runIf(canMount)('a read-only file system is called by its name', async () => {
  const disk = mountSmallDisk(1);
  mkdirSync(join(disk.path, 'realms'));
  disk.makeReadOnly();
  await expect(take(disk.path)).rejects.toThrow(
    /cannot be locked: the file system is read-only \(EROFS, .*control\.lock\)/,
  );
});

test('a client that connects and says nothing does not delay the release', async () => {
  const path = temporaryFolder();
  const directory = await take(path);
  const silent = net.connect(controlSocketPath(path));
  await new Promise((resolve) => silent.once('connect', resolve));
  const closed = new Promise((resolve) => silent.once('close', resolve));
  await directory.release();
  await closed;
});

test('a path too long for a socket has its socket in the temporary folder', async () => {
  const path = join(temporaryFolder(), 'x'.repeat(60), 'y'.repeat(60));
  mkdirSync(path, { recursive: true });
  const socketPath = controlSocketPath(path);
  expect(Buffer.byteLength(socketPath)).toBeLessThan(108);
  expect(socketPath.startsWith(path)).toBe(false);
  expect(controlSocketPath(`${path}z`.slice(0, -1))).toBe(socketPath);
  await take(path);
  await expect(take(path)).rejects.toThrow(/is locked/);
});

test('a directory of a newer layout is refused, left as it is, and not locked', async () => {
  const path = temporaryFolder();
  writeFileSync(join(path, 'layout.json'), '{"version":99}');
  const refused = take(path);
  await expect(refused).rejects.toThrow(DataDirectoryError);
  await expect(refused).rejects.toThrow(/newer version of confab \(layout 99; this one knows 1\)/);
  expect(readFileSync(join(path, 'layout.json'), 'utf8')).toBe('{"version":99}');
  expect(await isAnswered(controlSocketPath(path))).toBe(false);
});

test.each(['', 'not JSON', '{}', '{"version":"1"}'])(
  'a layout file that holds %j is told to be damaged',
  async (content) => {
    const path = temporaryFolder();
    writeFileSync(join(path, 'layout.json'), content);
    const refused = take(path);
    await expect(refused).rejects.toThrow(DataDirectoryError);
    await expect(refused).rejects.toThrow(/layout\.json is damaged/);
  },
);

test('a file in the place of the directory is refused', async () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, '');
  const refused = take(path);
  await expect(refused).rejects.toThrow(DataDirectoryError);
  await expect(refused).rejects.toThrow(
    /file cannot be used: a part of the path is a file.*ENOTDIR/,
  );
});

async function take(path: string): Promise<DataDirectory> {
  const directory = await takeDataDirectory(path, () => undefined);
  let released: Promise<void> | undefined;
  const release = () => {
    released ??= directory.release();
    return released;
  };
  onTestFinished(release);
  return { ...directory, release };
}
