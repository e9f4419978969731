import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { createBackup } from '../../src/backups/create-backup.ts';
import { listBackups } from '../../src/backups/list-backups.ts';
import { s3Place } from '../../src/backups/places/s3-place.ts';
import { verifyBackup } from '../../src/backups/verify-backup.ts';
import { openBucket, type S3Settings } from '../../storage/objects/s3-client.ts';
import { hasGateway, startGateway } from '../support/files/object-service.ts';
import { download, uploaded } from '../support/files/uploads.ts';
import { builtFile } from '../support/processes/dist.ts';
import { run } from '../support/processes/run.ts';
import { startProcess } from '../support/processes/start-process.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer } from '../support/start-server.ts';
import { startClient } from './client-process.ts';

// Backups to a server of S3-compatible storage that others wrote.

/** The one that is always there looks at no signature; the other one does, where it is there. */
const SERVICES = [
  { name: 's3rver', isMissing: false, checksSignatures: false, start: startStorage },
  {
    name: 'versitygw',
    isMissing: !hasGateway(),
    checksSignatures: true,
    start: async () => (await startGateway()).port,
  },
] as const;

describe.each(SERVICES)('at $name', (service) => {
  test.skipIf(service.isMissing)(
    'a backup goes to S3-compatible storage while messages are sent, and is restored from there',
    async () => {
      const { env, place } = await storage(service);
      const server = await startProcess(env);
      const mel = server.people['mel'] ?? expect.fail('there is mel');
      // This file takes three parts, and the others one request each.
      const large = randomBytes(20_000_000);
      const url = await uploaded(server, mel, { content: large, filename: 'large.bin' });
      for (let index = 0; index < 30; index++)
        await uploaded(server, mel, { content: `file ${index}` });
      const message = { type: 'channel', to: 'general', topic: 'greetings' };
      const { body: sent } = await server.post(mel, '/messages', { ...message, content: 'before' });
      let isMade = false;
      const sending = (async () => {
        for (let index = 0; !isMade; index++) {
          const { status } = await server.post(mel, '/messages', {
            ...message,
            content: `${index}`,
          });
          expect(status).toBe(200);
        }
      })();
      const creating = confab(env, server.data, 'create', '--to', place).finally(() => {
        isMade = true;
      });
      const [[made]] = await Promise.all([creating, sending]);
      expect(made).toMatchObject({ is_verified: true, realms: [{ files: 31, missing_files: 0 }] });
      const backup = String(made?.['backup']);
      expect(await confab(env, server.data, 'list', '--in', place)).toMatchObject([
        { backup, is_complete: true, bytes: made?.['bytes'], files: made?.['files'] },
      ]);
      expect(await confab(env, server.data, 'verify', '--from', backup)).toMatchObject([
        { backup, is_whole: true },
      ]);

      const to = join(temporaryFolder(), 'new');
      await confab(env, server.data, 'restore', '--from', backup, '--to', to);
      const restored = await startProcess({ CONFAB_DATA: to });
      const { body } = await restored.get(mel, `/messages/${sent.id}`, { apply_markdown: false });
      expect(body.message.content).toBe('before');
      const copy = await download({ app: { port: restored.port() } }, url, { as: mel });
      expect(copy.bytes.equals(large)).toBe(true);
    },
  );

  test.skipIf(service.isMissing)(
    'a changed or missing object is found, and nothing is restored from such a backup',
    async () => {
      const { env, place, s3, bucket: name } = await storage(service);
      const data = temporaryFolder();
      const { code } = await run(
        process.execPath,
        [builtFile('confab'), 'realm', 'create', 'acme'],
        {
          CONFAB_DATA: data,
        },
      );
      expect(code).toBe(0);
      const [made] = await confab(env, data, 'create', '--to', place, '--no-verify');
      expect(made).toMatchObject({ is_verified: false });
      const backup = String(made?.['backup']);
      const bucket = openBucket(name, s3);
      const key = `${backup.slice(`s3://${name}/`.length)}/layout.json`;
      await bucket.text({ method: 'PUT', key });
      await expect(confab(env, data, 'verify', '--from', backup)).rejects.toThrow(
        /^confab: s3:[^\n]+ is damaged: layout\.json: it has 0 bytes, and had \d+\n$/,
      );
      const to = temporaryFolder();
      await expect(confab(env, data, 'restore', '--from', backup, '--to', to)).rejects.toThrow(
        /is damaged: layout\.json/,
      );
      expect(readdirSync(to).filter((file) => !file.startsWith('control.'))).toEqual([]);
      await bucket.text({ method: 'DELETE', key });
      await expect(confab(env, data, 'verify', '--from', backup)).rejects.toThrow(
        /is damaged: layout\.json: it is missing\n$/,
      );
      await expect(confab(env, data, 'verify', '--from', `${place}/confab-none`)).rejects.toThrow(
        /is no backup, or not a whole one/,
      );
      const wrong = { ...env, CONFAB_S3_ACCESS_KEY_ID: 'nobody' };
      await expect(confab(wrong, data, 'list', '--in', place)).rejects.toThrow(
        /^confab: s3:[^\n]+ was refused by the service: 40\d \w+[^\n]*\n$/,
      );
    },
  );

  test.skipIf(service.isMissing)(
    'the newest backups of a bucket stay, and a failure removes what was uploaded',
    async () => {
      const { place: address, s3 } = await storage(service);
      const server = await startServer();
      await uploaded(server, server.people.mel, { content: randomBytes(10_000_000) });
      const place = s3Place(address, s3);
      const { app, data, clock } = server;
      const source = { data, leftOut: [], realms: app.realms.all(), now: () => clock.now() };
      const backUp = async () => {
        await server.advance(1_000);
        const verify = async (made: string) => {
          await verifyBackup(place.at(made.slice(address.length + 1)));
        };
        return createBackup(source, { place, verify, keep: 2 });
      };
      const made = [await backUp(), await backUp(), await backUp()];
      const [first, ...kept] = made.map(({ backup }) => backup.slice(address.length + 1));
      expect(made[2]).toMatchObject({ is_verified: true, removed: [first] });
      expect(await place.names()).toEqual(kept);
      expect(await listBackups(place)).toMatchObject([
        { is_complete: true },
        { is_complete: true },
      ]);

      const [realm] = app.realms.all();
      if (realm === undefined) expect.fail('there is a realm');
      // The store has been uploaded by then.
      const open = () => Promise.reject(new Error('a file cannot be opened'));
      const broken = { ...realm, files: { ...realm.files, open } };
      const failing = createBackup({ ...source, realms: [broken] }, { place, verify: null });
      await expect(failing).rejects.toThrow('a file cannot be opened');
      expect(await place.names()).toEqual(kept);
    },
  );

  if (!service.checksSignatures) return;
  test.skipIf(service.isMissing)('a request with a wrong secret is refused', async () => {
    const { env, place } = await storage(service);
    const wrong = { ...env, CONFAB_S3_SECRET_ACCESS_KEY: 'wrong' };
    await expect(confab(wrong, temporaryFolder(), 'list', '--in', place)).rejects.toThrow(
      /^confab: s3:[^\n]+ was refused by the service: 403 SignatureDoesNotMatch[^\n]*\n$/,
    );
  });
});

interface Storage {
  readonly bucket: string;
  /** A prefix that no other test has. */
  readonly place: string;
  readonly s3: S3Settings;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Any service can be tested: `CONFAB_TEST_S3=https://id:secret@host/bucket`. Otherwise one is
 * started.
 */
async function storage(service: (typeof SERVICES)[number]): Promise<Storage> {
  // biome-ignore lint/style/noProcessEnv: this is for who runs the tests.
  const { CONFAB_TEST_S3: given } = process.env;
  const url = new URL(given ?? `http://S3RVER:S3RVER@127.0.0.1:${await service.start()}/backups`);
  const s3 = {
    endpoint: url.origin,
    region: 'us-east-1',
    accessKeyId: url.username,
    secretAccessKey: url.password,
    secretAccessKeyFile: null,
  };
  const bucket = url.pathname.slice(1);
  return {
    bucket,
    place: `s3://${bucket}/test-${randomBytes(8).toString('hex')}`,
    s3,
    env: {
      CONFAB_S3_ENDPOINT: s3.endpoint,
      CONFAB_S3_ACCESS_KEY_ID: s3.accessKeyId,
      CONFAB_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    },
  };
}

async function startStorage(): Promise<number> {
  const program = join(import.meta.dirname, 's3-server.mjs');
  const server = startClient(process.execPath, [
    program,
    inject('javascriptClients'),
    temporaryFolder(),
  ]);
  const { port } = await server.hear((line) => 'port' in line);
  return port as number;
}

/** Runs the command line with the key of the storage. Throws its standard error if it fails. */
async function confab(
  env: Readonly<Record<string, string>>,
  data: string,
  ...words: string[]
): Promise<Record<string, unknown>[]> {
  const args = [builtFile('confab'), 'backup', ...words];
  const { code, stdout, stderr } = await run(process.execPath, args, { ...env, CONFAB_DATA: data });
  if (code !== 0) throw new Error(stderr);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
