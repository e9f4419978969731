import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openArchive } from '../../../src/archives/read-archive.ts';
import { type Client, openClient } from '../../support/client.ts';
import { download, storedFiles, uploaded } from '../../support/files/uploads.ts';
import { confab, runConfab } from '../../support/processes/run.ts';
import { startProcess } from '../../support/processes/start-process.ts';
import { buildSyncShim, hasCompiler } from '../../support/processes/sync-shim.ts';
import { someOf } from '../../support/runs.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import type { Person } from '../../support/users.ts';

interface Death {
  /**
   * The process dies right after so many of these: a `write` is one to an uploaded file or an
   * archive, a `rename` is a change of a name.
   */
  readonly after: 'sync' | 'write' | 'rename';
  readonly count: number;
}

/** A realm with some messages and a file, on a server that is killed when it has done so much. */
async function mortal() {
  const { library, trigger } = buildSyncShim();
  const hookOf = (after: Death['after']) => `${trigger}-${after}`;
  const server = await startProcess({
    LD_PRELOAD: library,
    LAST_SYNC: hookOf('sync'),
    LAST_WRITE: hookOf('write'),
    LAST_RENAME: hookOf('rename'),
  });
  const mel = server.people['mel'] ?? expect.fail();
  const ada = server.people['ada'] ?? expect.fail();
  const url = await uploaded(server, mel, { content: 'some text' });
  const say = (content: string) =>
    server.post(mel, '/messages', { type: 'channel', to: 'general', topic: 'archived', content });
  for (let count = 0; count < 20; count += 1) await say(`message ${count}`);
  await say(`[file](${url})`);
  return {
    server,
    ada,
    mel,
    url,
    /** Lets the process die during an act; at the latest, other commits bring about the death. */
    async dieDuring({ after, count }: Death, act: () => Promise<unknown>) {
      const isEnded = server.ended();
      writeFileSync(hookOf(after), String(count));
      await act().catch(() => undefined);
      while ((await say('poke').catch(() => null)) !== null);
      expect(await isEnded).toEqual({ code: null, signal: 'SIGKILL' });
      rmSync(hookOf(after));
      await server.start();
    },
  };
}

const listed = async (client: Client, ada: Person) =>
  (await client.get(ada, '/export/realm')).body.exports as {
    pending: boolean;
    export_url: string | null;
    failed_timestamp: number | null;
  }[];

/** Checks that every export that is listed is whole. */
async function expectWhole(port: number, ada: Person) {
  const client = openClient(() => port, 'demo.localhost');
  const exports = await listed(client, ada);
  const links = exports.flatMap(({ export_url }) => export_url ?? []);
  const file = join(temporaryFolder(), 'fetched.zip');
  for (const link of links) {
    const { status, bytes } = await download({ app: { port } }, link, { host: 'demo.localhost' });
    expect(status).toBe(200);
    writeFileSync(file, bytes);
    const archive = await openArchive(file);
    expect(archive.manifest.files.count).toBe(1);
    archive.close();
  }
  return { exports, links };
}

/**
 * Checks that only the file and these archives are on disk, once the server has had time to clear
 * away what had begun.
 */
async function expectFiles(data: string, { url, links }: { url: string; links: string[] }) {
  const [folder, name] = url.split('/').slice(3, 5);
  const places = links.map((link) => link.split('/')[3] ?? '');
  const archives = places.map((place) => `${place.slice(0, 2)}/${place.slice(2)}`);
  const expected = [`${folder}/${name}`, ...archives].sort();
  await expect.poll(() => storedFiles(data).sort()).toEqual(expected);
}

/**
 * The deaths come when the export was asked for, while it is written, when it is on disk with its
 * folder, and when it is made.
 */
const EXPORT_DEATHS: readonly Death[] = [
  { after: 'sync', count: 2 },
  { after: 'write', count: 20 },
  { after: 'sync', count: 6 },
  { after: 'sync', count: 8 },
  { after: 'sync', count: 9 },
];

test.runIf(hasCompiler).each(someOf(EXPORT_DEATHS, { every: 2 }))(
  '2.7: killed right after $after number $count of an export, the server has no half of one, and makes it when it is back',
  async (death) => {
    const { server, ada, url, dieDuring } = await mortal();
    let isAcknowledged = false;
    await dieDuring(death, async () => {
      isAcknowledged = (await server.post(ada, '/export/realm', { export_type: 2 })).status === 200;
      const isMade = async () => (await listed(server, ada)).every(({ pending }) => !pending);
      await vi.waitUntil(isMade, { timeout: 20_000, interval: 5 });
    });
    const after = await expectWhole(server.port(), ada);
    if (isAcknowledged) expect(after.exports).toHaveLength(1);

    const isMade = async () => (await listed(server, ada)).every(({ pending }) => !pending);
    await expect.poll(isMade).toBe(true);
    const { exports, links } = await expectWhole(server.port(), ada);
    expect(exports.map(({ failed_timestamp }) => failed_timestamp)).toEqual(links.map(() => null));
    expect(exports).toHaveLength(after.exports.length);
    await expectFiles(server.data, { url, links });
    expect(server.stderr()).toBe('');
  },
);

/**
 * The deaths come while tables are loaded, while files are, when almost all is done, when the realm
 * has its folder, and after it was made.
 */
const IMPORT_DEATHS: readonly Death[] = [
  { after: 'sync', count: 30 },
  { after: 'write', count: 1 },
  { after: 'sync', count: 150 },
  { after: 'rename', count: 1 },
  { after: 'sync', count: 220 },
];

test.runIf(hasCompiler).each(someOf(IMPORT_DEATHS, { every: 2 }))(
  'killed right after $after number $count of an import, the server has the whole realm or nothing of it',
  async (death) => {
    const { server, mel, url, dieDuring } = await mortal();
    const file = join(temporaryFolder(), 'realm.zip');
    await confab(server.data, 'realm', 'export', '--file', file);
    const importIt = ['realm', 'import', '--file', file, '--name', 'copy'];
    let isSaid = false;
    await dieDuring(death, async () => {
      isSaid = (await runConfab(server.data, ...importIt)).code === 0;
    });

    const names = async () =>
      (await confab(server.data, 'realm', 'list')).map(({ realm }) => realm);
    const isThere = (await names()).includes('copy');
    if (isSaid || death.after === 'rename') expect(isThere).toBe(true);
    expect(readdirSync(join(server.data, 'realms'))).toEqual(isThere ? ['1', '2'] : ['1']);
    // The first attempt leaves nothing that is in the way of the second.
    if (!isThere) await confab(server.data, ...importIt);
    expect(await names()).toEqual(['demo', 'copy']);
    const copy = openClient(server.port, 'copy.localhost');
    const everything = { anchor: 'oldest', num_after: 100, narrow: [['channel', 'general']] };
    const { messages } = (await copy.get(mel, '/messages', everything)).body;
    expect(messages).toHaveLength(21);
    const app = { port: server.port() };
    const { status, bytes } = await download({ app }, url, { as: mel, host: 'copy.localhost' });
    expect([status, bytes.toString()]).toEqual([200, 'some text']);
    expect((await copy.post(mel, '/messages', HELLO)).status).toBe(200);
  },
);

const HELLO = { type: 'channel', to: 'general', topic: 'archived', content: 'hello' };

test.runIf(hasCompiler).each<Death>([
  { after: 'write', count: 20 },
  { after: 'sync', count: 2 },
  { after: 'rename', count: 1 },
])(
  'killed right after $after number $count of an export to a file, the operator has the whole of it or none',
  async (death) => {
    const { server, dieDuring } = await mortal();
    // The shim counts writes in a folder of this name.
    const folder = join(temporaryFolder(), 'uploads');
    mkdirSync(folder);
    const file = join(folder, 'realm.zip');
    const exportIt = ['realm', 'export', '--file', file];
    await dieDuring(death, () => runConfab(server.data, ...exportIt));
    expect(readdirSync(folder)).toEqual([
      death.after === 'rename' ? 'realm.zip' : 'realm.zip.part',
    ]);
    if (death.after !== 'rename') await confab(server.data, ...exportIt);
    const archive = await openArchive(file);
    expect(archive.manifest.kind).toBe('whole');
    archive.close();
    expect(readdirSync(folder)).toEqual(['realm.zip']);
  },
);
