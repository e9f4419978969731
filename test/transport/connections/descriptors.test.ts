import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startProcess } from '../../support/processes/start-process.ts';
import { openRawSocket } from '../../support/requests/raw-socket.ts';

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
const ASKING = 'GET /api/v1/server_settings HTTP/1.1\r\nHost: demo.localhost\r\n\r\n';

/** Leaves room for so many more connections. */
function leave(pid: number, count: number) {
  // Node has some with high numbers: what is free is counted from below.
  const limit = readdirSync(`/proc/${pid}/fd`).length + count;
  execFileSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:`]);
}

// Limits of a running process are set by a tool of Linux.
test.skipIf(!hasPrlimit)(
  'without a file descriptor left new clients are told so, the others are served, and it passes',
  async () => {
    const server = await startProcess({ CONFAB_LOG_LEVEL: 'info' });
    const old = await openRawSocket(server.port());
    old.write(ASKING);
    expect((await old.answer()).status).toBe(200);
    leave(server.pid(), 20);
    const many = Array.from({ length: 60 }, () => net.connect(server.port(), '127.0.0.1'));
    onTestFinished(() => {
      for (const socket of many) socket.destroy();
    });
    for (const socket of many) socket.on('error', () => undefined);
    await expect
      .poll(() => server.stderr(), { timeout: 10_000 })
      .toMatch(/no file descriptor is left/);
    const askAnew = async () => {
      try {
        const socket = await openRawSocket(server.port());
        socket.write(ASKING);
        const { status } = await socket.answer();
        socket.destroy();
        return status;
      } catch {
        return 0;
      }
    };
    await expect.poll(askAnew, { timeout: 5_000 }).toBe(503);
    old.write(ASKING);
    expect((await old.answer()).status).toBe(200);
    old.destroy();
    for (const socket of many) socket.destroy();
    leave(server.pid(), 200);
    await expect.poll(askAnew, { timeout: 10_000 }).toBe(200);
    expect(server.stderr()).toMatch(/there are file descriptors again/);
  },
  60_000,
);
