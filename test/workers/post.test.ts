import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { isTimeout, post } from '../../src/workers/post.ts';

test('a server that is silent is told of in words, and as a timeout', async () => {
  const server = http.createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const error: unknown = await post({
    url: `http://127.0.0.1:${port}/`,
    contentType: 'text/plain',
    body: '',
    timeoutMs: 50,
    bytesMax: 100,
    allowsPrivate: true,
  }).catch((given: unknown) => given);
  expect(error).toMatchObject({
    name: 'TimeoutError',
    message: 'there was no answer within 0.05 s',
  });
  expect(isTimeout(error)).toBe(true);
});
