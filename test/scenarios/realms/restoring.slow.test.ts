import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import { createBackup } from '../../../src/backups/create-backup.ts';
import { folderPlace } from '../../../src/backups/places/folder-place.ts';
import * as attachments from '../../../src/operations/files/attachments.ts';
import type { FrozenStore } from '../../../storage/frozen-store.ts';
import { TABLES } from '../../../storage/schema.ts';
import { openRealmStore } from '../../../storage/store.ts';
import { openClient } from '../../support/client.ts';
import { download } from '../../support/files/uploads.ts';
import { sendMany } from '../../support/messages/many-messages.ts';
import { confab } from '../../support/processes/run.ts';
import { launch } from '../../support/processes/start-process.ts';
import { runs } from '../../support/runs.ts';
import { temporaryFolder } from '../../support/scratch.ts';
import { startServer, type TestServer } from '../../support/start-server.ts';

const MESSAGES = runs({ few: 10_000, all: 100_000 });
const PER_COMMIT = 1_000;
const FILES = runs({ few: 200, all: 2_000 });
const SENDERS = 4;
/** A busy machine takes minutes. */
const SECONDS = 600;

test(
  `${MESSAGES} messages and ${FILES} files are backed up while messages are sent, restored, compared and served`,
  async () => {
    const server = await startServer({ channels: ['general'] });
    const { mel } = server.people;
    for (let sent = 0; sent < MESSAGES; sent += PER_COMMIT) {
      const content = (number: number) => `message **${sent + number}** of many, with words`;
      await sendMany(server, {
        as: mel,
        count: PER_COMMIT,
        topic: `topic ${sent % 37_000}`,
        content,
      });
    }
    await server.register(mel, { event_types: ['message'] });
    const files = await addFiles(server);
    // A file that no message links would be removed after a while.
    const linking = { ...MESSAGE, content: `[a.txt](${urlOf(1)})` };
    expect((await server.post(mel, '/messages', linking)).status).toBe(200);
    const to = temporaryFolder();
    let frozen: FrozenStore | undefined;
    const original = server.app.realms.named('test') ?? expect.fail('there is the realm of tests');
    const realm: Realm = {
      ...original,
      // The rows of this moment stay readable until they have been compared.
      async freeze() {
        frozen = await original.freeze();
        const { reader, size } = frozen;
        return { reader, size, chunks: frozen.chunks, close: () => undefined };
      },
    };
    const source = { data: server.data, realms: [realm], leftOut: [], now: Date.now };
    const creating = createBackup(source, { place: folderPlace(to), verify: null });
    const sent = await sentUntil(server, creating);
    const { backup, realms } = await creating;
    expect(sent).toBeGreaterThan(0);
    expect(realms).toMatchObject([{ files: FILES, missing_files: 0 }]);
    expect(realms[0]?.last_message_id).toBeGreaterThanOrEqual(MESSAGES);
    expect(realms[0]?.last_message_id).toBeLessThanOrEqual(MESSAGES + sent);

    const data = join(temporaryFolder(), 'restored');
    await confab(to, 'backup', 'restore', '--from', backup, '--to', data);
    const rows = frozen ?? expect.fail('the store was copied');
    // Restoring ends the queues of events, of which there was one.
    expect(await differingRows(rows, join(data, 'realms/1'))).toEqual({
      queues: { one: { done: false, value: expect.anything() }, other: { done: true } },
    });
    rows.close();
    const uploads = join(data, 'realms/1/uploads');
    const stored = readdirSync(uploads, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.includes('/'),
    );
    expect(stored.sort()).toEqual([...files.keys()].sort());
    expect(stored.filter((name) => hashOf(join(uploads, name)) !== files.get(name))).toEqual([]);

    const restored = launch({ CONFAB_DATA: data, CONFAB_PORT: '0', CONFAB_DEMO: '0' });
    onTestFinished(() => void restored.process.kill('SIGKILL'));
    const port = await restored.port;
    const client = openClient(() => port, 'test.localhost');
    const page = { anchor: 'newest', num_before: 1, num_after: 0, apply_markdown: false };
    const { body } = await client.get(mel, '/messages', page);
    expect(body.messages.map((message: { id: number }) => message.id)).toContain(
      realms[0]?.last_message_id,
    );
    const copy = await download({ app: { port } }, urlOf(1), { as: mel });
    expect(copy.bytes.toString()).toBe(contentOf(1));
    expect(
      (await client.post(mel, '/messages', { ...MESSAGE, content: 'after the restore' })).status,
    ).toBe(200);
  },
  SECONDS * 1_000,
);

const MESSAGE = { type: 'channel', to: 'general', topic: 'greetings' };

const fileOf = (index: number) => `f${index % 10}/file-number-${index}`;
const contentOf = (index: number) => `the content of file ${index} `.repeat(1 + (index % 500));
const urlOf = (index: number) => `/user_uploads/1/${fileOf(index)}/a.txt`;

/** Adds files with their rows. Returns the hash of each by its name. */
async function addFiles(server: TestServer): Promise<Map<string, string>> {
  const root = join(server.data, 'realms/1/uploads');
  const files = new Map<string, string>();
  for (let index = 0; index < FILES; index++) {
    const path = join(root, fileOf(index));
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, contentOf(index));
    files.set(fileOf(index), hashOf(path));
  }
  await server.perform((tx) => {
    const owner = tx.users.get([server.people.mel.id]) ?? expect.fail('there is mel');
    for (let index = 0; index < FILES; index++) {
      attachments.add(tx, owner, {
        pathId: urlOf(index).replace('/user_uploads/', ''),
        name: 'a.txt',
        size: contentOf(index).length,
        contentType: 'text/plain',
        image: null,
      });
    }
  });
  return files;
}

const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** Sends for as long as work goes on. Returns how many messages were acknowledged. */
async function sentUntil(server: TestServer, work: Promise<unknown>): Promise<number> {
  let isDone = false;
  let sent = 0;
  const done = () => {
    isDone = true;
  };
  work.then(done, done);
  const send = async () => {
    while (!isDone) {
      const { status } = await server.post(server.people.mel, '/messages', {
        ...MESSAGE,
        content: 'meanwhile',
      });
      expect(status).toBe(200);
      sent += 1;
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  return sent;
}

/** Compares every row of every table. Returns the first key of each table that differs. */
async function differingRows({ reader }: FrozenStore, folder: string) {
  const store = openRealmStore(folder);
  const differing: Record<string, unknown> = {};
  let compared = 0;
  for (const name of Object.keys(TABLES) as (keyof typeof TABLES)[]) {
    const range = (one: typeof reader): Iterator<[unknown, unknown]> =>
      (one[name].range({}) as Iterable<[unknown, unknown]>)[Symbol.iterator]();
    const expected = range(reader);
    const found = range(store.reader);
    for (;;) {
      const one = expected.next();
      const other = found.next();
      if (!isDeepStrictEqual(one, other)) differing[name] = { one, other };
      if (one.done === true || other.done === true || name in differing) break;
      compared += 1;
    }
  }
  await store.close();
  expect(compared).toBeGreaterThan(2 * MESSAGES);
  return differing;
}
