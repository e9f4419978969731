import { randomBytes } from 'node:crypto';
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../../src/admin/commands.ts';
import { startApp } from '../../../src/app.ts';
import { readSettings } from '../../../src/config.ts';
import { openObjectFileStore } from '../../../storage/files/object-file-store.ts';
import { contentOf } from '../../../storage/objects/object-store.ts';
import { openS3Objects } from '../../../storage/objects/s3-objects.ts';
import { expectFileStore } from '../../support/files/file-store-contract.ts';
import {
  BUCKET,
  type Gateway,
  hasGateway,
  startGateway,
} from '../../support/files/object-service.ts';
import { download, storedFiles, uploaded } from '../../support/files/uploads.ts';
import { LIMITS_OF_TESTS } from '../../support/limits-of-tests.ts';
import { builtFile } from '../../support/processes/dist.ts';
import { run } from '../../support/processes/run.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import { startServer } from '../../support/start-server.ts';
import { testClock } from '../../support/test-clock.ts';

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

  test('a check looks for files there, and names the one that is gone', async () => {
    const gateway = await startGateway();
    const address = addressFor();
    const env = { ...gateway.env, CONFAB_FILES: address };
    const server = await startServer({ env });
    const { mel } = server.people;
    await uploaded(server, mel, { content: 'stays' });
    await uploaded(server, mel, { content: 'goes' });
    await server.stop();
    expect(storedFiles(server.data)).toEqual([]);
    const checked = async () => {
      const words = [builtFile('confab'), 'check'];
      const { code, stdout } = await run(process.execPath, words, {
        ...env,
        CONFAB_DATA: server.data,
      });
      return { code, first: JSON.parse(stdout.split('\n')[0] ?? '') as unknown };
    };
    expect(await checked()).toMatchObject({ code: 0, first: { is_sound: true, files: 2 } });
    const objects = openS3Objects(address, gateway.s3);
    const keys: string[] = [];
    for await (const { key, bytes } of objects.list('realms/1/uploads/')) {
      if (bytes === 'goes'.length) keys.push(key);
    }
    const [gone = ''] = keys;
    await objects.remove(gone);
    const where = expect.stringContaining(gone.slice('realms/1/uploads/'.length)) as unknown;
    expect(await checked()).toMatchObject({ code: 1, first: { what: 'is missing', where } });
  });

  test('files of a server without such storage, and of an import, are moved there', async () => {
    const gateway = await startGateway();
    const address = addressFor();
    const objects = openS3Objects(address, gateway.s3);
    const data = temporaryFolder();
    const local = await startServer({ data });
    const { mel } = local.people;
    const url = await uploaded(local, mel, { content: 'hello' });
    const archive = join(temporaryFolder(), 'archive.zip');
    await runCommand(local.app.realms, 'realm export', { realm: 'test', file: archive });
    await local.stop();
    expect(storedFiles(data)).toHaveLength(1);
    const env = {
      ...LIMITS_OF_TESTS,
      CONFAB_PORT: '0',
      CONFAB_DEMO: '0',
      CONFAB_OPERATOR: 'off',
      ...gateway.env,
      CONFAB_FILES: address,
      CONFAB_DATA: data,
    };
    const clock = testClock();
    const app = await startApp({
      settings: readSettings(env),
      log: pino({ level: 'silent' }),
      onFatal: (error) => expect.fail(String(error)),
      clock,
    });
    onTestFinished(() => app.stop());
    await expect.poll(() => storedFiles(data)).toEqual([]);
    expect(String((await download({ app }, url, { as: mel })).bytes)).toBe('hello');
    await runCommand(app.realms, 'realm import', { file: archive, name: 'copy' });
    const host = 'copy.localhost';
    expect(String((await download({ app }, url, { as: mel, host })).bytes)).toBe('hello');
    const keys = async (realmId: number) => {
      const found: string[] = [];
      for await (const { key } of objects.list(`realms/${realmId}/uploads/`)) found.push(key);
      return found;
    };
    await expect.poll(async () => (await keys(2)).length).toBe(1);
    // The search for files without rows removes one that is old, and leaves those that rows name.
    const unnamed = `realms/1/uploads/ab/${'x'.repeat(24)}`;
    await objects.put(unnamed, contentOf(Buffer.from('nobody has it')));
    age(gateway.folder);
    clock.leap(86_400_000);
    await expect.poll(() => keys(1)).not.toContain(unnamed);
    expect((await keys(1)).length).toBe(1);
    expect((await keys(2)).length).toBe(1);
    await runCommand(app.realms, 'realm deactivate', { realm: 'copy' });
    await runCommand(app.realms, 'realm delete', { name: 'copy', yes: true });
    expect(await keys(2)).toEqual([]);
    expect((await keys(1)).length).toBe(1);
  });

  test('while the storage is away, files are refused with 503 and nothing is lost', async () => {
    const gateway = await startGateway();
    const env = { ...gateway.env, CONFAB_FILES: addressFor() };
    const server = await startServer({ env, channels: ['general'] });
    const { mel } = server.people;
    const url = await uploaded(server, mel, { content: 'hello' });
    gateway.stop();
    const refusal = { status: 503, body: { result: 'error', code: 'FILES_AWAY' } };
    await expect(uploaded(server, mel, { content: 'more' })).rejects.toThrow('FILES_AWAY');
    const away = await download(server, url, { as: mel });
    expect(away.status).toBe(503);
    expect(JSON.parse(String(away.bytes))).toMatchObject(refusal.body);
    const message = { type: 'channel', to: 'general', topic: 'greetings', content: 'hello' };
    expect(await server.post(mel, '/messages', message)).toMatchObject({ status: 200 });
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

/** Makes all objects of a folder two days old. */
function age(folder: string) {
  const then = Date.now() / 1_000 - 2 * 86_400;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), then, then);
  }
}
