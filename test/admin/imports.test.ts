import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runCommand } from '../../src/admin/commands.ts';
import { ARCHIVE_LINE_BYTES_MAX } from '../../src/domain/limits/archives.ts';
import { ApiError } from '../../src/domain/wire/errors.ts';
import { openClient } from '../support/client.ts';
import {
  type Contents,
  contentsOf,
  type Line,
  linesOf,
  packed,
  seal,
  setLines,
} from '../support/files/archives.ts';
import { download, uploaded } from '../support/files/uploads.ts';
import { runs } from '../support/runs.ts';
import { temporaryFolder } from '../support/scratch.ts';
import { startServer, type TestServer } from '../support/start-server.ts';

async function archived(server: TestServer): Promise<string> {
  const { mel } = server.people;
  const url = await uploaded(server, mel, { content: 'some text' });
  await server.post(mel, '/messages', {
    type: 'stream',
    to: 'general',
    topic: 't',
    content: `[file](${url})`,
  });
  const file = join(temporaryFolder(), 'realm.zip');
  await runCommand(server.app.realms, 'realm export', { realm: 'test', file });
  return file;
}

const importIt = (server: TestServer, file: string, name = 'copy') =>
  runCommand(server.app.realms, 'realm import', { file, name });

const realmFolders = (server: TestServer) => readdirSync(join(server.data, 'realms'));

type Edit = (contents: Contents) => void;

const edited =
  (table: string, change: (lines: Line[]) => Line[]): Edit =>
  (contents) => {
    setLines(contents, table, change(linesOf(contents, table)));
    seal(contents);
  };

const first = (table: string, change: (line: Line) => void): Edit =>
  edited(table, (lines) => {
    change(lines[0]);
    return lines;
  });

const manifest =
  (change: (manifest: Line) => void): Edit =>
  (contents) => {
    const value = JSON.parse(String(contents.get('manifest.json'))) as Line;
    change(value);
    contents.set('manifest.json', Buffer.from(JSON.stringify(value)));
  };

const pathOfFile = (contents: Contents) =>
  [...contents.keys()].find((path) => path.startsWith('files/')) ?? '';

/** A path in an archive, and the one that replaces it. */
const LEADS_OUT = ['tables/AA/AA/x', 'tables/../../x'] as const;

const HOSTILE: readonly { why: string; edit: Edit; msg: RegExp }[] = [
  { why: 'no manifest', edit: (c) => c.delete('manifest.json'), msg: /no manifest\.json/ },
  {
    why: 'a manifest that is none',
    edit: (c) => c.set('manifest.json', Buffer.from('{')),
    msg: /manifest\.json is not JSON/,
  },
  {
    why: 'a huge manifest',
    edit: (c) => c.set('manifest.json', Buffer.alloc(300 * 1024, 32)),
    msg: /manifest\.json is too large/,
  },
  { why: 'another format', edit: manifest((m) => (m.format_version = 2)), msg: /format 2/ },
  { why: 'no format', edit: manifest((m) => delete m.format_version), msg: /format undefined/ },
  { why: 'a newer schema', edit: manifest((m) => (m.schema_version = 999)), msg: /newer version/ },
  { why: 'a schema too old', edit: manifest((m) => (m.schema_version = 3)), msg: /schema 3/ },
  { why: 'a word too many', edit: manifest((m) => (m.more = 1)), msg: /manifest\.json/ },
  { why: 'an unknown table', edit: manifest((m) => (m.tables[0].name = 'x')), msg: /no table 'x'/ },
  { why: 'a table twice', edit: manifest((m) => m.tables.push(m.tables[0])), msg: /twice/ },
  { why: 'a missing table', edit: (c) => c.delete('tables/users.jsonl'), msg: /no tables\/users/ },
  {
    why: 'a table that is not listed',
    edit: manifest((m) => (m.tables = m.tables.filter((t: Line) => t.name !== 'drafts'))),
    msg: /does not say what tables\/drafts\.jsonl is/,
  },
  {
    why: 'a row less than it says',
    edit: manifest((m) => (m.tables[0].rows += 1)),
    msg: /has 1 rows of 2/,
  },
  {
    why: 'a table that was changed',
    edit: (c) => setLines(c, 'users', linesOf(c, 'users').slice(1)),
    msg: /users\.jsonl is not what the archive says/,
  },
  {
    why: 'a file that was changed',
    edit: (c) => c.set(pathOfFile(c), Buffer.from('some tExt')),
    msg: /is not what the archive says/,
  },
  { why: 'a missing file', edit: (c) => c.delete(pathOfFile(c)), msg: /the archive has no files/ },
  {
    why: 'a file of nothing',
    edit: (c) => c.set('files/ab/cdefghijklmnop', Buffer.from('x')),
    msg: /does not say what files\/ab/,
  },
  {
    why: 'a listed file of nothing',
    edit: (c) => {
      const line = { folder: 'ab', file: 'cdefghijklmnop', bytes: 0, sha256: '0'.repeat(64) };
      c.set('files.jsonl', Buffer.from(`${String(c.get('files.jsonl'))}${JSON.stringify(line)}\n`));
      seal(c);
    },
    msg: /belongs to nothing/,
  },
  {
    why: 'a path that leads out',
    edit: (c) => c.set(LEADS_OUT[0], Buffer.from('x')),
    msg: /list of its files is damaged: invalid relative path/,
  },
  { why: 'a program', edit: (c) => c.set('run.sh', Buffer.from('x')), msg: /does not belong/ },
  {
    why: 'a line that is no JSON',
    edit: (c) => {
      c.set('tables/users.jsonl', Buffer.from('{"key":[1]\n'));
      sealUnread(c);
    },
    msg: /users\.jsonl, line 1 is not JSON/,
  },
  {
    why: 'a line that is cut',
    edit: (c) => {
      c.set('tables/users.jsonl', Buffer.from('{"key":[1],"row":{}}'));
      sealUnread(c);
    },
    msg: /ends within a line/,
  },
  { why: 'a key of another kind', edit: first('users', (l) => (l.key = ['x'])), msg: /its key/ },
  {
    why: 'a key too long',
    edit: first('user_emails', (l) => (l.key = ['x'.repeat(601)])),
    msg: /line 1/,
  },
  { why: 'no key', edit: first('users', (l) => (l.key = [])), msg: /line 1/ },
  { why: 'a key of parts too many', edit: first('users', (l) => l.key.push(1)), msg: /its key/ },
  { why: 'a column too many', edit: first('users', (l) => (l.row.more = 1)), msg: /column 'more'/ },
  { why: 'a column too few', edit: first('users', (l) => delete l.row.email), msg: /'email'/ },
  { why: 'a column of another kind', edit: first('users', (l) => (l.row.email = 5)), msg: /email/ },
  { why: 'a role of no kind', edit: first('users', (l) => (l.row.role = 1)), msg: /role/ },
  {
    why: 'a number that does not count',
    edit: first('messages', (l) => (l.row.sentAt = 'x')),
    msg: /sentAt/,
  },
  {
    why: 'a setting of no kind',
    edit: first('realm', (l) => (l.row.settings = { invite_required: 'x' })),
    msg: /settings/,
  },
  {
    why: 'a text of megabytes',
    edit: first('messages', (l) => (l.row.content = 'x'.repeat(5_000_000))),
    msg: /messages: the row \[1\]: content/,
  },
  {
    why: 'a message of nobody',
    edit: first('messages', (l) => (l.row.senderId = 77)),
    msg: /its sender is not there/,
  },
  {
    why: 'a message in no channel',
    edit: first('messages', (l) => (l.row.channelId = 77)),
    msg: /not in its channel/,
  },
  {
    why: 'a member who is not there',
    edit: first('subscriptions', (l) => (l.key[1] = 77)),
    msg: /there is no user 77/,
  },
  {
    why: 'a list of messages without them',
    edit: edited('messages', () => []),
    msg: /no such message/,
  },
  {
    why: 'numbers that are given out again',
    edit: first('counters', (l) => (l.row.message = 0)),
    msg: /was not given out|there is no/,
  },
  {
    why: 'a number of messages that nobody has sent',
    edit: first('counters', (l) => (l.row.message = 2 ** 31)),
    msg: /no message numbers over 2147483647/,
  },
  {
    why: 'numbers of files that are given out again',
    edit: edited('number_lines', (rows) => rows.filter(({ key }) => key[0] !== 'attachment')),
    msg: /attachments: .*not given out/,
  },
  { why: 'no organization', edit: edited('realm', () => []), msg: /no organization/ },
  { why: 'no counters', edit: edited('counters', () => []), msg: /no counters/ },
  {
    why: 'a path that leads elsewhere',
    edit: first('attachments', (l) => (l.row.pathId = '1/../../../etc/passwd')),
    msg: /pathId/,
  },
];

/** Seals files that are not made of lines, without counting them. */
function sealUnread(contents: Contents) {
  const broken = contents.get('tables/users.jsonl') ?? Buffer.alloc(0);
  contents.set('tables/users.jsonl', Buffer.from('{}\n'.repeat(8)));
  seal(contents);
  contents.set('tables/users.jsonl', broken);
  manifest((m) => {
    const table = m.tables.find((t: Line) => t.name === 'users');
    const sha256 = createHash('sha256').update(broken).digest('hex');
    Object.assign(table, { bytes: broken.length, sha256 });
  })(contents);
}

test('rows that no version of confab wrote are refused in one line, and nothing is left', async () => {
  const server = await startServer({ channels: ['general'] });
  const file = await archived(server);
  const before = realmFolders(server);
  for (const { why, edit, msg } of HOSTILE) {
    const contents = await contentsOf(file);
    edit(contents);
    const changed = await packed(contents, { [LEADS_OUT[0]]: LEADS_OUT[1] });
    const reason = await importIt(server, changed).then(
      () => 'imported',
      (error: Error) => error.message,
    );
    expect([why, reason]).toEqual([why, expect.stringMatching(msg)]);
    expect([why, realmFolders(server)]).toEqual([why, before]);
  }
  expect(server.app.realms.all()).toHaveLength(1);
  // The realm of the server is unchanged, and a correct archive is imported.
  expect(await importIt(server, file)).toEqual([{ realm_id: 2, realm: 'copy' }]);
  expect(server.bugs).toEqual([]);
});

test('an archive that was cut off anywhere is refused', async () => {
  const server = await startServer({ channels: ['general'] });
  const file = await archived(server);
  const { length } = readFileSync(file);
  for (const left of [0, 1, 100, length >> 1, length - 100, length - 1]) {
    const cut = join(temporaryFolder(), 'cut.zip');
    writeFileSync(cut, readFileSync(file));
    truncateSync(cut, left);
    await expect(importIt(server, cut)).rejects.toThrow(/is no archive, or was cut off/);
  }
  expect(realmFolders(server)).toEqual(['1']);
});

test('an archive with any bytes changed is refused, or is a realm', async () => {
  const server = await startServer({ channels: ['general'] });
  const bytes = readFileSync(await archived(server));
  let count = 0;
  const change = fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }));
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const file = join(temporaryFolder(), 'changed.zip');
      const copy = Buffer.from(bytes);
      for (const [at, by] of changes) copy[at] = ((copy[at] ?? 0) + by) % 256;
      writeFileSync(file, copy);
      const name = `copy${count}`;
      const before = realmFolders(server);
      try {
        await importIt(server, file, name);
        count += 1;
        const page = { anchor: 'oldest', num_before: 0, num_after: 9, narrow: [] };
        const client = openClient(() => server.app.port, `${name}.localhost`);
        const { body } = await client.get(server.people.mel, '/messages', page);
        expect(body.messages.at(-1).content).toMatch(/user_uploads/);
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
        expect(realmFolders(server)).toEqual(before);
      }
    }),
    { numRuns: runs({ few: 15, all: 60 }) },
  );
  expect(server.bugs).toEqual([]);
});

test.each([
  { why: 'a name in use', name: 'test', msg: /There is a realm 'test' already/ },
  { why: 'a name of no host', name: 'A b', msg: /cannot be the name of a realm/ },
])('$why is refused before anything is read', async ({ name, msg }) => {
  const server = await startServer();
  await expect(importIt(server, '/nowhere/at/all.zip', name)).rejects.toThrow(msg);
  await expect(importIt(server, '/nowhere/at/all.zip')).rejects.toThrow(/cannot be read/);
  expect(realmFolders(server)).toEqual(['1']);
});

test('of two imports under one name one is refused, and nothing is left of it', async () => {
  const server = await startServer({ channels: ['general'] });
  const file = await archived(server);
  const both = await Promise.allSettled([importIt(server, file), importIt(server, file)]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(realmFolders(server)).toEqual(['1', '2']);
});

test('a line that is longer than any row is refused before it is held as a whole', async () => {
  const server = await startServer({ channels: ['general'] });
  const contents = await contentsOf(await archived(server));
  contents.set('tables/users.jsonl', Buffer.alloc(ARCHIVE_LINE_BYTES_MAX + 1, 'x'));
  sealUnread(contents);
  await expect(importIt(server, await packed(contents))).rejects.toThrow(/has a line too long/);
});

test('an import that a kill cut short is removed by the next start', async () => {
  const server = await startServer();
  mkdirSync(join(server.data, 'realms', '.new-0123456789abcdef', 'uploads'), { recursive: true });
  await server.restart();
  expect(realmFolders(server)).toEqual(['1']);
});

test('an archive of an older schema is brought to the present one', async () => {
  const server = await startServer({ channels: ['general'] });
  const contents = await contentsOf(await archived(server));
  // Rows of the older schema lack the column.
  edited('realm', (lines) => {
    delete lines[0].row.formerIds;
    return lines;
  })(contents);
  expect(await importIt(server, await packed(contents))).toHaveLength(1);
  const realm = server.app.realms.named('copy') ?? expect.fail();
  expect(realm.reader.realm.get(['realm'])).toMatchObject({ id: 2, formerIds: [1] });
});

test('an import that was imported again answers to the paths of all its numbers', async () => {
  const server = await startServer({ channels: ['general'] });
  const file = await archived(server);
  await importIt(server, file, 'second');
  const again = join(temporaryFolder(), 'again.zip');
  await runCommand(server.app.realms, 'realm export', { realm: 'second', file: again });
  await importIt(server, again, 'third');
  const realm = server.app.realms.named('third') ?? expect.fail();
  expect(realm.reader.realm.get(['realm'])).toMatchObject({ id: 3, formerIds: [1, 2] });
  const [[, { pathId }] = expect.fail()] = [...realm.reader.attachments.range({})];
  const { status, bytes } = await download(server, `/user_uploads/${pathId}`, {
    as: server.people.mel,
    host: 'third.localhost',
  });
  expect([status, bytes.toString()]).toEqual([200, 'some text']);
  const url = await uploaded(
    openClient(() => server.app.port, 'third.localhost'),
    server.people.mel,
  );
  expect(url).toMatch(/^\/user_uploads\/3\//);
});

test('an export is never written over a file that is there', async () => {
  const server = await startServer();
  const file = join(temporaryFolder(), 'there.zip');
  writeFileSync(file, 'mine');
  const exporting = runCommand(server.app.realms, 'realm export', { realm: 'test', file });
  await expect(exporting).rejects.toThrow(/cannot be written/);
  expect(readFileSync(file, 'utf8')).toBe('mine');
  const relative = runCommand(server.app.realms, 'realm export', { realm: 'test', file: 'x.zip' });
  await expect(relative).rejects.toThrow(/is not absolute/);
});

test('two exports to one file: the first is made, the second refused', async () => {
  const server = await startServer({ channels: ['general'] });
  const folder = temporaryFolder();
  const file = join(folder, 'realm.zip');
  const exportIt = () => runCommand(server.app.realms, 'realm export', { realm: 'test', file });
  const [first, second] = [exportIt(), exportIt()];
  await expect(second).rejects.toThrow(/another export is writing it/);
  expect(await first).toMatchObject([{ file }]);
  expect(readdirSync(folder)).toEqual(['realm.zip']);
});

test('the partial file of an export that a kill cut short is replaced', async () => {
  const server = await startServer({ channels: ['general'] });
  const folder = temporaryFolder();
  const file = join(folder, 'realm.zip');
  writeFileSync(`${file}.part`, 'x'.repeat(1_000_000));
  await runCommand(server.app.realms, 'realm export', { realm: 'test', file });
  expect(readdirSync(folder)).toEqual(['realm.zip']);
  expect(await importIt(server, file)).toHaveLength(1);
});
