import {
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { expect, test } from 'vitest';
import { type KeptFolder, keepFolder } from '../support/kept-folder.ts';
import { confab, runConfab } from '../support/processes/run.ts';
import { openRandom } from '../support/random.ts';
import { fillRealm } from '../support/realms/full-realm.ts';
import { runNumbers } from '../support/runs.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

const STORE = 'realms/1/data.mdb';

test('sound stores pass a check, with a server and without, and each by its name', async () => {
  const server = await filledServer();
  const { data } = server;
  const stopped = await checked(data);
  expect(stopped.code).toBe(0);
  expect(stopped.lines).toEqual([expect.objectContaining({ is_sound: true, realm: 'test' })]);

  await server.start();
  await confab(data, 'realm', 'create', 'other');
  const running = await checked(data);
  expect(running.code).toBe(0);
  expect(running.lines).toMatchObject([
    { realm_id: 1, realm: 'test', is_sound: true, faults: 0, files: expect.any(Number) },
    { realm_id: 2, realm: 'other', is_sound: true, faults: 0 },
  ]);
  const [{ rows, files, pages } = {}] = running.lines;
  expect(Number(rows)).toBeGreaterThan(500);
  expect(Number(files)).toBeGreaterThan(2);
  expect(Number(pages)).toBeGreaterThan(50);
  const other = await checked(data, '--realm', 'other');
  expect(other.lines).toMatchObject([{ realm: 'other', is_sound: true }]);
});

test('a check that cannot be made has another exit code than one that finds damage', async () => {
  const data = await filled();
  expect(await runConfab(data, 'check', '--realm', 'nowhere')).toMatchObject({
    code: 2,
    stderr: "confab: There is no realm 'nowhere'\n",
  });
  expect((await runConfab(data, 'check', '--wrong')).code).toBe(2);
  expect((await runConfab(data, 'check', 'this')).code).toBe(2);
});

test('a store that was cut off, and one whose pages are zeros, are damaged', async () => {
  const data = await filled();
  const { size } = statSync(join(data, STORE));
  const whole = readFileSync(join(data, STORE));
  // The last pages may be free ones.
  truncateSync(join(data, STORE), Math.floor(size / 2 / 4096) * 4096);
  expect(await checked(data)).toMatchObject({
    code: 1,
    lines: [
      { realm: 'test', table: 'store' },
      { is_sound: false, rows: null },
    ],
  });
  writeFileSync(join(data, STORE), whole.fill(0, 8192, 16 * 4096));
  expect(await checked(data)).toMatchObject({ code: 1 });
  rmSync(join(data, STORE));
  const { lines } = await checked(data);
  expect(lines[0]).toMatchObject({ table: 'store', what: 'the file is missing' });
});

test('a file that is gone or cut off is named, with its row', async () => {
  const data = await filled();
  const uploads = join(data, 'realms/1/uploads');
  const files = readdirSync(uploads, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^[\w-]{2}\/[\w-]{10,}$/.test(name),
  );
  const [gone = ''] = files;
  rmSync(join(uploads, gone));
  const { code, lines } = await checked(data);
  expect(code).toBe(1);
  expect(lines[0]).toMatchObject({ table: 'files', what: 'is missing' });
  expect(lines[0]?.['where']).toContain(gone);
});

test('a row that is missing in an index, and one that belongs to nothing, are named', async () => {
  const data = await filled();
  const env = open({ path: join(data, 'realms/1') });
  const index = env.openDB<unknown, (string | number)[]>({ name: 'sender_messages' });
  const [key] = [...index.getKeys({ limit: 1 })];
  const events = env.openDB<unknown, (string | number)[]>({ name: 'events' });
  await index.remove(key ?? []);
  await events.remove([9]);
  await env.openDB({ name: 'users' }).put([7], 'no row');
  await env.openDB({ name: 'number_lines' }).put(['attachment'], [0]);
  await env.close();
  const { code, lines } = await checked(data);
  expect(code).toBe(1);
  expect(lines).toContainEqual(
    expect.objectContaining({ table: 'sender_messages', where: JSON.stringify(key) }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({ table: 'events', what: 'events 9 to 9 are missing' }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({ table: 'users', what: 'is no row', where: '[7]' }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({
      table: 'attachments',
      what: expect.stringContaining('the last one given out is 0'),
    }),
  );
});

test.each(runNumbers({ few: 1, all: 4, most: 20 }))(
  'no flipped bits end the command, and those where pages say what they are are told (seed %i)',
  async (seed) => {
    const random = openRandom(seed);
    const data = await filled();
    const whole = readFileSync(join(data, STORE));
    const heads: number[] = [];
    for (let id = 1; id <= FLIPPED_REALMS; id++) {
      const folder = join(data, 'realms', String(id));
      if (id > 1) cpSync(join(data, 'realms/1'), folder, { recursive: true });
      const bytes = Buffer.from(whole);
      const isInHead = id % 2 === 0;
      const page = random.below(bytes.length / PAGE_BYTES);
      const at = page * PAGE_BYTES + (isInHead ? 0 : random.below(PAGE_BYTES));
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      writeFileSync(join(folder, 'data.mdb'), bytes);
      if (isInHead) heads.push(id);
    }
    const { lines } = await checked(data);
    const ends = lines.filter((line) => 'is_sound' in line);
    expect(ends).toHaveLength(FLIPPED_REALMS);
    const isTold = (line: Record<string, unknown>) => line['is_sound'] === false;
    const told = ends.filter((line) => isTold(line) && heads.includes(Number(line['realm_id'])));
    // The other pages are free.
    expect(told.length).toBeGreaterThan(heads.length / 4);
    expect(JSON.stringify(lines)).not.toContain('ended the process');
  },
);

/**
 * The number of realms with a changed page: each is checked by a process of its own, which takes a
 * while to start.
 */
const FLIPPED_REALMS = 11;
const PAGE_BYTES = 4096;

let kept: Promise<KeptFolder> | undefined;

/** Makes a realm with everything it can have, in a directory without a server. */
async function filled(): Promise<string> {
  kept ??= fillOnce();
  const data = temporaryFolder();
  (await kept).writeTo(data);
  return data;
}

const fillOnce = async () => keepFolder((await filledServer()).data);

async function filledServer(): Promise<TestServer> {
  const server = await startServer({ channels: ['general'] });
  await fillRealm(server);
  await server.stop();
  return server;
}

async function checked(data: string, ...words: string[]) {
  const { code, stdout, stderr } = await runConfab(data, 'check', ...words);
  expect(stderr).toBe('');
  const lines = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { code, lines };
}
