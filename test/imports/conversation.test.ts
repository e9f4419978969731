import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Controlled, serveControl } from '../../src/admin/control/control.ts';
import { controlSocketPath } from '../../src/admin/data-directory.ts';
import { ask, conversationIfServed } from '../../src/command-line/ask.ts';
import { readSettings } from '../../src/config.ts';

const folder = mkdtempSync(join(tmpdir(), 'confab-asked-'));
const open = new Set<net.Socket>();
let count = 0;
const controlled: Controlled = {
  realms: () => null,
  standing: () => {
    count += 1;
    return { count };
  },
  consoleAddress: () => null,
  node: () => null,
  onBug: (error) => {
    throw error;
  },
};
const server = net.createServer((socket) => {
  open.add(socket);
  serveControl(socket, controlled);
});
server.listen(controlSocketPath(folder));
await once(server, 'listening');
afterAll(() => {
  server.close();
  for (const socket of open) socket.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const STATUS = { command: 'status', args: {} };

test('one connection is asked many things, and answers them in order', async () => {
  const conversation = await conversationIfServed(folder);
  const before = open.size;
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => conversation?.ask({ ...STATUS })),
  );
  expect(answers.flat()).toEqual(Array.from({ length: 20 }, (_, at) => ({ count: at + 1 })));
  await expect(conversation?.ask({ command: 'realm list', args: {} })).rejects.toThrow(
    'The server is still starting',
  );
  expect(await conversation?.ask(STATUS)).toEqual([{ count: 21 }]);
  expect(open.size - before).toBeLessThanOrEqual(1);
  conversation?.close();
});

test('a request that announces no other is the last of its connection', async () => {
  expect(await ask({ ...readSettings({}), data: folder }, STATUS)).toEqual([{ count: 22 }]);
});

test('a server that goes away refuses what waits, and what comes later', async () => {
  const conversation = await conversationIfServed(folder);
  await conversation?.ask(STATUS);
  const waiting = conversation?.ask(STATUS);
  for (const socket of open) socket.destroy();
  await expect(waiting).rejects.toThrow('the server cannot be reached');
  await expect(conversation?.ask(STATUS)).rejects.toThrow('the server cannot be reached');
  expect(await conversationIfServed(join(folder, 'elsewhere'))).toBeUndefined();
});
