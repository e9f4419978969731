import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openObjectFileStore } from '../../storage/files/object-file-store.ts';
import { openS3Objects } from '../../storage/objects/s3-objects.ts';
import { expectFileStore } from '../support/files/file-store-contract.ts';
import { BUCKET, type Gateway, hasGateway, startGateway } from '../support/files/object-service.ts';
import { download, uploaded } from '../support/files/uploads.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer } from '../support/start-server.ts';

// Files in S3-compatible storage that others wrote.

const addressFor = () => `s3://${BUCKET}/files-${randomBytes(8).toString('hex')}`;

describe.skipIf(!hasGateway())('at versitygw', () => {
  expectFileStore(async () => filesAt(await startGateway()));

  test('an upload is served by another server with the same storage, also by ranges', async () => {
    const gateway = await startGateway();
    const env = { ...gateway.env, CONFAB_FILES: addressFor() };
    const server = await startServer({ env });
    const { mel } = server.people;
    const content = randomBytes(20_000_000);
    const url = await uploaded(server, mel, { content, filename: 'large.bin' });
    await server.restart();
    const whole = await download(server, url, { as: mel });
    expect(whole.bytes.equals(content)).toBe(true);
    const part = await download(server, url, {
      as: mel,
      headers: { range: 'bytes=9000000-15000000' },
    });
    expect(part.status).toBe(206);
    expect(part.bytes.equals(content.subarray(9_000_000, 15_000_001))).toBe(true);
    expect(server.bugs).toEqual([]);
  });

  test('while the storage is away, files are refused with 503 and nothing is lost', async () => {
    const gateway = await startGateway();
    const server = await startServer({ env: { ...gateway.env, CONFAB_FILES: addressFor() } });
    const { mel } = server.people;
    const url = await uploaded(server, mel, { content: 'hello' });
    gateway.stop();
    const refusal = { status: 503, body: { result: 'error', code: 'FILES_AWAY' } };
    await expect(uploaded(server, mel, { content: 'more' })).rejects.toThrow('FILES_AWAY');
    const away = await download(server, url, { as: mel });
    expect(away.status).toBe(503);
    expect(JSON.parse(String(away.bytes))).toMatchObject(refusal.body);
    const message = { type: 'channel', to: 'general', topic: 'greetings', content: 'hello' };
    expect((await server.post(mel, '/messages', message)).status).not.toBe(503);
    await gateway.start();
    expect(String((await download(server, url, { as: mel })).bytes)).toBe('hello');
    await uploaded(server, mel, { content: 'more' });
    expect(server.bugs).toEqual([]);
  });
});

function filesAt({ s3 }: Gateway) {
  const objects = openS3Objects(addressFor(), s3);
  return openObjectFileStore({ objects, folder: temporaryFolder(), realmId: 7 });
}
