import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Realm } from '../../actors/realm/realm-handle.ts';
import { createHere } from '../../src/admin/backups.ts';
import type { Filling } from '../../src/backups/copying.ts';
import { createBackup } from '../../src/backups/create-backup.ts';
import { folderPlace } from '../../src/backups/places/folder-place.ts';
import { openSource } from '../../src/backups/places/open-place.ts';
import type { Place } from '../../src/backups/places/place.ts';
import { verifyBackup } from '../../src/backups/verify-backup.ts';
import { storedFiles, uploaded } from '../support/files/uploads.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

interface Told {
  readonly backup: string;
  readonly realms: readonly { readonly files: number; readonly missing_files: number }[];
}

test('a file that is removed after the rows were copied is in the backup, and gone afterwards', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await uploaded(server, mel, { content: 'kept in the backup' });
  const [file = expect.fail('there is a file')] = storedFiles(server.data);
  const realm: Realm = {
    ...realmOf(server),
    async freeze() {
      const frozen = await realmOf(server).freeze();
      expect((await server.delete(mel, '/attachments/1')).status).toBe(200);
      const files = expect.poll(async () => {
        await server.advance(100); // an outbox entry removes it
        return storedFiles(server.data);
      });
      await files.not.toContain(file);
      return frozen;
    },
  };
  const { backup, realms } = await backedUp(server, realm);
  expect(realms).toMatchObject([{ files: 1, missing_files: 0 }]);
  const copy = join(backup, 'realms/1/uploads', file);
  expect(readFileSync(copy, 'utf8')).toBe('kept in the backup');
  expect(storedFiles(server.data)).toEqual([]);
  expect(await verifyBackup(openSource(backup, server.app.realms.settings.s3))).toMatchObject({
    is_whole: true,
  });
});

test('a backup lists a realm that is not served and does not contain it', async () => {
  const server = await startServer();
  await server.addRealm('other');
  await server.stop();
  truncateSync(join(server.data, 'realms/2/data.mdb'), 4096);
  await server.start();
  const [told] = await createHere(server.app.realms, {
    to: temporaryFolder(),
    'no-verify': true,
  });
  const leftOut = [{ id: 2, string_id: 'other', why: expect.stringContaining('is damaged') }];
  expect(told).toMatchObject({ realms: [{ id: 1 }], left_out: leftOut });
  const { backup } = told as Told; // as it documents
  const manifest: unknown = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'));
  expect(manifest).toMatchObject({ left_out: leftOut });
  expect(await verifyBackup(openSource(backup, server.app.realms.settings.s3))).toMatchObject({
    is_whole: true,
  });
});

test('a backup has those bytes of an unfinished upload that its row counts', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await uploaded(server, mel, { content: '0123456789' });
  const [file = ''] = storedFiles(server.data);
  await server.perform((tx) => {
    const row = { ownerId: mel.id, metadata: '', length: 20, standing: 'unfinished' } as const;
    tx.resumableUploads.put([file.replace('/', '')], {
      ...row,
      offset: 4,
      attachmentId: null,
      until: tx.now + 1000,
    });
    for (const [id] of [...tx.attachments.keys({})]) tx.attachments.remove([id]);
  });
  const { backup } = await backedUp(server, realmOf(server));
  expect(readFileSync(join(backup, 'realms/1/uploads', file), 'utf8')).toBe('0123');
});

test('a backup is given up in the middle of a file, and leaves nothing', async () => {
  const server = await startServer();
  const large = 2_000_000;
  writeFileSync(join(server.data, 'demo-credentials.json'), Buffer.alloc(large, 1));
  const to = temporaryFolder();
  const stopping = new AbortController();
  let written = 0;
  const place = overheard(folderPlace(to), (bytes) => {
    written += bytes;
    if (written > large / 4) stopping.abort(new Error('the server stops'));
  });
  const source = { data: server.data, leftOut: [], realms: [realmOf(server)], now: Date.now };
  const creating = { place, verify: null, signal: stopping.signal };
  await expect(createBackup(source, creating)).rejects.toThrow('the server stops');
  expect(written).toBeGreaterThan(large / 4);
  expect(written).toBeLessThan(large);
  expect(readdirSync(to)).toEqual([]);
});

/** Tells how many bytes are about to be written, piece by piece. */
function overheard(place: Place, onBytes: (bytes: number) => void): Place {
  async function* noted(chunks: Parameters<Filling['write']>[1]) {
    for await (const chunk of chunks) {
      onBytes(chunk.length);
      yield chunk;
    }
  }
  return {
    ...place,
    async begin(name, data) {
      const writing = await place.begin(name, data);
      const { filling } = writing;
      const write: Filling['write'] = (path, chunks) => filling.write(path, noted(chunks));
      return { ...writing, filling: { ...filling, write } };
    },
  };
}

test('a file that the server does not have is counted, and the rest is backed up', async () => {
  const server = await startServer();
  const { mel } = server.people;
  await uploaded(server, mel, { content: 'lost' });
  await uploaded(server, mel, { content: 'there' });
  const [file = ''] = storedFiles(server.data);
  rmSync(join(server.data, 'realms/1/uploads', file));
  const { realms } = await backedUp(server, realmOf(server));
  expect(realms).toMatchObject([{ files: 2, missing_files: 1 }]);
});

test('a stopping server gives up its backup and leaves nothing; another can be made afterwards', async () => {
  const server = await startServer();
  const to = temporaryFolder();
  const creating = { place: folderPlace(to), verify: null };
  const stopping: Realm = { ...realmOf(server), isOpen: () => false };
  const source = { data: server.data, leftOut: [], now: Date.now };
  await expect(createBackup({ ...source, realms: [stopping] }, creating)).rejects.toMatchObject({
    code: 'SERVER_STOPPING',
  });
  expect(readdirSync(to)).toEqual([]);
  const realms = [realmOf(server)];
  const first = createBackup({ ...source, realms }, creating);
  await expect(createBackup({ ...source, realms }, creating)).rejects.toThrow(
    /another backup is being/,
  );
  await first;
  expect(readdirSync(to)).toHaveLength(1);
});

const realmOf = ({ app }: TestServer): Realm =>
  app.realms.named('test') ?? expect.fail('there is the realm of tests');

async function backedUp(server: TestServer, realm: Realm): Promise<Told> {
  const source = { data: server.data, leftOut: [], realms: [realm], now: Date.now };
  return createBackup(source, { place: folderPlace(temporaryFolder()), verify: null });
}
