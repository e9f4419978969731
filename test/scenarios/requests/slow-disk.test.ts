import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { expect, test } from 'vitest';
import { basic } from '../../support/client.ts';
import { answerTo, beginTus, begun, PART } from '../../support/files/tus.ts';
import { MULTIPART, multipart, uploaded } from '../../support/files/uploads.ts';
import { type ServerProcess, startProcess } from '../../support/processes/start-process.ts';
import { buildSyncShim, hasCompiler } from '../../support/processes/sync-shim.ts';
import type { Person } from '../../support/users.ts';

const MIB = 1024 * 1024;
const TRANSFERS = 6;
const CONTENT = Buffer.alloc(40 * MIB, 'slow');
const STEP_BYTES = MIB / 4;
/**
 * A MiB of an upload may wait, and two chunks of a download. When the server stops reading, the
 * buffers of the kernel hold up to ten MiB more for each connection of a busy machine. Without a
 * bound everything would wait, 240 MiB.
 */
const GROWTH_BYTES_MAX = 100 * MIB;
/**
 * In each round the server could take what has come, at least half a MiB for each transfer: 120 MiB
 * in all. There are no more of them, as uWebSockets.js ends a download of which nobody reads
 * anything for ten seconds.
 */
const ROUNDS = 40;

/**
 * Sends no more at once than the server reads in one call. The socket library reads on from a
 * client that is as fast as its own reading, whatever it is told (decision 0145);
 * `body-stream.test.ts` has the bound for these.
 */
function sendSteadily(request: http.ClientRequest, bytes: Buffer) {
  let at = 0;
  const step = () => {
    const isTaken = request.write(bytes.subarray(at, at + STEP_BYTES));
    at += STEP_BYTES;
    if (at >= bytes.length) request.end();
    else if (isTaken) setTimeout(step, 1);
    else request.once('drain', () => setTimeout(step, 1));
  };
  step();
}

/** Says how an upload is sent, once what comes before it is done. */
type Prepare = (server: ServerProcess, as: Person) => Promise<() => http.ClientRequest>;

const KINDS: Readonly<Record<string, Prepare>> = {
  'in a form': async (server, as) => () => {
    const request = http.request({
      port: server.port(),
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/v1/user_uploads',
      headers: { host: 'demo.localhost', authorization: basic(as), 'content-type': MULTIPART },
      agent: false,
    });
    sendSteadily(request, multipart([{ content: CONTENT }]));
    return request;
  },
  async 'by tus'(server, as) {
    const path = await begun(server.port(), as, { length: CONTENT.length });
    const headers = { ...PART, 'upload-offset': '0' };
    return () => {
      const request = beginTus(server.port(), { method: 'PATCH', path, as, headers });
      sendSteadily(request, CONTENT);
      return request;
    };
  },
};

test.runIf(hasCompiler).each(Object.entries(KINDS))(
  '7: uploads %s, of which the disk takes nothing, cost a bounded amount of memory and are then whole',
  async (_kind, prepare) => {
    const { library, trigger } = buildSyncShim();
    const server = await startProcess({ LD_PRELOAD: library, HELD_WRITES: trigger });
    const mel = server.people['mel'] ?? expect.fail();
    await uploaded(server, mel);
    const sendings: Awaited<ReturnType<Prepare>>[] = [];
    for (let count = 0; count < TRANSFERS; count++) sendings.push(await prepare(server, mel));
    const before = residentBytes(server);

    writeFileSync(trigger, '');
    const requests = sendings.map((send) => send());
    const replies = requests.map(answerTo);
    for (let round = 0; round < ROUNDS; round++) {
      expect((await server.get(mel, '/users/me')).status).toBe(200);
    }
    expect(residentBytes(server) - before).toBeLessThan(GROWTH_BYTES_MAX);
    expect(requests.map(({ writableFinished }) => writableFinished)).not.toContain(true);

    rmSync(trigger);
    for (const { status } of await Promise.all(replies)) expect(status).toBe(200);
    const { body } = await server.get(mel, '/attachments');
    const sizes = body.attachments.map(({ size }: { size: number }) => size);
    expect(sizes).toEqual([...Array(TRANSFERS).fill(CONTENT.length), 5]);
  },
);

test('7: downloads that nobody reads cost a bounded amount of memory and are then whole', async () => {
  const server = await startProcess();
  const mel = server.people['mel'] ?? expect.fail();
  const path = await uploaded(server, mel, { content: CONTENT });
  const before = residentBytes(server);
  const responses = await Promise.all(
    Array.from({ length: TRANSFERS }, () => beginDownload(server, mel, path)),
  );
  for (let round = 0; round < ROUNDS; round++) {
    expect((await server.get(mel, '/users/me')).status).toBe(200);
  }
  expect(residentBytes(server) - before).toBeLessThan(GROWTH_BYTES_MAX);

  for (const response of responses) {
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(CONTENT)).toBe(true);
  }
});

/** Its head has come; of its body nothing is read. */
const beginDownload = (server: ServerProcess, as: Person, path: string) =>
  new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = http.get({
      port: server.port(),
      host: '127.0.0.1',
      path,
      headers: { host: 'demo.localhost', authorization: basic(as) },
      agent: false,
    });
    request.on('error', reject);
    request.on('response', resolve);
  });

/** Returns the memory of the process, as the kernel counts it. */
function residentBytes(server: ServerProcess): number {
  const status = readFileSync(`/proc/${server.pid()}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
