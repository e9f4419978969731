import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { textOf } from '../../src/backups/places/place.ts';
import { s3Place } from '../../src/backups/places/s3-place.ts';
import { openBucket, type S3Settings } from '../../storage/objects/s3-client.ts';
import { FORMER, NEW } from '../support/files/live-certificates.ts';
import { temporaryFolder } from '../support/scratch.ts';

// The service here has faults on purpose. test/clients/object-storage.test.ts has one that others
// wrote.

test('a request that the service has no answer for now is sent again, with its body', async () => {
  const content = randomBytes(100_000);
  const bodies: string[] = [];
  const s3 = await serve(async (request, response) => {
    bodies.push(hashOf(await read(request)));
    response.writeHead(bodies.length < 3 ? 503 : 200).end();
  });
  const body = { chunks: [content], bytes: content.length, sha256: hashOf(content) };
  await openBucket('backups', s3).send({ method: 'PUT', key: 'a', body });
  expect(bodies).toEqual([hashOf(content), hashOf(content), hashOf(content)]);
});

test('a refusal is told in one line with its code, and is not asked for again', async () => {
  let requests = 0;
  const s3 = await serve(async (_request, response) => {
    requests += 1;
    response.writeHead(403).end(REFUSAL);
  });
  await expect(openBucket('backups', s3).text({ method: 'GET', key: 'a' })).rejects.toThrow(
    /^s3:\/\/backups\/a was refused by the service: 403 AccessDenied: Not on a Sunday\.$/,
  );
  expect(requests).toBe(1);
});

test('a download that breaks off goes on where it was', async () => {
  const content = randomBytes(500_000);
  const asked: (string | undefined)[] = [];
  const s3 = await serve(async ({ headers: { range } }, response) => {
    asked.push(range);
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? 'bytes=0-')?.[1]);
    const rest = content.subarray(from);
    response.writeHead(range === undefined ? 200 : 206, { 'content-length': rest.length });
    if (asked.length === 3) response.end(rest);
    else response.write(rest.subarray(0, 200_000), () => response.destroy());
  });
  const source = s3Place('s3://backups/a', s3).at('confab-one');
  const chunks: Buffer[] = [];
  for await (const chunk of source.chunks('data.mdb')) chunks.push(chunk);
  expect(hashOf(Buffer.concat(chunks))).toBe(hashOf(content));
  expect(asked[0]).toBeUndefined();
  expect(asked.slice(1)).toEqual([
    expect.stringMatching(/^bytes=\d+-$/),
    expect.stringMatching(/^bytes=\d+-$/),
  ]);
});

test('a secret is read from its file each time, and is never sent', async () => {
  const file = join(temporaryFolder(), 'key');
  const signatures: string[] = [];
  const heads: string[] = [];
  const s3 = await serve(async ({ headers, url }, response) => {
    heads.push(JSON.stringify({ headers, url }));
    signatures.push(/Signature=(\w+)/.exec(headers.authorization ?? '')?.[1] ?? '');
    response.end('content');
  });
  for (const secret of ['the first secret', 'another secret']) {
    writeFileSync(file, `${secret}\n`);
    const settings = { ...s3, secretAccessKey: null, secretAccessKeyFile: file };
    expect(await textOf(s3Place('s3://backups', settings).at('confab-one'), 'a')).toBe('content');
  }
  expect(signatures).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
  expect(signatures[0]).not.toBe(signatures[1]);
  expect(heads.join()).not.toContain('secret');
});

test.each([
  { settings: { accessKeyId: null }, says: 'CONFAB_S3_ACCESS_KEY_ID is not set' },
  { settings: { secretAccessKey: null }, says: /^neither CONFAB_S3_SECRET_ACCESS_KEY nor/ },
  {
    settings: { secretAccessKey: null, secretAccessKeyFile: '/nowhere/key' },
    says: /^CONFAB_S3_SECRET_ACCESS_KEY_FILE cannot be read: there is no such file/,
  },
])('a key that is missing is told: $says', ({ settings, says }) => {
  expect(() => openBucket('backups', { ...KEY, ...settings })).toThrow(says);
});

test.each(['s3://', 's3://B', 's3://backups/a b', 's3://backups//a', 's3://backups/a?b'])(
  'an address that is none is refused: %s',
  (address) => {
    expect(() => s3Place(address, KEY)).toThrow('is not an address like s3://bucket');
  },
);

test('a service by https is trusted if an authority of CONFAB_S3_CA vouches for it', async () => {
  const [key, cert] = [readFileSync(FORMER.key), readFileSync(FORMER.cert)];
  const server = https.createServer({ key, cert }, (_request, response) => response.end('here'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  const s3 = { ...KEY, endpoint: `https://localhost:${port}` };
  const ask = (authoritiesFile?: string) =>
    openBucket('backups', authoritiesFile === undefined ? s3 : { ...s3, authoritiesFile }).text({
      method: 'GET',
      key: 'a',
    });
  await expect(ask()).rejects.toThrow(/cannot be reached: .*certificate/);
  await expect(ask(NEW.cert)).rejects.toThrow(/cannot be reached: .*certificate/);
  expect((await ask(FORMER.cert)).text).toBe('here');
  expect(() => openBucket('backups', { ...s3, authoritiesFile: '/none' })).toThrow(
    'CONFAB_S3_CA cannot be read',
  );
});

const REFUSAL =
  '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Not on\na Sunday.</Message></Error>';

const KEY: S3Settings = {
  endpoint: 'http://127.0.0.1:1',
  region: 'us-east-1',
  accessKeyId: 'id',
  secretAccessKey: 'secret',
  secretAccessKeyFile: null,
};

type Serve = (request: http.IncomingMessage, response: http.ServerResponse) => Promise<void>;

/** Starts a service that does as it is told. */
async function serve(answer: Serve): Promise<S3Settings> {
  const server = http.createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return { ...KEY, endpoint: `http://127.0.0.1:${port}` };
}

async function read(request: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
