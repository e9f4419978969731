import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startServer, type TestServer } from '../start-server.ts';
import { uploadsFolder } from './object-service.ts';
import { answerTo, beginTus, begun, PART, type TusRequest, tus } from './tus.ts';
import { storedFiles } from './uploads.ts';

export const LOCATION = expect.stringMatching(/^\/api\/v1\/tus\/[0-9a-f]{2}[\w-]{24}$/);

export const send = ({ app }: TestServer, request: TusRequest) => tus(app.port, request);

export const listed = async (server: TestServer) =>
  (await server.get(server.people.mel, '/attachments')).body;

export const rows = (server: TestServer) =>
  server.perform((tx) => Array.from(tx.resumableUploads.range({}), ([, row]) => row));

export const sizeOf = (server: TestServer): number => {
  const [file] = storedFiles(server.data);
  return file === undefined ? 0 : statSync(join(uploadsFolder(server.data), file)).size;
};

export function beginSlow(port: number, { headers, ...request }: Omit<TusRequest, 'method'>) {
  const begun = beginTus(port, {
    method: 'PATCH',
    ...request,
    headers: { ...PART, 'upload-offset': '0', ...headers, 'transfer-encoding': 'chunked' },
  });
  const reply = answerTo(begun);
  // A test that breaks the request off does not wait for the reply.
  reply.catch(() => undefined);
  return { request: begun, reply };
}

/** Mel's upload of ten bytes, of which five have come by a part that goes on. */
export async function halfSent() {
  const server = await startServer();
  const { mel } = server.people;
  const { port } = server.app;
  const path = await begun(port, mel, { length: 10 });
  const slow = beginSlow(port, { path, as: mel });
  slow.request.write('hello');
  await until(() => sizeOf(server) === 5);
  return { server, mel, port, path, slow };
}

/** Waits until no file is left on disk: they go after the commit that forgets them. */
export async function gone(server: TestServer) {
  while (storedFiles(server.data).length > 0) await server.advance(1);
}

/**
 * Waits for work of the server with its disk, which comes about by itself. If it never does, the
 * test ends.
 */
export async function until(isSo: () => boolean) {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
