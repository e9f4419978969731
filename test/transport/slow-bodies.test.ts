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

/** The library cuts off a body sooner if it brings less than 16 KiB a second. */
const SECONDS = isOlderLibrary() ? 18 : 40;

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
    const step = Math.ceil(body.length / SECONDS);
    for (let at = 0; at < body.length; at += step) {
      await pause(1_000);
      socket.write(body.slice(at, at + step));
    }
    return (await socket.answer()).status;
  };
  const statuses = await Promise.all([
    slowly('/user_uploads', 'multipart/form-data; boundary=x', FILE),
    slowly('/messages', 'application/x-www-form-urlencoded', FORM),
  ]);
  expect(statuses).toEqual([200, 200]);
}, 60_000);
