import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { Upload, type UploadOptions } from 'tus-js-client';
import { expect, test } from 'vitest';
import { basic } from '../../support/client.ts';
import { begun, offsetOf, part, TUS, tus } from '../../support/files/tus.ts';
import { download, storedFiles } from '../../support/files/uploads.ts';
import { type ServerProcess, startProcess } from '../../support/processes/start-process.ts';
import { buildSyncShim, hasCompiler } from '../../support/processes/sync-shim.ts';
import { someOf } from '../../support/runs.ts';
import type { Person } from '../../support/users.ts';

const KIB = 1024;

/** Uploads with a tus client that people use; what it was last answered. */
const uploadWith = (
  server: ServerProcess,
  as: Person,
  { content, ...options }: UploadOptions & { content: Buffer },
) =>
  new Promise<{ path: string; body: { url: string; filename: string } }>((resolve, reject) => {
    const upload = new Upload(content, {
      endpoint: `http://127.0.0.1:${server.port()}${TUS}/`,
      headers: { authorization: basic(as) },
      metadata: { filename: 'Täg.bin', filetype: 'application/octet-stream' },
      chunkSize: 100 * KIB,
      // The client tries again until the server has started: on a busy machine with gateways, that
      // takes more than fifteen seconds.
      retryDelays: [0, 10, 100, ...Array.from({ length: 180 }, () => 300)],
      onError: reject,
      onSuccess: ({ lastResponse }) =>
        resolve({
          path: new URL(upload.url ?? '').pathname,
          body: JSON.parse(lastResponse.getBody()),
        }),
      ...options,
    });
    upload.start();
  });

const stored = async (server: ServerProcess, as: Person, url: string) =>
  (await download({ app: { port: server.port() } as never }, encodeURI(url), { as })).bytes;

test.each(['kill', 'restart'] as const)(
  'a client goes on with its upload after a %s of the server',
  async (how) => {
    const server = await startProcess();
    const mel = server.people['mel'] ?? expect.fail();
    const content = randomBytes(700 * KIB);
    const ends: Promise<void>[] = [];
    const chunks: number[] = [];
    const { path, body } = await uploadWith(server, mel, {
      content,
      onChunkComplete(_size, accepted) {
        chunks.push(accepted);
        if (accepted === 300 * KIB) ends.push(server[how]());
      },
    });
    await Promise.all(ends);
    expect(ends).toHaveLength(1);
    // Nothing that was acknowledged was sent again.
    expect(chunks).toEqual([1, 2, 3, 4, 5, 6, 7].map((count) => count * 100 * KIB));
    expect(body).toEqual({
      url: expect.stringMatching(/^\/user_uploads\/\d+\/[0-9a-f]{2}\/[\w-]{24}\/Täg\.bin$/),
      filename: 'Täg.bin',
    });
    expect((await stored(server, mel, body.url)).equals(content)).toBe(true);
    expect(await offsetOf(server.port(), mel, path)).toBe(content.length);
    expect(storedFiles(server.data)).toHaveLength(1);
  },
);

test('a client sends all at once, also with the beginning, and an empty file', async () => {
  const server = await startProcess();
  const mel = server.people['mel'] ?? expect.fail();
  const content = randomBytes(3_000 * KIB);
  const options = { content, chunkSize: Number.POSITIVE_INFINITY };
  for (const uploadDataDuringCreation of [false, true]) {
    const { body } = await uploadWith(server, mel, { ...options, uploadDataDuringCreation });
    expect((await stored(server, mel, body.url)).equals(content)).toBe(true);
  }
  const { body } = await uploadWith(server, mel, { content: Buffer.alloc(0) });
  expect(await stored(server, mel, body.url)).toHaveLength(0);
});

test('a client gives an upload up', async () => {
  const server = await startProcess();
  const mel = server.people['mel'] ?? expect.fail();
  const path = await begun(server.port(), mel, { length: 5 });
  await Upload.terminate(`http://127.0.0.1:${server.port()}${path}`, {
    headers: { authorization: basic(mel) },
  });
  expect((await tus(server.port(), { method: 'HEAD', path, as: mel })).status).toBe(404);
});

/**
 * The syncs are of the beginning, of a part, of another, of the last: whatever the process had done
 * when it ended, one of these counts is right after it.
 */
test.runIf(hasCompiler).each(someOf([2, 4, 5, 8, 9], { every: 2 }))(
  '2: killed right after sync %i of a resumable upload, the server has what it said it had',
  async (count) => {
    const { library, trigger } = buildSyncShim();
    const server = await startProcess({ LD_PRELOAD: library, LAST_SYNC: trigger });
    const mel = server.people['mel'] ?? expect.fail();
    writeFileSync(trigger, String(count));
    let path = '';
    let acknowledged = 0;
    const send = async (offset: number, body: string) => {
      const reply = await part(server.port(), mel, { path, offset, body });
      acknowledged = Number(reply.headers['upload-offset']);
    };
    try {
      path = await begun(server.port(), mel, { length: 9 });
      await send(0, 'abc');
      await send(3, 'def');
      await send(6, 'ghi');
      // The process still lives, and ends with one of these requests.
      for (;;) await begun(server.port(), mel, { length: 1 });
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/ECONN|EPIPE/) });
    }
    expect(await server.ended()).toEqual({ code: null, signal: 'SIGKILL' });

    rmSync(trigger);
    await server.start();
    if (path === '') return;
    const offset = await offsetOf(server.port(), mel, path);
    expect(offset).toBeGreaterThanOrEqual(acknowledged);
    const rest = 'abcdefghi'.slice(offset);
    const { body } = await part(server.port(), mel, { path, offset, body: rest });
    expect((await stored(server, mel, String(body?.['url']))).toString()).toBe('abcdefghi');
    const files = (await server.get(mel, '/attachments')).body;
    expect([files.attachments.length, files.upload_space_used]).toEqual([1, 9]);
    expect(storedFiles(server.data)).toHaveLength(1);
  },
);
