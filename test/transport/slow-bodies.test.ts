import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isOlderLibrary } from '../../src/transport/library/sockets.ts';
import { basic } from '../support/client.ts';
import { openRawSocket } from '../support/requests/raw-socket.ts';
import { startServer } from '../support/start-server.ts';

const FILE =
  '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n' +
  `${'hello '.repeat(10_000)}\r\n--x--\r\n`;
const FORM = 'type=channel&to=general&topic=lunch&content=soup&more='.padEnd(40_000, 'x');

/**
 * Longer than the library gives a body that brings less than 16 KiB a second: ten seconds in older
 * builds, thirty in newer ones, and it looks every four.
 */
const SECONDS = isOlderLibrary() ? 15 : 35;
const STEPS = 40;

test('what comes slowly is not cut off while it comes: files and forms', async () => {
  const server = await startServer({ channels: ['general'] });
  const slowly = async (path: string, contentType: string, body: string) => {
    const socket = await openRawSocket(server.app.port);
    const head = [
      `POST /api/v1${path} HTTP/1.1`,
      'Host: test.localhost',
      `Authorization: ${basic(server.people.mel)}`,
      `Content-Type: ${contentType}`,
      `Content-Length: ${body.length}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    const length = Math.ceil(body.length / STEPS);
    const begin = performance.now();
    for (let step = 1; step <= STEPS; step++) {
      // By the clock since the beginning: on a busy machine each pause takes longer than it is to.
      await pause(begin + (step * SECONDS * 1_000) / STEPS - performance.now());
      socket.write(body.slice((step - 1) * length, step * length));
    }
    return (await socket.answer()).status;
  };
  const statuses = await Promise.all([
    slowly('/user_uploads', 'multipart/form-data; boundary=x', FILE),
    slowly('/messages', 'application/x-www-form-urlencoded', FORM),
  ]);
  expect(statuses).toEqual([200, 200]);
});
